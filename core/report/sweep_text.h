// A sweep as tables that a person reads.
#pragma once

#include "core/planner/axis_sweep.h"

#include <string>

namespace slackscope {

// One row per budget of the grid, a column per strategy in percent of the ideal throughput, the bound last.
// `profile`: its name. Ends with a newline.
std::string sweepText(const Sweep& sweep, const std::string& profile);

// The axis of an AxisSweep, for people.
struct AxisWords {
    std::string name;    // "batch"
    std::string unit;    // "samples per step"
    double perUnit = 1;  // axis values in one unit: 1e9 for GB/s
    std::string profile; // its name
    std::string budget;  // how the budget of each row came about: "50.0 % of the unlimited peak"
};

// One row per value; one that makes no step says why.
std::string axisSweepText(const AxisSweep& sweep, const AxisWords& words);

// The answer in one sentence or two, what limits it, and the values that were tried.
std::string largestText(const Largest& largest, const LargestRequest& request, const AxisWords& words);

} // namespace slackscope
