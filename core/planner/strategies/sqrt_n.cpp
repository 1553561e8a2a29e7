// sqrt-n: evenly spaced checkpoints, fewest recomputes that fit the budget (Chen et al. 2016). With s
// segments all but the last are recomputed, so fewer segments recompute less and hold more.
#include "core/planner/path_planner.h"
#include "core/planner/segments.h"

#include <algorithm>

namespace slackscope {

namespace {

class EvenCheckpoints final : public PlacementPath {
public:
    explicit EvenCheckpoints(std::shared_ptr<const StepGraph> graph) : graph_(std::move(graph)) {}
    std::size_t count() const override {
        return std::min<std::size_t>(static_cast<std::size_t>(graph_->operatorCount()),
                                     mostStops(*graph_) / 2);
    }
    Placement at(std::size_t stop) const override {
        const auto segments = static_cast<std::int32_t>(stop) + 1;
        return checkpoint(*graph_, evenSegments(*graph_, segments), segments - 1);
    }

private:
    std::shared_ptr<const StepGraph> graph_;
};

PlacementPaths paths(const std::shared_ptr<const StepGraph>& graph, const Pins& /*pins*/) {
    PlacementPaths made;
    made.push_back(std::make_unique<EvenCheckpoints>(graph));
    return made;
}

} // namespace

extern const StrategyInfo sqrtNStrategy;
const StrategyInfo sqrtNStrategy{"sqrt-n", "Square-root checkpoints",
                                 "evenly spaced checkpoints, fewest recomputes that fit the budget", paths};

} // namespace slackscope
