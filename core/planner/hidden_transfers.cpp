#include "core/planner/hidden_transfers.h"

namespace slackscope {

namespace {

// By operator i, minus the time that operators i, i + 1, ... take, forward or backward: both passes run
// through that stretch between a tensor's edge of it and the turn.
std::vector<Nanoseconds> lacking(const StepGraph& graph, bool forward) {
    std::vector<Nanoseconds> lack(static_cast<std::size_t>(graph.operatorCount()) + 1, 0);
    for (OperatorIndex op = graph.operatorCount() - 1; op >= 0; --op) {
        const auto i = static_cast<std::size_t>(op);
        lack[i] = lack[i + 1] - (forward ? graph.op(op).forwardNs : graph.op(op).backwardNs);
    }
    return lack;
}

} // namespace

HiddenTransfers::HiddenTransfers(const StepGraph& graph)
    : graph_(graph), out_(lacking(graph, true)), back_(lacking(graph, false)) {}

bool HiddenTransfers::reserve(TensorIndex t) {
    const std::int32_t ready = graph_.producer(t) + 1; // before this operator's forward
    const std::int32_t due = graph_.firstBackwardUse(t) + 1;
    if (out_.lastAbove(0, ready, -graph_.offloadNs(t)) >= 0 ||
        back_.lastAbove(0, due, -graph_.prefetchNs(t)) >= 0)
        return false;
    take(t);
    return true;
}

void HiddenTransfers::take(TensorIndex t) {
    out_.add(0, graph_.producer(t) + 1, graph_.offloadNs(t));
    back_.add(0, graph_.firstBackwardUse(t) + 1, graph_.prefetchNs(t));
}

} // namespace slackscope
