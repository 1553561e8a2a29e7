// A sweep as tables that a person reads.
#pragma once

#include "core/planner/axis_sweep.h"
#include "core/report/sweep_subject.h"

#include <string>

namespace slackscope {

// One row per budget of the grid, a column per strategy in percent of the ideal throughput, the bound last.
// Ends with a newline.
std::string sweepText(const Sweep& sweep, const SweepSubject& subject);

// The axis of an AxisSweep, for people.
struct AxisWords {
    std::string name;                             // "batch"
    std::string (*value)(std::int64_t) = nullptr; // how a value of it is written
    SweepSubject subject;
    std::string budget; // how the budget of each row came about: "50.0 % of the unlimited peak"
};

// One row per value; one that makes no step says why.
std::string axisSweepText(const AxisSweep& sweep, const AxisWords& words);

// The answer in one sentence or two, what limits it, and the values that were tried.
std::string largestText(const Largest& largest, const LargestRequest& request, const AxisWords& words);

} // namespace slackscope
