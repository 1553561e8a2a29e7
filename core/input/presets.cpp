#include "core/input/presets.h"

#include "core/input/hugging_face.h"
#include "core/input/near_matches.h"
#include "core/input/resource_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace slackscope {

using nlohmann::json;

namespace {

std::vector<ModelPreset> readPresets() {
    std::vector<ModelPreset> list;
    const json table = json::parse(modelsJson());
    for (const json& row : table.at("models")) {
        ModelPreset preset;
        preset.id = row.at("id");
        preset.name = row.at("name");
        preset.publishedParameters = row.at("published_parameters");
        preset.source = row.at("source");
        preset.config = readHuggingFaceConfig(row.at("config").dump(), "resources/models.json").value();
        preset.config.name = preset.name;
        preset.config.defaultBatch = row.at("batch");
        preset.config.defaultSequence = row.at("sequence");
        list.push_back(std::move(preset));
    }
    return list;
}

} // namespace

std::span<const ModelPreset> modelPresets() {
    static const std::vector<ModelPreset> table = readPresets();
    return table;
}

tl::expected<ModelPreset, InputError> findModelPreset(std::string_view id) {
    std::vector<std::string> ids;
    for (const ModelPreset& preset : modelPresets()) {
        if (preset.id == id)
            return preset;
        ids.push_back(preset.id);
    }
    return tl::unexpected(InputError{"", "",
                                     "there is no model " + quotedText(id) + "; the nearest are " +
                                         commaList(nearMatches(id, ids))});
}

} // namespace slackscope
