#include "core/planner/costs.h"

#include <algorithm>

namespace slackscope {

namespace {

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

} // namespace

std::vector<RecomputeCost> recomputeCosts(const StepGraph& graph) {
    std::vector<RecomputeCost> costs(at(graph.tensorCount()));
    std::vector<TensorIndex> seen(at(graph.operatorCount()), none); // by operator: whose chain holds it
    std::vector<TensorIndex> stack;
    for (const TensorIndex saved : graph.savedTensors()) {
        if (!graph.canRecompute(saved))
            continue;
        RecomputeCost& cost = costs[at(saved)];
        stack.push_back(saved);
        while (!stack.empty()) {
            const OperatorIndex producer = graph.producer(stack.back());
            stack.pop_back();
            if (seen[at(producer)] == saved)
                continue;
            seen[at(producer)] = saved;
            if (cost.chainLength == longestChain) {
                cost = {};
                stack.clear();
                break;
            }
            cost.chainNs += graph.op(producer).forwardNs;
            ++cost.chainLength;
            for (const TensorIndex input : graph.inputs(producer)) {
                if (graph.producer(input) != none && !graph.isSaved(input))
                    stack.push_back(input);
            }
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
