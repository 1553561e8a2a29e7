// Decisions that the user has fixed. Every strategy honours them and decides the rest.
#pragma once

#include "core/planner/lowering.h"

#include <tl/expected.hpp>

#include <string>

namespace slackscope {

// Why pins cannot be honoured, in one sentence that names the tensor: no saved tensor of the profile, pinned
// twice, nothing that could be offloaded or recomputed, or more offloaded than the host holds.
tl::expected<void, std::string> checkPins(const StepGraph& graph, const Pins& pins);

// Puts the pinned decisions into a placement.
void applyPins(const Pins& pins, Placement& placement);

// By tensor: whether it is pinned.
std::vector<char> pinnedTensors(const StepGraph& graph, const Pins& pins);

// Host memory that is left beside the pinned offloads.
Bytes hostBytesLeft(const StepGraph& graph, const Pins& pins);

} // namespace slackscope
