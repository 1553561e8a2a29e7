// How a command ends.
#pragma once

#include <tl/expected.hpp>

#include <string>

namespace slackscope::cli {

// Exit statuses of the program; --help lists them.
enum class ExitStatus {
    Done = 0,
    InternalError = 1,
    WrongUsage = 2,
    InputRefused = 3,
    BudgetInfeasible = 4,
    OutputNotWritten = 5
};

struct Failure {
    ExitStatus status = ExitStatus::InternalError;
    std::string sentence; // for standard error; empty = all has been said
};

using Outcome = tl::expected<void, Failure>;

inline tl::unexpected<Failure> failure(ExitStatus status, std::string sentence) {
    return tl::unexpected(Failure{status, std::move(sentence)});
}

} // namespace slackscope::cli
