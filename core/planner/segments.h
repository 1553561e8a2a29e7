// Segments of consecutive operators, and the placement that keeps what crosses their borders and recomputes
// what lies inside (Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost", arXiv 1604.06174).
#pragma once

#include "core/planner/lowering.h"

namespace slackscope {

// Segment of each operator; operators that belong to no segment have `none`. Segments are runs of
// neighbours, numbered from 0 in profile order.
using Segments = std::vector<std::int32_t>;

// One segment per layer (a maximal run of operators with the same layer); operators outside the layers belong
// to none. Empty when the profile names no layer.
Segments layerSegments(const StepGraph& graph);

// `count` segments of about equal length, each border moved to the place nearby that the fewest bytes cross.
// 1 <= count <= operators.
Segments evenSegments(const StepGraph& graph, std::int32_t count);

// Drops every saved tensor that stays inside its segment and can be recomputed; keeps, held where nobody
// saves it, each tensor that another segment reads. Segments from `firstKept` on drop nothing.
Placement checkpoint(const StepGraph& graph, const Segments& segments, std::int32_t firstKept);

} // namespace slackscope
