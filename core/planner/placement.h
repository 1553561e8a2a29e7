// What a plan decides, before it is lowered to instructions, and what the user has fixed of it.
#pragma once

#include "core/planner/decision.h"
#include "core/profile/profile.h"

#include <vector>

namespace slackscope {

struct Placement {
    // By tensor. For a tensor that no backward reads, Recompute is the ordinary case (released after its last
    // forward use) and Keep holds it until the last recompute that reads it.
    std::vector<Decision> decisions;
    // By operator: its segment, or empty. The first need inside a segment recomputes all that the backwards
    // of that segment read, each operator once. Without segments, each need is met alone.
    std::vector<std::int32_t> segments;
    // By tensor, or empty: offloaded or dropped tensors that are released after each backward (or recompute)
    // that reads them, and prefetched or recomputed again for the next, instead of staying to the last.
    std::vector<char> letGo;
};

// A decision that the user has fixed.
struct Pin {
    TensorIndex tensor = -1;
    Decision decision = Decision::Keep;
    bool operator==(const Pin&) const = default;
};

using Pins = std::vector<Pin>; // at most one per tensor

} // namespace slackscope
