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

    void show(double fraction);                          // 0 to 1
    void show(const std::string& part, double fraction); // of one part of the work, which is named

private:
    std::string what_;
    bool isTerminal_ = false;
    std::string shown_; // empty: nothing yet
};

} // namespace slackscope::cli
