// The transfer time that computation can hide, as a schedule.
//
// Copies out have their tensor's readiness as release time and the end of the forward pass as deadline;
// copies back have the start of the backward pass as release time and their first backward use as deadline.
// A set of copies can be hidden if and only if, for every moment, the copies that become ready after it fit
// into what is left of the pass (and in the other direction, those due before it fit into what has run); each
// tree holds what such a stretch lacks.
#pragma once

#include "core/planner/ledger_tree.h"
#include "core/profile/step_graph.h"

namespace slackscope {

// Copies below this size pay more for latency than they move: torchtitan and other activation offloaders
// leave them on the device (threshold of 1 MiB there).
inline constexpr Bytes smallestOffload = Bytes{1} << 20;

class HiddenTransfers {
public:
    explicit HiddenTransfers(const StepGraph& graph); // which must outlive it

    // Reserves the time for both copies of a saved tensor; false, with nothing reserved, where they cannot be
    // hidden. O(log operators).
    bool reserve(TensorIndex t);
    // Takes the time for both copies whether they can be hidden or not: they will run.
    void take(TensorIndex t);

private:
    const StepGraph& graph_;
    LedgerTree out_;
    LedgerTree back_;
};

} // namespace slackscope
