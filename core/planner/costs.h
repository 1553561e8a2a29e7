// What it costs to recompute each saved tensor, and the order that follows.
#pragma once

#include "core/profile/step_graph.h"

namespace slackscope {

// A chain beyond this is not worth a recompute, and following such chains would take quadratic time.
inline constexpr std::size_t longestChain = 10'000;

// Finds chains, one after another, in time of their length.
class ChainFinder {
public:
    explicit ChainFinder(const StepGraph& graph); // which must outlive it

    // Operators that run again to recompute the tensor, its producer first; every other saved tensor is taken
    // to be there. Empty: it cannot be recomputed, or only by too many. Valid to the next call, which is for
    // another tensor.
    const std::vector<OperatorIndex>& chainOf(TensorIndex t);

private:
    void add(OperatorIndex op, TensorIndex forTensor);

    const StepGraph& graph_;
    std::vector<TensorIndex> seen_; // by operator: the tensor whose chain held it last
    std::vector<OperatorIndex> chain_;
};

// One chain.
std::vector<OperatorIndex> recomputeChain(const StepGraph& graph, TensorIndex t);

// Alone: every other saved tensor is taken to be there, so that the chain runs through transient tensors
// only.
struct RecomputeCost {
    Nanoseconds chainNs = 0;      // forward time of every operator that must run again
    std::int32_t chainLength = 0; // how many these are; 0: it cannot be recomputed, or only by too many
    std::int32_t rank = 0;        // 1 = dearest to recompute per byte; 0: not a saved tensor
};

// By tensor. Tensors that cannot be recomputed rank first, those of no bytes last; ties go to the earlier
// tensor.
std::vector<RecomputeCost> recomputeCosts(const StepGraph& graph);

// Saved tensors by rank: dearest to recompute per byte first.
std::vector<TensorIndex> byRank(const StepGraph& graph, std::span<const RecomputeCost> costs);

} // namespace slackscope
