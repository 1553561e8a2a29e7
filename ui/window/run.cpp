#include "ui/window/run.h"

#include "ui/look/look.h"
#include "ui/session/session_controller.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QScreen>
#include <QSettings>

#include <algorithm>
#include <memory>

namespace slackscope {

namespace {

// A window that was last open on a larger screen, or never, starts inside the one that is there.
void fitScreen(QWidget& window) {
    const QRect free = window.screen()->availableGeometry();
    window.resize(window.size().boundedTo(free.size()));
    const QRect frame = window.geometry();
    window.move(std::clamp(frame.x(), free.left(), free.right() + 1 - frame.width()),
                std::clamp(frame.y(), free.top(), free.bottom() + 1 - frame.height()));
}

} // namespace

QString defaultInput() {
    return QStringLiteral("gpt2-xl");
}

int runWindow(QApplication& application, const WindowStart& start) {
    QCoreApplication::setApplicationName(QStringLiteral("SlackScope"));
    QCoreApplication::setApplicationVersion(QStringLiteral(SLACKSCOPE_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("slackscope"));
    const auto settings =
        start.settingsFile
            ? std::make_unique<QSettings>(*start.settingsFile, QSettings::IniFormat)
            : std::make_unique<QSettings>(QStringLiteral("slackscope"), QStringLiteral("slackscope"));
    const int stored =
        settings->value(QStringLiteral("theme"), static_cast<int>(ThemeChoice::System)).toInt();
    Look look(ThemeChoice{std::clamp(stored, 0, static_cast<int>(ThemeChoice::System))});
    Session session;
    SessionController controller(session);
    controller.open(start.input.value_or(defaultInput()).toStdString()); // loads while the window is built
    MainWindow window(controller, look, *settings);
    fitScreen(window);
    window.show();
    return application.exec();
}

} // namespace slackscope
