#include "window_fixture.h"

#include <QAction>
#include <QFile>
#include <QTest>

namespace slackscope::test {

bool waitFor(const std::function<bool()>& done, int timeoutMs) {
    return QTest::qWaitFor(done, timeoutMs);
}

bool SessionFixture::open(const std::string& input) {
    controller.open(input);
    return waitFor([&] { return session.step() && session.step()->scenario.input == input; }) && settle();
}

bool SessionFixture::settle() {
    return waitFor([&] { return session.isCurrent() && !controller.isBusy(); });
}

WindowFixture::WindowFixture(QSize size, ThemeChoice theme)
    : settings(directory.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat), look(theme),
      window(std::make_unique<MainWindow>(controller, look, settings)) {
    window->resize(size);
    window->show();
    if (!QTest::qWaitForWindowExposed(window.get()))
        qWarning("the window did not appear");
}

QString WindowFixture::file(const QString& name, const QByteArray& bytes) const {
    QFile file(path(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("cannot write the test file");
    return file.fileName();
}

QAction* WindowFixture::action(const QString& text) const {
    for (QAction* found : window->findChildren<QAction*>()) {
        if (QString(found->text()).remove(QLatin1Char('&')) == text)
            return found;
    }
    return nullptr;
}

} // namespace slackscope::test
