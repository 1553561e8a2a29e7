// keep-all: the reference. Nothing leaves device memory between its forward and its backward.
#include "core/planner/path_strategy.h"

namespace slackscope {

namespace {

std::unique_ptr<PreparedStrategy> prepare(std::shared_ptr<const StepGraph> graph, const StopRequested& stop) {
    auto path = std::make_unique<FixedPath>(std::vector<Placement>{keepEverything(*graph)});
    return preparePath(std::move(graph), "keep-all", std::move(path), 0, stop);
}

} // namespace

extern const StrategyInfo keepAllStrategy;
const StrategyInfo keepAllStrategy{"keep-all", "Keep all", "the reference: no activation leaves the device",
                                   prepare};

} // namespace slackscope
