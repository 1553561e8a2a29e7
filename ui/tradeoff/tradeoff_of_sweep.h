// A sweep as the tradeoff figure shows it.
#pragma once

#include "core/planner/sweep.h"
#include "ui/figures/tradeoff_curves.h"

#include <functional>

namespace slackscope {

// Of a whole sweep or of what one has found so far.
std::shared_ptr<const figures::TradeoffCurves> tradeoffOf(const Sweep& sweep);

// Every strategy, fine enough to be drawn large, and, up to the size of bound_policy.h, the bound.
// `progressed` is told 0 to 1; nullopt: `stop` asked for an end.
std::optional<Sweep> sweepToDraw(const std::shared_ptr<const StepGraph>& graph, const Pins& pins,
                                 const std::function<void(double)>& progressed, const StopRequested& stop);

} // namespace slackscope
