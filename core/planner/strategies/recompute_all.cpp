// recompute-all: drop everything but layer inputs and recompute layer by layer. Operators outside the layers
// keep what they save. Where a profile names no layers, it is cut into the square root of its length.
#include "core/planner/path_strategy.h"
#include "core/planner/segments.h"

#include <cmath>

namespace slackscope {

namespace {

std::unique_ptr<PreparedStrategy> prepare(std::shared_ptr<const StepGraph> graph, const StopRequested& stop) {
    Segments segments = layerSegments(*graph);
    if (segments.empty())
        segments = evenSegments(*graph, static_cast<std::int32_t>(std::sqrt(graph->operatorCount())));
    std::vector<Placement> stops{checkpoint(*graph, segments, graph->operatorCount())};
    auto path = std::make_unique<FixedPath>(std::move(stops));
    return preparePath(std::move(graph), "recompute-all", std::move(path), 0, stop);
}

} // namespace

extern const StrategyInfo recomputeAllStrategy;
const StrategyInfo recomputeAllStrategy{
    "recompute-all", "Recompute all", "drop everything but layer inputs, recompute layer by layer", prepare};

} // namespace slackscope
