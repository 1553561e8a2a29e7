// A sweep as the tradeoff figure shows it.
#pragma once

#include "core/planner/sweep.h"
#include "ui/figures/tradeoff_curves.h"

namespace slackscope {

// Of a whole sweep or of what one has found so far.
std::shared_ptr<const figures::TradeoffCurves> tradeoffOf(const Sweep& sweep);

// A sweep fine enough to be drawn large: every strategy, the bound, and no step between neighbours that a
// reader could take for one of the curve.
SweepRequest sweepToDraw(const std::shared_ptr<const StepGraph>& graph);

} // namespace slackscope
