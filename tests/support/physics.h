// Asks of a simulated plan whether it could have happened: the rules of the simulation model, checked from
// the events and residencies alone. Knows nothing of how the plan was made or simulated.
#pragma once

#include "core/planner/plan.h"

#include <string>
#include <vector>

namespace slackscope::test {

// One sentence per broken rule, at most 20; empty when the program's run could have happened.
std::vector<std::string> violations(const Program& program, const Timeline& timeline, Bytes budget);

// The same for a plan, its totals and its decisions; an infeasible plan must have a minimum above its budget.
std::vector<std::string> violations(const Plan& plan);

// The sentences on lines of their own, for messages.
std::string joined(const std::vector<std::string>& lines);

} // namespace slackscope::test
