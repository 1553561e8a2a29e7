// From a slider event to the finished repaint, with the real widgets: what a drag feels like.
//
// For each model the slider goes from 20 to 100 % in steps of half a percent by mouse events. One sample is
// the time from the mouse event to the end of the repaint that shows the plan for that budget: planning and
// simulation on the worker thread, laying out the picture, headline, panels, and painting all of it into the
// window's backing store. Run offscreen or under xvfb-run with QT_QPA_PLATFORM=xcb; sizes follow the window
// (1600 x 900).
#include "ui/budget/budget_bar.h"
#include "ui/budget/budget_track.h"
#include "ui/look/look.h"
#include "ui/session/session_controller.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <vector>

using namespace slackscope;

namespace {

double at(const std::vector<double>& sorted, double quantile) {
    return sorted[static_cast<std::size_t>(quantile * static_cast<double>(sorted.size() - 1))];
}

void print(const char* model, const char* what, std::vector<double> milliseconds) {
    std::sort(milliseconds.begin(), milliseconds.end());
    std::printf("%-12s %-22s %7zu %9.2f %9.2f %9.2f\n", model, what, milliseconds.size(),
                at(milliseconds, 0.5), at(milliseconds, 0.95), milliseconds.back());
}

// Which of the widgets have been painted since the last reset.
class PaintWatch : public QObject {
public:
    void watch(QWidget* widget) {
        widget->installEventFilter(this);
        painted_[widget] = false;
    }
    void reset() {
        for (auto& [widget, painted] : painted_)
            painted = false;
    }
    bool allPainted() const {
        return std::all_of(painted_.begin(), painted_.end(), [](const auto& entry) { return entry.second; });
    }
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::Paint)
            return false;
        // The filter comes before the painting: let that happen now, then take note.
        watched->removeEventFilter(this);
        QCoreApplication::sendEvent(watched, event);
        watched->installEventFilter(this);
        painted_[watched] = true;
        return true;
    }

private:
    std::map<QObject*, bool> painted_;
};

void wait(const std::function<bool()>& done) {
    while (!done())
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
}

void drag(const char* model, const char* strategy) {
    const QTemporaryDir directory;
    QSettings settings(directory.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
    Look look(ThemeChoice::Light);
    Session session;
    SessionController controller(session);
    controller.open(model);
    controller.setStrategy(strategy);
    MainWindow window(controller, look, settings);
    window.resize(1600, 900);
    window.show();
    const auto isCurrent = [&] { return session.isCurrent() && !controller.isBusy(); };
    wait([&] { return session.step() != nullptr; });
    wait(isCurrent);
    wait([&] { return controller.sweep().isComplete(); });
    PaintWatch paints;
    paints.watch(&window.decisionMap());
    paints.watch(window.stepPlot().childAt(window.stepPlot().memoryRect().center().toPoint()));

    BudgetTrack& track = window.budgetBar().track();
    QTest::mousePress(&track, Qt::LeftButton, {}, track.handlePosition().toPoint());
    std::vector<double> whole;
    std::vector<double> planning; // until the plan arrives, nothing painted yet
    QElapsedTimer timer;
    double arrived = 0;
    QObject::connect(&session, &Session::planChanged, &window, [&] {
        arrived = static_cast<double>(timer.nsecsElapsed()) / 1e6;
        paints.reset(); // only what is painted from now on shows this plan
    });
    for (int step = 40; step <= 200; ++step) {
        timer.start();
        QTest::mouseMove(&track, track.positionOf(step / 200.0).toPoint());
        wait(isCurrent);
        wait([&] { return paints.allPainted(); });
        whole.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        planning.push_back(arrived);
    }
    QTest::mouseRelease(&track, Qt::LeftButton);
    print(model, "plan arrives", planning);
    print(model, "repaint finished", whole);
}

} // namespace

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("DISPLAY") && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const char* strategy = argc > 1 ? argv[1] : "slackswap";
    std::printf("Slider event to finished repaint, ms, %s, %s\n", strategy,
                qPrintable(QGuiApplication::platformName()));
    std::printf("%-12s %-22s %7s %9s %9s %9s\n", "model", "until", "events", "median", "p95", "worst");
    for (const char* model : {"bert-large", "gpt2-xl", "llama-7b"})
        drag(model, strategy);
}
