// The command line: which command, which options, which exit status.
#pragma once

#include "app/cli/commands.h"

namespace slackscope::cli {

// Runs the program. Results go to standard output, everything else to standard error. Never throws.
int runProgram(int argc, const char* const* argv, Frontend& frontend);

} // namespace slackscope::cli
