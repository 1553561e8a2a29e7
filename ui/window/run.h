// Opens the window and stays until it is closed.
#pragma once

#include <QString>

#include <optional>

class QApplication;

namespace slackscope {

struct WindowStart {
    // A preset or a file, as the user named it; absent = the default sample.
    std::optional<QString> input;
    // An INI file in place of the user's settings.
    std::optional<QString> settingsFile;
};

// The exit status of the program.
int runWindow(QApplication& application, const WindowStart& start = {});

// What the window shows when no input is named: a model preset's id.
QString defaultInput();

} // namespace slackscope
