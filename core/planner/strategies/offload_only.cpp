// offload-only: the best plan found without recompute; it stalls as it must. Two orders are tried: oldest
// tensor first (most time to hide the copies) and largest first (fewest copies).
#include "core/planner/path_planner.h"

#include <algorithm>

namespace slackscope {

namespace {

class OffloadInOrder final : public PlacementPath {
public:
    OffloadInOrder(std::shared_ptr<const StepGraph> graph, std::vector<TensorIndex> order)
        : graph_(std::move(graph)), order_(std::move(order)), stride_(strideOf(order_.size(), *graph_)) {}
    std::size_t count() const override { return (order_.size() + stride_ - 1) / stride_ + 1; }
    Placement at(std::size_t stop) const override {
        Placement placement = keepEverything(*graph_);
        const std::size_t offloaded = std::min(stop * stride_, order_.size());
        for (std::size_t i = 0; i < offloaded; ++i)
            placement.decisions[static_cast<std::size_t>(order_[i])] = Decision::Offload;
        return placement;
    }

private:
    std::shared_ptr<const StepGraph> graph_;
    std::vector<TensorIndex> order_;
    std::size_t stride_;
};

// As many of `order` as the host holds, in order.
std::vector<TensorIndex> withinHostMemory(const StepGraph& graph, const std::vector<TensorIndex>& order,
                                          Bytes hostLeft) {
    std::vector<TensorIndex> fitting;
    for (const TensorIndex t : order) {
        const Bytes bytes = graph.tensor(t).bytes;
        if (bytes > hostLeft)
            continue;
        hostLeft -= bytes;
        fitting.push_back(t);
    }
    return fitting;
}

PlacementPaths paths(const std::shared_ptr<const StepGraph>& graph, const Pins& pins) {
    const std::vector<char> pinned = pinnedTensors(*graph, pins);
    std::vector<TensorIndex> oldest;
    for (const TensorIndex t : graph->savedTensors()) {
        if (canOffload(*graph, t) && !pinned[static_cast<std::size_t>(t)])
            oldest.push_back(t);
    }
    std::stable_sort(oldest.begin(), oldest.end(),
                     [&](TensorIndex a, TensorIndex b) { return graph->producer(a) < graph->producer(b); });
    std::vector<TensorIndex> largest = oldest;
    std::stable_sort(largest.begin(), largest.end(), [&](TensorIndex a, TensorIndex b) {
        return graph->tensor(a).bytes > graph->tensor(b).bytes;
    });
    const Bytes hostLeft = hostBytesLeft(*graph, pins);
    PlacementPaths made;
    made.push_back(std::make_unique<OffloadInOrder>(graph, withinHostMemory(*graph, oldest, hostLeft)));
    made.push_back(std::make_unique<OffloadInOrder>(graph, withinHostMemory(*graph, largest, hostLeft)));
    return made;
}

} // namespace

extern const StrategyInfo offloadOnlyStrategy;
const StrategyInfo offloadOnlyStrategy{"offload-only", "Offload only",
                                       "the best plan found without recompute; stalls as it must", paths,
                                       6}; // up to 32 more offloads than the ledger asks for

} // namespace slackscope
