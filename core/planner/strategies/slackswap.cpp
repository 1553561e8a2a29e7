// slackswap: the method of the SlackSwap paper as the simulation model states it. From the profile, take the
// transfer time that computation can hide as a transfer budget; within it, offload the tensors that are
// dearest to recompute per byte; recompute the rest, cheapest per byte first, until the budget is met.
//
// Where tensors are equally dear, the older goes first, to the host (its copy is hidden longer) and to
// recompute (its copy is needed last, when most of the memory is free again).
#include "core/planner/costs.h"
#include "core/planner/ledger_tree.h"
#include "core/planner/path_planner.h"

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

// The transfer time that computation can still hide, as a schedule: copies out have their tensor's readiness
// as release time and the end of the forward pass as deadline; copies back have the start of the backward
// pass as release time and their first backward use as deadline. A set of copies can be hidden if and only
// if, for every moment, the copies that become ready after it fit into what is left of the pass (and in the
// other direction, those due before it fit into what has run); each tree holds what such a stretch lacks.
class HiddenTransfers {
public:
    explicit HiddenTransfers(const StepGraph& graph)
        : graph_(graph), out_(remaining(graph, true)), back_(remaining(graph, false)) {}

    // Reserves the time for both copies of a tensor; false, with nothing reserved, where they cannot be
    // hidden.
    bool reserve(TensorIndex t) {
        const std::int32_t ready = graph_.producer(t) + 1; // before this operator's forward
        const std::int32_t due = graph_.firstBackwardUse(t) + 1;
        if (out_.lastAbove(0, ready, -graph_.offloadNs(t)) >= 0 ||
            back_.lastAbove(0, due, -graph_.prefetchNs(t)) >= 0)
            return false;
        out_.add(0, ready, graph_.offloadNs(t));
        back_.add(0, due, graph_.prefetchNs(t));
        return true;
    }

private:
    // By operator i, minus the time that operators i, i + 1, ... take, forward or backward: both passes run
    // through that stretch between a tensor's edge of it and the turn.
    static std::vector<Nanoseconds> remaining(const StepGraph& graph, bool forward) {
        std::vector<Nanoseconds> left(static_cast<std::size_t>(graph.operatorCount()) + 1, 0);
        for (OperatorIndex op = graph.operatorCount() - 1; op >= 0; --op) {
            const auto i = static_cast<std::size_t>(op);
            left[i] = left[i + 1] - (forward ? graph.op(op).forwardNs : graph.op(op).backwardNs);
        }
        return left;
    }

    const StepGraph& graph_;
    LedgerTree out_;
    LedgerTree back_;
};

PlacementPaths paths(const std::shared_ptr<const StepGraph>& graph, const Pins& pins) {
    const std::vector<RecomputeCost> costs = recomputeCosts(*graph);
    const std::vector<TensorIndex> ranked = byRank(*graph, costs);
    HiddenTransfers hidden(*graph);
    Bytes hostLeft = hostBytesLeft(*graph, pins);
    std::vector<char> decided = pinnedTensors(*graph, pins);
    for (const Pin& pin : pins) {
        if (pin.decision == Decision::Offload)
            hidden.reserve(pin.tensor); // it goes to the host whether hidden or not
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
