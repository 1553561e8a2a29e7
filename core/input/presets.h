// Models that the product knows by name: resources/models.json, compiled in. A row holds the few lines of the
// model's public config that matter, so that presets and config files go through the same reader.
#pragma once

#include "core/input/transformer.h"

#include <span>
#include <string_view>

namespace slackscope {

struct ModelPreset {
    std::string id;
    std::string name;
    TransformerConfig config; // with the preset's default batch and sequence
    std::int64_t publishedParameters = 0;
    std::string source;
};

std::span<const ModelPreset> modelPresets();

// By id; the error lists the nearest ids.
tl::expected<ModelPreset, InputError> findModelPreset(std::string_view id);

} // namespace slackscope
