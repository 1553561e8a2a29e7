// How far long work has come, on standard error and only where that is a terminal.
#pragma once

#include <string>

namespace slackscope::cli {

class TerminalProgress {
public:
    explicit TerminalProgress(std::string what);
    ~TerminalProgress(); // clears its line
    TerminalProgress(const TerminalProgress&) = delete;
    TerminalProgress& operator=(const TerminalProgress&) = delete;

    void show(double fraction); // 0 to 1

private:
    std::string what_;
    bool isTerminal_ = false;
    int shownPercent_ = -1;
};

} // namespace slackscope::cli
