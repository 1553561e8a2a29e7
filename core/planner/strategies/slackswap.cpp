// slackswap: the method of the SlackSwap paper as the simulation model states it. From the profile, take the
// transfer time that computation can hide as a transfer budget; within it, offload the tensors that are
// dearest to recompute per byte; recompute the rest, cheapest per byte first, until the budget is met.
//
// Where tensors are equally dear, the older goes first, to the host (its copy is hidden longer) and to
// recompute (its copy is needed last, when most of the memory is free again).
#include "core/planner/costs.h"
#include "core/planner/path_strategy.h"

#include <algorithm>

namespace slackscope {

namespace {

// Copies below this size pay more for latency than they move: torchtitan and other activation offloaders
// leave them on the device (threshold of 1 MiB there).
constexpr Bytes smallestOffload = Bytes{1} << 20;

// First the offloads one by one, then the recomputes one by one, in strides on large profiles.
class RankedPath final : public PlacementPath {
public:
    RankedPath(std::shared_ptr<const StepGraph> graph, std::vector<TensorIndex> offloads,
               std::vector<TensorIndex> recomputes)
        : graph_(std::move(graph)), offloads_(std::move(offloads)), recomputes_(std::move(recomputes)),
          stride_(std::max<std::size_t>(1, (steps() + mostStops - 1) / mostStops)) {}

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

std::unique_ptr<PreparedStrategy> prepare(std::shared_ptr<const StepGraph> graph, const StopRequested& stop) {
    const std::vector<RecomputeCost> costs = recomputeCosts(*graph);
    const std::vector<TensorIndex> ranked = byRank(*graph, costs);
    const Slack slack = availableSlack(*graph);
    const Link& link = graph->profile().link;
    Nanoseconds outLeft = slack.deviceToHostNs;
    Nanoseconds backLeft = slack.hostToDeviceNs;
    Bytes hostLeft = link.hostMemoryBytes.value_or(unlimitedBudget);
    std::vector<TensorIndex> offloads;
    std::vector<char> offloaded(static_cast<std::size_t>(graph->tensorCount()), 0);
    for (const TensorIndex t : ranked) {
        const Bytes bytes = graph->tensor(t).bytes;
        if (!canOffload(*graph, t) || bytes < smallestOffload || bytes > hostLeft ||
            graph->offloadNs(t) > outLeft || graph->prefetchNs(t) > backLeft)
            continue;
        outLeft -= graph->offloadNs(t);
        backLeft -= graph->prefetchNs(t);
        hostLeft -= bytes;
        offloads.push_back(t);
        offloaded[static_cast<std::size_t>(t)] = 1;
    }
    // Cheapest per byte first; among equals the older first, so the order is not just the ranking reversed.
    std::vector<TensorIndex> recomputes;
    for (const TensorIndex t : ranked) {
        if (!offloaded[static_cast<std::size_t>(t)] && canDrop(*graph, t))
            recomputes.push_back(t);
    }
    std::stable_sort(recomputes.begin(), recomputes.end(), [&](TensorIndex a, TensorIndex b) {
        return Wide{costs[static_cast<std::size_t>(a)].chainNs} * graph->tensor(b).bytes <
               Wide{costs[static_cast<std::size_t>(b)].chainNs} * graph->tensor(a).bytes;
    });
    auto path = std::make_unique<RankedPath>(graph, std::move(offloads), std::move(recomputes));
    return preparePath(std::move(graph), "slackswap", std::move(path), 0, stop);
}

} // namespace

extern const StrategyInfo slackswapStrategy;
const StrategyInfo slackswapStrategy{"slackswap", "SlackSwap",
                                     "offload the dearest within the transfer budget, recompute the cheapest",
                                     prepare};

} // namespace slackscope
