#include "core/planner/segments.h"

#include <algorithm>

namespace slackscope {

namespace {

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

// Bytes of the tensors that are made before operator i and read by it or later ones, by i.
std::vector<Bytes> crossingBytes(const StepGraph& graph) {
    std::vector<Bytes> crossing(at(graph.operatorCount()) + 1, 0);
    for (TensorIndex t = 0; t < graph.tensorCount(); ++t) {
        const OperatorIndex producer = graph.producer(t);
        if (producer == none || graph.consumers(t).empty())
            continue;
        crossing[at(producer) + 1] += graph.tensor(t).bytes;
        crossing[at(graph.lastForwardUse(t)) + 1] -= graph.tensor(t).bytes;
    }
    for (std::size_t i = 1; i < crossing.size(); ++i)
        crossing[i] += crossing[i - 1];
    return crossing;
}

} // namespace

Segments layerSegments(const StepGraph& graph) {
    Segments segments(at(graph.operatorCount()), none);
    std::int32_t count = 0;
    for (OperatorIndex op = 0; op < graph.operatorCount(); ++op) {
        const auto layer = graph.op(op).layer;
        if (!layer)
            continue;
        const bool continues = op > 0 && graph.op(op - 1).layer == layer;
        segments[at(op)] = continues ? segments[at(op) - 1] : count++;
    }
    return count > 0 ? segments : Segments{};
}

Segments evenSegments(const StepGraph& graph, std::int32_t count) {
    const std::vector<Bytes> crossing = crossingBytes(graph);
    const std::int64_t operators = graph.operatorCount();
    const std::int64_t reach = operators / (2 * std::int64_t{count}); // half a segment
    Segments segments(at(graph.operatorCount()), 0);
    std::int64_t border = 0;
    for (std::int32_t segment = 1; segment < count; ++segment) {
        const std::int64_t even = operators * segment / count;
        const std::int64_t low = std::max(border + 1, even - reach);
        const std::int64_t high = std::min(operators - count + segment, even + reach);
        border = std::clamp(even, low, std::max(low, high));
        for (std::int64_t i = low; i <= high; ++i) {
            const auto better = [&](std::int64_t a, std::int64_t b) {
                const Bytes bytesA = crossing[static_cast<std::size_t>(a)];
                const Bytes bytesB = crossing[static_cast<std::size_t>(b)];
                return bytesA != bytesB ? bytesA < bytesB : std::abs(a - even) < std::abs(b - even);
            };
            if (better(i, border))
                border = i;
        }
        for (std::int64_t i = border; i < operators; ++i)
            segments[static_cast<std::size_t>(i)] = segment;
    }
    return segments;
}

Placement checkpoint(const StepGraph& graph, const Segments& segments, std::int32_t firstKept) {
    Placement placement = keepEverything(graph);
    placement.segments.assign(at(graph.operatorCount()), 0);
    // Operators outside every segment get numbers of their own, in order, so that neighbours stay apart.
    std::int32_t number = 0;
    for (OperatorIndex op = 0; op < graph.operatorCount(); ++op) {
        if (op > 0 && segments[at(op)] != segments[at(op) - 1])
            ++number;
        placement.segments[at(op)] = number;
    }
    const auto drops = [&](std::int32_t segment) { return segment != none && segment < firstKept; };
    for (TensorIndex t = 0; t < graph.tensorCount(); ++t) {
        const OperatorIndex producer = graph.producer(t);
        if (producer == none)
            continue;
        const std::int32_t home = segments[at(producer)];
        bool leaves = false; // another segment reads it, in a forward that runs again or in a backward
        bool readAgain = false;
        for (const OperatorIndex consumer : graph.consumers(t)) {
            if (segments[at(consumer)] != home) {
                leaves = true;
                readAgain = readAgain || drops(segments[at(consumer)]);
            }
        }
        for (const OperatorIndex saver : graph.savers(t))
            leaves = leaves || segments[at(saver)] != home;
        if (!leaves && drops(home) && canDrop(graph, t))
            placement.decisions[at(t)] = Decision::Recompute;
        else if (readAgain && graph.tensor(t).bytes > 0)
            placement.decisions[at(t)] = Decision::Keep;
    }
    return placement;
}

} // namespace slackscope
