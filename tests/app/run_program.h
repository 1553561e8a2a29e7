// Runs the real program and keeps what it said.
#pragma once

#include <QByteArray>
#include <QProcess>
#include <QString>
#include <QStringList>

namespace slackscope::test {

struct ProgramRun {
    int status = -1; // exit status; -1: it crashed or did not end
    QByteArray out;
    QByteArray err;
};

// Without a display, and without a Qt platform in the environment.
QProcessEnvironment headlessEnvironment();

ProgramRun runProgram(const QStringList& arguments, const QString& directory = {});
// The same with a process that the caller has prepared.
ProgramRun runProgram(QProcess& process, const QStringList& arguments);

bool windowProgramExists();
bool writeFile(const QString& path, const QByteArray& content);
QByteArray readFile(const QString& path);

} // namespace slackscope::test
