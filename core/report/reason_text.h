// Reasons and what-ifs in plain English, for text that leaves the program.
#pragma once

#include "core/planner/reason.h"

#include <string>

namespace slackscope {

// One sentence, without the decision itself.
std::string reasonText(const Reason& reason);
// A fragment that goes behind "cannot be offloaded: ".
std::string obstacleText(Obstacle obstacle);
// "266.1 ms (+0.3 ms)", the difference being to `nowNs`, or why it does not run.
std::string whatIfText(const WhatIf& answer, Nanoseconds nowNs);

} // namespace slackscope
