// Decisions that the user has fixed. Every strategy honours them and decides the rest.
#pragma once

#include "core/planner/lowering.h"

#include <tl/expected.hpp>

#include <optional>
#include <string>

namespace slackscope {

// Why pins cannot be honoured, in one sentence that names the tensor: no saved tensor of the profile, pinned
// twice, nothing that could be offloaded or recomputed, or more offloaded than the host holds.
tl::expected<void, std::string> checkPins(const StepGraph& graph, const Pins& pins);

// Puts the pinned decisions into a placement.
void applyPins(const Pins& pins, Placement& placement);

// `pins` with the pin of one tensor replaced, added, or (no decision) removed.
Pins withPin(Pins pins, TensorIndex t, std::optional<Decision> decision);

// The pins of one profile that make sense in another: those whose tensor, by id, is there too and can still
// be decided so. In order; where the host is too small for all, the first ones stay.
Pins carriedOver(const Pins& pins, const StepGraph& from, const StepGraph& to);

// By tensor: whether it is pinned.
std::vector<char> pinnedTensors(const StepGraph& graph, const Pins& pins);

// Host memory that is left beside the pinned offloads.
Bytes hostBytesLeft(const StepGraph& graph, const Pins& pins);

} // namespace slackscope
