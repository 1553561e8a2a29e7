// slackswap: the method of the SlackSwap paper as the simulation model states it. From the profile, take the
// transfer time that computation can hide as a transfer budget; within it, offload the tensors that are
// dearest to recompute per byte; recompute the rest, cheapest per byte first, until the budget is met.
//
// Where tensors are equally dear, the older goes first, to the host (its copy is hidden longer) and to
// recompute (its copy is needed last, when most of the memory is free again).
#include "core/planner/costs.h"
#include "core/planner/hidden_transfers.h"
#include "core/planner/path_planner.h"

#include <algorithm>

namespace slackscope {

namespace {

// First the offloads one by one, then the recomputes one by one, in strides on large profiles.
class RankedPath final : public PlacementPath {
public:
    RankedPath(std::shared_ptr<const StepGraph> graph, std::vector<TensorIndex> offloads,
               std::vector<TensorIndex> recomputes)
        : graph_(std::move(graph)), offloads_(std::move(offloads)), recomputes_(std::move(recomputes)),
          stride_(strideOf(steps(), *graph_)) {}

    std::size_t count() const override { return (steps() + stride_ - 1) / stride_ + 1; }

    Placement at(std::size_t stop) const override {
        Placement placement = keepEverything(*graph_);
        const std::size_t taken = std::min(stop * stride_, steps());
        for (std::size_t i = 0; i < taken; ++i) {
            if (i < offloads_.size())
                placement.decisions[static_cast<std::size_t>(offloads_[i])] = Decision::Offload;
            else
                placement.decisions[static_cast<std::size_t>(recomputes_[i - offloads_.size()])] =
                    Decision::Recompute;
        }
        return placement;
    }

private:
    std::size_t steps() const { return offloads_.size() + recomputes_.size(); }

    std::shared_ptr<const StepGraph> graph_;
    std::vector<TensorIndex> offloads_;
    std::vector<TensorIndex> recomputes_;
    std::size_t stride_;
};

PlacementPaths paths(const std::shared_ptr<const StepGraph>& graph, const Pins& pins) {
    const std::vector<RecomputeCost> costs = recomputeCosts(*graph);
    const std::vector<TensorIndex> ranked = byRank(*graph, costs);
    HiddenTransfers hidden(*graph);
    Bytes hostLeft = hostBytesLeft(*graph, pins);
    std::vector<char> decided = pinnedTensors(*graph, pins);
    for (const Pin& pin : pins) {
        if (pin.decision == Decision::Offload)
            hidden.take(pin.tensor);
    }
    std::vector<TensorIndex> offloads;
    for (const TensorIndex t : ranked) {
        const Bytes bytes = graph->tensor(t).bytes;
        if (decided[static_cast<std::size_t>(t)] || !canOffload(*graph, t) || bytes < smallestOffload ||
            bytes > hostLeft || !hidden.reserve(t))
            continue;
        hostLeft -= bytes;
        offloads.push_back(t);
        decided[static_cast<std::size_t>(t)] = 1;
    }
    // Cheapest per byte first; among equals the older first, so the order is not just the ranking reversed.
    std::vector<TensorIndex> recomputes;
    for (const TensorIndex t : ranked) {
        if (!decided[static_cast<std::size_t>(t)] && canDrop(*graph, t) &&
            costs[static_cast<std::size_t>(t)].chainLength > 0)
            recomputes.push_back(t);
    }
    std::stable_sort(recomputes.begin(), recomputes.end(), [&](TensorIndex a, TensorIndex b) {
        return Wide{costs[static_cast<std::size_t>(a)].chainNs} * graph->tensor(b).bytes <
               Wide{costs[static_cast<std::size_t>(b)].chainNs} * graph->tensor(a).bytes;
    });
    PlacementPaths made;
    made.push_back(std::make_unique<RankedPath>(graph, std::move(offloads), std::move(recomputes)));
    return made;
}

} // namespace

extern const StrategyInfo slackswapStrategy;
const StrategyInfo slackswapStrategy{"slackswap", "SlackSwap",
                                     "offload the dearest within the transfer budget, recompute the cheapest",
                                     paths, 8}; // until the budget is met with the offloads in flight

} // namespace slackscope
