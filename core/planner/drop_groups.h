// In which order tensors are worth recomputing, when recomputes share operators.
#pragma once

#include "core/planner/pins.h"

namespace slackscope {

// Tensors that become free of charge together: once the operators that recompute one of them run again, so
// do those of the others.
struct DropGroup {
    std::vector<TensorIndex> tensors;
    Nanoseconds recomputedNs = 0; // of the operators that no earlier group runs again
    Bytes bytes = 0;              // of the tensors
};

// Groups in the order of a greedy knapsack: always the least recomputed time per byte next, given what runs
// again already. Each tensor that can be dropped and is not pinned stands in at most one group; tensors
// pinned to recompute are taken to run again from the start. Tensors with chains (costs.h) of more than
// `longestGroupChain` operators stand in none; on very large profiles with much to share, prices are at some
// point no longer brought up to date.
std::vector<DropGroup> dropGroups(const StepGraph& graph, const Pins& pins);

inline constexpr std::size_t longestGroupChain = 256;

} // namespace slackscope
