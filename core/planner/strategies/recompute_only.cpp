// recompute-only: the best plan found without the link. A greedy knapsack over recompute time per byte that
// knows what recomputes share, and for where working sets leave little room the checkpoints of sqrt-n and
// recompute-all.
#include "core/planner/group_path.h"
#include "core/planner/path_planner.h"
#include "core/planner/segments.h"

namespace slackscope {

extern const StrategyInfo sqrtNStrategy;
extern const StrategyInfo recomputeAllStrategy;

namespace {

PlacementPaths paths(const std::shared_ptr<const StepGraph>& graph, const Pins& pins) {
    PlacementPaths made;
    made.push_back(groupPath(graph, pins, Offloads::None));
    for (const StrategyInfo* checkpoints : {&sqrtNStrategy, &recomputeAllStrategy}) {
        for (auto& path : checkpoints->paths(graph, pins))
            made.push_back(std::move(path));
    }
    return made;
}

} // namespace

extern const StrategyInfo recomputeOnlyStrategy;
const StrategyInfo recomputeOnlyStrategy{"recompute-only", "Recompute only",
                                         "the best plan found without the link: cheapest recomputes per byte",
                                         paths, 2}; // freeing more only costs more, but for uneven peaks

} // namespace slackscope
