// What a strategy answers: a simulated program that meets the budget, or why there is none.
#pragma once

#include "core/planner/placement.h"
#include "core/simulator/simulator.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slackscope {

// Transfer time that computation can hide, per direction, and what a plan uses of it (copy durations, latency
// included). Offloads can be hidden from the moment the first saved tensor is ready to the end of the forward
// pass: whatever is still in flight then holds memory at the peak. Prefetches can be hidden from the start of
// the backward pass to the last backward that reads a saved tensor.
struct Slack {
    Nanoseconds deviceToHostNs = 0;
    Nanoseconds hostToDeviceNs = 0;
    Nanoseconds usedDeviceToHostNs = 0;
    Nanoseconds usedHostToDeviceNs = 0;
};

// The slack of a profile, nothing used yet.
Slack availableSlack(const StepGraph& graph);

// A program and its simulation: one cannot be read without the other.
struct Simulated {
    Program program;
    Timeline timeline;
};

// The operator that sets the minimum budget: `needsBytes` must be resident while it runs, whatever of the
// strategy's choices is made.
struct Blocked {
    OperatorIndex op = none;
    Bytes needsBytes = 0;
};

struct Plan {
    std::string strategy; // id
    std::shared_ptr<const StepGraph> graph;
    Bytes budgetBytes = 0;
    Bytes unlimitedPeakBytes = 0;
    Bytes minimumBudgetBytes = 0;       // smallest budget at which this strategy finds a program
    std::optional<Simulated> simulated; // absent: infeasible
    std::optional<Blocked> blocked;     // present when infeasible
    // By tensor: Offload whenever a copy of it goes to the host; Keep for tensors that no backward reads.
    std::vector<Decision> decisions;
    Pins pins; // what the user had fixed
    // What was lowered and the room it was simulated in: all it takes to run it again, or nearly the same.
    // Infeasible: everything kept but for the pins, and no room.
    Placement placement;
    Bytes roomBytes = 0; // at most the budget
    Slack slack;
    Bytes offloadedBytes = 0;
    Nanoseconds lowerBoundNs = 0; // no program can be faster at this budget

    bool feasible() const { return simulated.has_value(); }
    Nanoseconds stepNs() const { return simulated ? simulated->timeline.stepNs : 0; } // 0: infeasible
    // Ideal time / step time: 1 is ideal, 0 infeasible. A step that takes no time at all is ideal.
    double throughputOfIdeal() const;
};

} // namespace slackscope
