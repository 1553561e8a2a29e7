// INPUT and the options that shape an analytic profile: the same for every command.
#pragma once

#include "app/cli/outcome.h"
#include "core/input/input.h"

#include <string>

namespace CLI { // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace slackscope::cli {

struct ModelOptions {
    std::string input;
    AnalyticOptions options;
};

// Adds INPUT (required) and the model options to a command. `into` must live until the command has run.
void addModelOptions(CLI::App& command, ModelOptions& into);

tl::expected<LoadedInput, Failure> load(const ModelOptions& options);

} // namespace slackscope::cli
