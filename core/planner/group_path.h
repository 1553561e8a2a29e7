// The path that drops one group of tensors after another (drop_groups.h).
#pragma once

#include "core/planner/strategy.h"

namespace slackscope {

enum class Offloads : std::uint8_t { None, Hidden };

// With Hidden, each stop also offloads, in the order of production, what is not dropped and whose
// copies can be hidden: what is dropped leaves the link to the others.
std::unique_ptr<PlacementPath> groupPath(const std::shared_ptr<const StepGraph>& graph, const Pins& pins,
                                         Offloads offloads);

} // namespace slackscope
