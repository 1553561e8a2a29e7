#include "app/cli/pin_options.h"

#include "core/input/near_matches.h"
#include "core/profile/input_error.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>

namespace slackscope::cli {

namespace {

std::optional<Decision> decisionNamed(std::string_view text) {
    for (const Decision decision : allDecisions) {
        if (text == decisionName(decision))
            return decision;
    }
    return std::nullopt;
}

NamedPin parsePin(const std::string& text) {
    const std::size_t equals = text.rfind('='); // an id may hold one too
    const auto decision =
        equals == std::string::npos ? std::nullopt : decisionNamed(std::string_view(text).substr(equals + 1));
    if (!decision || equals == 0)
        throw CLI::ValidationError("--pin", quotedText(text) + " is not TENSOR=keep, TENSOR=offload or "
                                                               "TENSOR=recompute");
    return {text.substr(0, equals), *decision};
}

} // namespace

void addPinOption(CLI::App& command, std::vector<NamedPin>& into) {
    command
        .add_option_function<std::vector<std::string>>(
            "--pin",
            [&into](const std::vector<std::string>& texts) {
                for (const std::string& text : texts)
                    into.push_back(parsePin(text));
            },
            "fixes the decision about a saved tensor; the strategy decides the rest; repeatable")
        ->type_name("TENSOR=keep|offload|recompute")
        ->allow_extra_args(false);
}

tl::expected<TensorIndex, Failure> findTensor(const StepGraph& graph, std::string_view option,
                                              const std::string& id) {
    const std::vector<Tensor>& tensors = graph.profile().tensors;
    const auto found =
        std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& tensor) { return tensor.id == id; });
    if (found != tensors.end())
        return static_cast<TensorIndex>(found - tensors.begin());
    std::vector<std::string> ids;
    for (const TensorIndex t : graph.savedTensors())
        ids.push_back(graph.tensor(t).id);
    std::string sentence = std::string(option) + ": the profile has no tensor " + quotedText(id);
    if (!ids.empty())
        sentence += "; the nearest saved ones are " + commaList(nearMatches(id, ids));
    return failure(ExitStatus::WrongUsage, sentence + ".");
}

tl::expected<Pins, Failure> resolvePins(const StepGraph& graph, const std::vector<NamedPin>& pins) {
    Pins resolved;
    for (const NamedPin& pin : pins) {
        const auto tensor = findTensor(graph, "--pin", pin.tensor);
        if (!tensor)
            return tl::unexpected(tensor.error());
        resolved.push_back({*tensor, pin.decision});
    }
    if (const auto checked = checkPins(graph, resolved); !checked)
        return failure(ExitStatus::WrongUsage, "--pin: " + checked.error());
    return resolved;
}

} // namespace slackscope::cli
