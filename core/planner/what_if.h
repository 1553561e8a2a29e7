// What if: one tensor of a plan kept, offloaded or recomputed instead, each really simulated.
#pragma once

#include "core/planner/plan.h"
#include "core/planner/strategy.h"

#include <array>
#include <optional>

namespace slackscope {

// Why a decision is not possible for a tensor, whatever the budget.
enum class Obstacle : std::uint8_t {
    NotSaved,       // no backward reads it: there is nothing to decide
    NoBytes,        // it takes no memory, so nothing would be freed
    NoGap,          // nothing runs between its last forward and its first backward use
    NoHost,         // the host takes no tensors at all
    HostTooSmall,   // the host holds less than this tensor
    ProfileInput,   // made by no operator of the step
    NotRecomputable // its operator, or one before it, may not run again
};

// Nothing: the decision is possible. O(1).
std::optional<Obstacle> obstacleTo(const StepGraph& graph, TensorIndex t, Decision decision);

struct WhatIf {
    enum class Outcome : std::uint8_t {
        Runs,       // in `stepNs`
        OverBudget, // the budget is `missingBytes` too small for it
        HostFull,   // the host is `missingBytes` too small for it beside the other offloads
        Endless,    // it recomputes so much that no budget runs it (LedgerPeak)
        Impossible  // because of `obstacle`
    };
    Outcome outcome = Outcome::Impossible;
    Nanoseconds stepNs = 0;
    Bytes missingBytes = 0;
    Obstacle obstacle = Obstacle::NotSaved;
    bool operator==(const WhatIf&) const = default;
};
using WhatIfs = std::array<WhatIf, allDecisions.size()>; // by decision

// The rest held: the plan's own placement with this one decision changed, in the room of the plan, or, where
// that is too small, in the whole budget. The plan's own decision takes the plan's own step time. `plan` is
// feasible. Nothing when `stop` asked for an end.
std::optional<WhatIfs> whatIfHeld(const Plan& plan, TensorIndex t, const StopRequested& stop);

// The rest planned again: the plan's strategy with this decision pinned beside the other pins, refined at the
// plan's budget; or the rest held, where that is faster. The plan's own decision may come out otherwise than
// in the plan: a pin can change what the strategy tries. Nothing when `stop` asked for an end.
std::optional<WhatIfs> whatIfReplanned(const Plan& plan, TensorIndex t, const StopRequested& stop);

} // namespace slackscope
