#include "app/cli/terminal_progress.h"

#include <iostream>
#include <utility>

#include <unistd.h>

namespace slackscope::cli {

TerminalProgress::TerminalProgress(std::string what)
    : what_(std::move(what)), isTerminal_(::isatty(STDERR_FILENO) == 1) {}

TerminalProgress::~TerminalProgress() {
    if (shownPercent_ >= 0)
        std::cerr << "\r\x1b[K" << std::flush;
}

void TerminalProgress::show(double fraction) {
    const int percent = static_cast<int>(fraction * 100);
    if (!isTerminal_ || percent == shownPercent_)
        return;
    shownPercent_ = percent;
    std::cerr << '\r' << what_ << ": " << percent << " %" << std::flush;
}

} // namespace slackscope::cli
