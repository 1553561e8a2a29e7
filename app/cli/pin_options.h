// --pin TENSOR=keep|offload|recompute: the same for every command that plans.
#pragma once

#include "app/cli/outcome.h"
#include "core/planner/pins.h"
#include "core/report/sweep_subject.h"

#include <string>
#include <string_view>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace slackscope::cli {

// Adds --pin (repeatable); whether the tensors are there is not known before the input is loaded. `into` must
// live until the command has run.
void addPinOption(CLI::App& command, std::vector<NamedPin>& into);

// The pins of this profile. Refused, as wrong usage: a tensor that it does not have (near names are offered)
// and what checkPins refuses.
tl::expected<Pins, Failure> resolvePins(const StepGraph& graph, const std::vector<NamedPin>& pins);

// The tensor of this id; `option` names who asks.
tl::expected<TensorIndex, Failure> findTensor(const StepGraph& graph, std::string_view option,
                                              const std::string& id);

} // namespace slackscope::cli
