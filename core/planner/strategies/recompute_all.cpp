// recompute-all: drop everything but layer inputs and recompute layer by layer. Operators outside the layers
// keep what they save. Where a profile names no layers, it is cut into the square root of its length.
#include "core/planner/path_planner.h"
#include "core/planner/segments.h"

#include <cmath>

namespace slackscope {

namespace {

PlacementPaths paths(const std::shared_ptr<const StepGraph>& graph, const Pins& /*pins*/) {
    Segments segments = layerSegments(*graph);
    if (segments.empty())
        segments = evenSegments(*graph, static_cast<std::int32_t>(std::sqrt(graph->operatorCount())));
    std::vector<Placement> stops{checkpoint(*graph, segments, graph->operatorCount())};
    PlacementPaths made;
    made.push_back(std::make_unique<FixedPath>(std::move(stops)));
    return made;
}

} // namespace

extern const StrategyInfo recomputeAllStrategy;
const StrategyInfo recomputeAllStrategy{"recompute-all", "Recompute all",
                                        "drop everything but layer inputs, recompute layer by layer", paths};

} // namespace slackscope
