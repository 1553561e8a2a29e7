// keep-all: the reference. Nothing leaves device memory between its forward and its backward.
#include "core/planner/path_planner.h"

namespace slackscope {

namespace {

PlacementPaths paths(const std::shared_ptr<const StepGraph>& graph, const Pins& /*pins*/) {
    PlacementPaths made;
    made.push_back(std::make_unique<FixedPath>(std::vector<Placement>{keepEverything(*graph)}));
    return made;
}

} // namespace

extern const StrategyInfo keepAllStrategy;
const StrategyInfo keepAllStrategy{"keep-all", "Keep all", "the reference: no activation leaves the device",
                                   paths};

} // namespace slackscope
