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
// pinned to recompute are taken to run again from the start. Tensors whose chains (costs.h) are so long that
// all chains together would exceed `longestChains` operators stand in none.
std::vector<DropGroup> dropGroups(const StepGraph& graph, const Pins& pins);

inline constexpr std::size_t longestChains = 4'000'000;

} // namespace slackscope
