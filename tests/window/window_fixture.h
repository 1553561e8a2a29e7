// A whole window with settings of its own, for tests that drive it as a user would.
#pragma once

#include "ui/look/look.h"
#include "ui/session/session_controller.h"
#include "ui/window/main_window.h"

#include <QSettings>
#include <QTemporaryDir>

#include <memory>

namespace slackscope::test {

// Runs the event loop until `done` or for `timeoutMs`; whether it was done.
bool waitFor(const std::function<bool()>& done, int timeoutMs = 20000);

// A session without widgets.
// With a strategy of one effort: its plan does not become another while a test looks at it.
struct SessionFixture {
    Session session{"slackswap"};
    SessionController controller{session};

    // Opens and waits for the plan.
    bool open(const std::string& input);
    // Waits until the plan on show is the one that is wanted.
    bool settle();
};

struct WindowFixture : SessionFixture {
    explicit WindowFixture(QSize size = {1280, 720}, ThemeChoice theme = ThemeChoice::Light);

    QTemporaryDir directory;
    QSettings settings;
    Look look;
    std::unique_ptr<MainWindow> window;

    QString path(const QString& name) const { return directory.filePath(name); }
    // The path of a file with these bytes.
    QString file(const QString& name, const QByteArray& bytes) const;
    // An action of the menus by its text without mnemonics; nullptr: there is none.
    QAction* action(const QString& text) const;
};

} // namespace slackscope::test
