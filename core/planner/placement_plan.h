// From a placement to the plan that it makes.
#pragma once

#include "core/planner/lowering.h"
#include "core/planner/pins.h"
#include "core/planner/plan.h"

#include <string_view>

namespace slackscope {

// Simulates a placement whose ledger peak is within `room`, and fills in the plan but for the pins, the
// unlimited peak and the minimum budget; its budget is `room`. Throws std::logic_error if the lowering broke
// its word (a fault of ours), as does the next.
Plan simulatePlacement(Lowering& lowering, const Placement& placement, Bytes room, std::string_view strategy);

// The step time alone. `storage` is used from call to call.
Nanoseconds simulatedStepNs(Lowering& lowering, const Placement& placement, Bytes room, Timeline& storage);
// The same, of the placement whose peak `lowering` was asked for last.
Nanoseconds walkedStepNs(Lowering& lowering, const Placement& placement, Bytes room, Timeline& storage);

// The plan of a budget that no placement meets; `least` is the peak of the one that comes closest.
Plan infeasiblePlan(const Lowering& lowering, const Pins& pins, Bytes budget, const LedgerPeak& least,
                    std::string_view strategy);

} // namespace slackscope
