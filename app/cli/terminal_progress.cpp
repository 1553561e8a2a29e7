#include "app/cli/terminal_progress.h"

#include <iostream>
#include <utility>

#include <unistd.h>

namespace slackscope::cli {

TerminalProgress::TerminalProgress(std::string what)
    : what_(std::move(what)), isTerminal_(::isatty(STDERR_FILENO) == 1) {}

TerminalProgress::~TerminalProgress() {
    if (!shown_.empty())
        std::cerr << "\r\x1b[K" << std::flush;
}

void TerminalProgress::show(double fraction) {
    show({}, fraction);
}

void TerminalProgress::show(const std::string& part, double fraction) {
    if (!isTerminal_)
        return;
    std::string text = what_ + (part.empty() ? "" : " " + part) + ": " +
                       std::to_string(static_cast<int>(fraction * 100)) + " %";
    if (text == shown_)
        return;
    shown_ = std::move(text);
    std::cerr << "\r\x1b[K" << shown_ << std::flush;
}

} // namespace slackscope::cli
