// A plan as a page of text that a person understands without the manual.
#pragma once

#include "core/planner/plan.h"

#include <string>

namespace slackscope {

// Ends with a newline. Feasible: what was asked, how fast the step is, where the time and the memory go, what
// was decided. Infeasible: which operator is blocked, what it needs, and the smallest budget that works.
std::string planSummary(const Plan& plan);

} // namespace slackscope
