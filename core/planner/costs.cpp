#include "core/planner/costs.h"

#include <algorithm>

namespace slackscope {

namespace {

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

} // namespace

ChainFinder::ChainFinder(const StepGraph& graph) : graph_(graph), seen_(at(graph.operatorCount()), none) {}

const std::vector<OperatorIndex>& ChainFinder::chainOf(TensorIndex t) {
    chain_.clear();
    if (!graph_.canRecompute(t))
        return chain_;
    add(graph_.producer(t), t);
    for (std::size_t i = 0; i < chain_.size(); ++i) {
        if (chain_.size() > longestChain) {
            chain_.clear();
            break;
        }
        for (const TensorIndex input : graph_.inputs(chain_[i])) {
            if (graph_.producer(input) != none && !graph_.isSaved(input))
                add(graph_.producer(input), t);
        }
    }
    return chain_;
}

void ChainFinder::add(OperatorIndex op, TensorIndex forTensor) {
    if (seen_[at(op)] == forTensor)
        return;
    seen_[at(op)] = forTensor;
    chain_.push_back(op);
}

std::vector<OperatorIndex> recomputeChain(const StepGraph& graph, TensorIndex t) {
    return ChainFinder(graph).chainOf(t);
}

std::vector<RecomputeCost> recomputeCosts(const StepGraph& graph) {
    std::vector<RecomputeCost> costs(at(graph.tensorCount()));
    ChainFinder finder(graph);
    for (const TensorIndex saved : graph.savedTensors()) {
        RecomputeCost& cost = costs[at(saved)];
        for (const OperatorIndex op : finder.chainOf(saved)) {
            cost.chainNs += graph.op(op).forwardNs;
            ++cost.chainLength;
        }
    }
    std::int32_t rank = 0;
    for (const TensorIndex t : byRank(graph, costs))
        costs[at(t)].rank = ++rank;
    return costs;
}

std::vector<TensorIndex> byRank(const StepGraph& graph, std::span<const RecomputeCost> costs) {
    std::vector<TensorIndex> order(graph.savedTensors().begin(), graph.savedTensors().end());
    std::stable_sort(order.begin(), order.end(), [&](TensorIndex a, TensorIndex b) {
        const RecomputeCost& costA = costs[at(a)];
        const RecomputeCost& costB = costs[at(b)];
        if ((costA.chainLength == 0) != (costB.chainLength == 0))
            return costA.chainLength == 0;
        // Nothing is won with tensors of no bytes, and no ratio orders them.
        if ((graph.tensor(a).bytes == 0) != (graph.tensor(b).bytes == 0))
            return graph.tensor(b).bytes == 0;
        // a's time per byte above b's, without a division
        return Wide{costA.chainNs} * graph.tensor(b).bytes > Wide{costB.chainNs} * graph.tensor(a).bytes;
    });
    return order;
}

} // namespace slackscope
