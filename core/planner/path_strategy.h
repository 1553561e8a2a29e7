// Strategies that walk paths of placements, from the one that frees least to the one that frees most, and
// take the first that fits the budget (path_planner.h).
#pragma once

#include "core/planner/strategy.h"

namespace slackscope {

// Answers every budget with the best choice in its room; nullptr when stopped.
std::unique_ptr<PreparedStrategy> preparePath(const std::shared_ptr<const StepGraph>& graph, const Pins& pins,
                                              const StrategyInfo& strategy, const StopRequested& stop);

} // namespace slackscope
