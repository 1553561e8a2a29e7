// The decisions of a plan with their reasons, as text.
#pragma once

#include "core/planner/plan.h"

#include <span>
#include <string>

namespace slackscope {

// One line for every saved tensor: id, bytes, decision, reason. Feasible plans only.
std::string decisionList(const Plan& plan);

// Decision, reason and what-ifs of each tensor (saved or not). Simulates and plans: seconds on large
// profiles. Feasible plans only.
std::string explanations(const Plan& plan, std::span<const TensorIndex> tensors);

} // namespace slackscope
