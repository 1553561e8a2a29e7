// Up to which size of profile the lower bound is looked for: one place for everybody who shows it. Beyond,
// the ideal time, which is a bound too, stands in.
//
// A command that asks for the bound gets whatever LowerBound itself takes on. What runs in the background, or
// was asked for something else, must end soon when it is stopped, and one solve cannot be interrupted.
// Processor time on transformer layers at half the peak (slackscope sweep --strategies keep-all, with the
// bound less without): 0.1 s for 1,204 operators, 0.2 s for 2,404, 0.3 s for 4,804, 1.2 s for 12,004; 65
// budgets from one solve to the next take 0.9, 2.1 and 4.5 s.
#pragma once

#include "core/planner/lower_bound.h"

namespace slackscope {

inline constexpr std::int32_t mostOperatorsForBoundInBackground = 4'000;

inline bool triesBoundInBackground(const StepGraph& graph) {
    return graph.operatorCount() <= mostOperatorsForBoundInBackground;
}

} // namespace slackscope
