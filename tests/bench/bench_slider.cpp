// From a slider event to the finished repaint, with the real widgets: what a drag feels like.
//
// For each strategy and model, in the default window with the tradeoff dock, the slider is dragged by mouse
// events, half a percent at a time, and let go:
//   sweep runs    events 16 ms apart while the sweep over the budgets runs in the background; the model is
//                 opened again until there are enough
//   sweep ended   events as fast as they are answered
// One sample is the time from the mouse event to the end of the repaint that shows the plan for that budget:
// planning and simulation on the worker thread, laying out the picture, headline, panels, and painting all of
// it into the window's backing store.
//   let go        from the release to the last change of the picture within two seconds, and how often the
//                 picture changed: at several budgets, with the sweep running and ended
//   frozen        the longest that the event loop did not come to a timer of 1 ms while the sweep ran on its
//                 own, and the most processor time that it took meanwhile
// On a machine that does other work too, wall-clock times are longer than the program's own: the processor
// time of the window's thread, which plans nothing and paints everything, stands beside them. Run offscreen
// or under xvfb-run with QT_QPA_PLATFORM=xcb; sizes follow the window (1600 x 900). bench_slider
// [STRATEGY...] [--models MODEL...]; by default optimized and slackswap on three presets.
#include "ui/budget/budget_bar.h"
#include "ui/budget/budget_track.h"
#include "ui/figures/tradeoff_plot.h"
#include "ui/look/look.h"
#include "ui/session/session_controller.h"
#include "ui/tradeoff/tradeoff_panel.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace slackscope;

namespace {

constexpr int firstStep = 40; // of the slider, in half percents
constexpr int lastStep = 200;
constexpr std::size_t enoughSamples = 160;
constexpr int mostOpenings = 12;
constexpr double eventEveryMs = 16;
constexpr double settleMs = 2000;
constexpr std::array<int, 6> letGoSteps{60, 80, 100, 120, 140, 180};

double threadMilliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double at(const std::vector<double>& sorted, double quantile) {
    return sorted[static_cast<std::size_t>(quantile * static_cast<double>(sorted.size() - 1))];
}

void print(const std::string& model, const char* what, std::vector<double> values) {
    if (values.empty())
        values.push_back(0);
    std::sort(values.begin(), values.end());
    std::printf("%-12s %-30s %7zu %9.2f %9.2f %9.2f\n", model.c_str(), what, values.size(), at(values, 0.5),
                at(values, 0.95), values.back());
    std::fflush(stdout);
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

class Bench {
public:
    Bench(std::string model, const std::string& strategy)
        : model_(std::move(model)),
          settings_(directory_.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat),
          look_(ThemeChoice::Light), controller_(session_) {
        controller_.setStrategy(strategy);
        window_ = std::make_unique<MainWindow>(controller_, look_, settings_);
        window_->resize(1600, 900);
        window_->show();
        QObject::connect(&session_, &Session::planChanged, window_.get(), [this] {
            ++plans_;
            arrived_ = sinceEvent();
            paints_.reset(); // only what is painted from now on shows this plan
        });
        timer_.start();
        ticks_.setTimerType(Qt::PreciseTimer);
        ticks_.start(1);
        wake_.setTimerType(Qt::PreciseTimer);
        wake_.setSingleShot(true);
    }

    void run() {
        open();
        paints_.watch(&window_->decisionMap());
        paints_.watch(window_->stepPlot().childAt(window_->stepPlot().memoryRect().center().toPoint()));
        paints_.watch(&window_->tradeoff().plot());
        sweepAlone();
        dragWhileSweeping();
        print(model_, "sweep runs: plan arrives", std::exchange(planning_, {}));
        print(model_, "sweep runs: repaint finished", std::exchange(whole_, {}));
        print(model_, "sweep runs: window's thread", std::exchange(own_, {}));
        letGo(true);
        planning_.clear();
        whole_.clear();
        own_.clear();
        wait([this] { return controller_.sweep().isComplete(); });
        press();
        for (int step = firstStep; step <= lastStep; ++step)
            moveTo(step);
        release();
        print(model_, "sweep ended: plan arrives", planning_);
        print(model_, "sweep ended: repaint finished", whole_);
        print(model_, "sweep ended: window's thread", own_);
        letGo(false);
    }

private:
    BudgetTrack& track() { return window_->budgetBar().track(); }
    double sinceEvent() const { return static_cast<double>(timer_.nsecsElapsed()) / 1e6; }
    bool isCurrent() const { return session_.isCurrent() && !controller_.isBusy(); }
    bool isSweeping() const { return controller_.sweep().isRunning; }

    // Loads the model afresh: its sweep begins again.
    void open() {
        const LoadedStepPtr before = session_.step();
        controller_.open(model_);
        wait([&] { return session_.step() && session_.step() != before && isCurrent(); });
        wait([this] { return isSweeping() || controller_.sweep().isComplete(); });
    }
    void press() { QTest::mousePress(&track(), Qt::LeftButton, {}, track().handlePosition().toPoint()); }
    void release() { QTest::mouseRelease(&track(), Qt::LeftButton); }
    void moveTo(int step) {
        timer_.start();
        const double before = threadMilliseconds();
        QTest::mouseMove(&track(), track().positionOf(step / 200.0).toPoint());
        wait([this] { return isCurrent() && paints_.allPainted(); });
        whole_.push_back(sinceEvent());
        planning_.push_back(arrived_);
        own_.push_back(threadMilliseconds() - before);
    }
    // Runs the event loop until `ms` after the last event.
    void idleUntil(double ms) {
        const int left = static_cast<int>(std::ceil(ms - sinceEvent()));
        if (left <= 0)
            return;
        wake_.start(left);
        wait([this] { return !wake_.isActive(); });
    }

    void sweepAlone() {
        double longest = 0;
        double most = 0;
        double atTick = threadMilliseconds();
        QElapsedTimer sinceTick;
        sinceTick.start();
        const auto connection = QObject::connect(&ticks_, &QTimer::timeout, window_.get(), [&] {
            longest = std::max(longest, static_cast<double>(sinceTick.nsecsElapsed()) / 1e6);
            sinceTick.start();
            const double now = threadMilliseconds();
            most = std::max(most, now - std::exchange(atTick, now));
        });
        QElapsedTimer whole;
        whole.start();
        wait([this] { return controller_.sweep().isComplete(); });
        QObject::disconnect(connection);
        print(model_, "sweep alone: whole sweep", {static_cast<double>(whole.nsecsElapsed()) / 1e6});
        print(model_, "sweep alone: frozen", {longest});
        print(model_, "sweep alone: window's thread", {most});
    }

    void dragWhileSweeping() {
        int step = 100;
        int direction = 1;
        for (int opening = 0; opening < mostOpenings && whole_.size() < enoughSamples; ++opening) {
            open();
            press();
            while (isSweeping() && whole_.size() < enoughSamples) {
                step += direction;
                if (step == lastStep || step == firstStep)
                    direction = -direction;
                moveTo(step);
                idleUntil(eventEveryMs);
            }
            release();
        }
    }

    void letGo(bool whileSweeping) {
        std::vector<double> last;
        std::vector<double> changes;
        for (const int step : letGoSteps) {
            if (whileSweeping)
                open();
            press();
            for (int i = step - 8; i <= step; ++i) {
                moveTo(i);
                idleUntil(eventEveryMs);
            }
            plans_ = 0;
            arrived_ = 0;
            timer_.start();
            release();
            idleUntil(settleMs);
            last.push_back(plans_ > 0 ? arrived_ : 0);
            changes.push_back(plans_);
        }
        print(model_, whileSweeping ? "sweep runs: let go" : "sweep ended: let go", last);
        print(model_, whileSweeping ? "sweep runs: changes (count)" : "sweep ended: changes (count)",
              changes);
    }

    std::string model_;
    QTemporaryDir directory_;
    QSettings settings_;
    Look look_;
    Session session_;
    SessionController controller_;
    std::unique_ptr<MainWindow> window_;
    PaintWatch paints_;
    QElapsedTimer timer_;
    QTimer ticks_;
    QTimer wake_;
    double arrived_ = 0; // the newest plan, after the last event
    int plans_ = 0;
    std::vector<double> whole_;
    std::vector<double> own_;      // processor time of this thread
    std::vector<double> planning_; // until the plan arrives, nothing painted yet
};

} // namespace

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("DISPLAY") && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    std::vector<std::string> chosen;
    std::vector<std::string> models;
    std::vector<std::string>* into = &chosen;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--models")
            into = &models;
        else
            into->push_back(word);
    }
    if (chosen.empty())
        chosen = {"optimized", "slackswap"};
    if (models.empty())
        models = {"bert-large", "gpt2-xl", "llama-7b"};
    for (const std::string& strategy : chosen) {
        if (!findStrategy(strategy)) {
            std::fprintf(stderr, "There is no strategy \"%s\".\n", strategy.c_str());
            return 2;
        }
        std::printf("Slider event to finished repaint, ms, %s, %s\n", strategy.c_str(),
                    qPrintable(QGuiApplication::platformName()));
        std::printf("%-12s %-30s %7s %9s %9s %9s\n", "model", "until", "samples", "median", "p95", "worst");
        for (const std::string& model : models)
            Bench(model, strategy).run();
    }
}
