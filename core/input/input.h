// INPUT of the command line and the window: the id of a model preset or a file, recognised by its content.
#pragma once

#include "core/input/transformer.h"

#include <optional>
#include <string>

namespace slackscope {

enum class InputKind { ModelPreset, HuggingFaceConfig, ProfileFile };

struct LoadedInput {
    Profile profile; // validated
    InputKind kind = InputKind::ProfileFile;
    // The model's shape, so that it can be profiled again with other options; absent for a profile file.
    std::optional<TransformerConfig> config;
    std::string displayName;
};

// What `input` means, with the options applied. On a profile file only the link's options can apply; others
// that were given are refused. Never blocks on a pipe or a device, never reads more than 2 GiB.
tl::expected<LoadedInput, InputError> loadInput(const std::string& input,
                                                const AnalyticOptions& options = {});

} // namespace slackscope
