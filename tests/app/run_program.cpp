#include "tests/app/run_program.h"

#include <QFile>
#include <QFileInfo>

namespace slackscope::test {

QProcessEnvironment headlessEnvironment() {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        environment.remove(QString::fromLatin1(name));
    return environment;
}

ProgramRun runProgram(QProcess& process, const QStringList& arguments) {
    process.start(QStringLiteral(SLACKSCOPE_PROGRAM), arguments);
    constexpr int patienceMs = 120'000;
    if (!process.waitForFinished(patienceMs)) {
        process.kill();
        process.waitForFinished();
        return {};
    }
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            process.readAllStandardOutput(), process.readAllStandardError()};
}

ProgramRun runProgram(const QStringList& arguments, const QString& directory) {
    QProcess process;
    process.setProcessEnvironment(headlessEnvironment());
    process.setWorkingDirectory(directory);
    return runProgram(process, arguments);
}

bool windowProgramExists() {
    return QFile::exists(QFileInfo(QStringLiteral(SLACKSCOPE_PROGRAM)).path() + "/slackscope-window");
}

bool writeFile(const QString& path, const QByteArray& content) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
}

QByteArray readFile(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace slackscope::test
