// Why a plan decides as it does about a tensor: the facts, read from the plan and its simulated timeline, so
// that they hold for every strategy. The words are made elsewhere: core/report for text, ui/ for the window.
#pragma once

#include "core/planner/costs.h"
#include "core/planner/what_if.h"

namespace slackscope {

struct Reason {
    enum class Kind : std::uint8_t {
        Pinned,        // the user fixed the decision
        NoBytes,       // kept: it takes no memory
        NoChoice,      // kept: it can be neither offloaded nor recomputed
        AllFits,       // kept: the budget holds everything
        NotNeeded,     // kept: the plan meets the budget without freeing it
        OnlyOffload,   // offloaded: it cannot be recomputed
        Offloaded,     // offloaded rather than recomputed
        OnlyRecompute, // recomputed: it cannot be offloaded
        Segment,       // recomputed together with its segment
        Recomputed     // recomputed rather than offloaded
    };
    Kind kind = Kind::NotNeeded;
    Decision decision = Decision::Keep;
    Bytes bytes = 0; // of the tensor

    // What the alternatives would take.
    std::optional<Obstacle> toOffload;
    Nanoseconds outNs = 0; // one copy each, latency included
    Nanoseconds backNs = 0;
    std::optional<Obstacle> toRecompute;
    RecomputeCost recompute;
    std::int32_t ranked = 0; // how many tensors have a rank

    // Of the plan.
    Bytes budgetBytes = 0;
    Bytes peakBytes = 0;
    Bytes unlimitedPeakBytes = 0;
    Nanoseconds linkUsedNs = 0; // device to host, of ...
    Nanoseconds linkNs = 0;     // ... what computation can hide
    // How long the step stands still while this tensor's copies run: for memory while it goes out, for a
    // transfer while it comes back. 0: they hide in computation.
    Nanoseconds waitNs = 0;

    // Time of its recompute per MiB of it; 0 where it has no bytes.
    Nanoseconds recomputeNsPerMiB() const;
};

// The reasons of one plan, which is feasible and, like `costs` (by tensor), outlives this.
class Reasons {
public:
    Reasons(const Plan& plan, std::span<const RecomputeCost> costs);

    Reason of(TensorIndex t) const; // a saved tensor

private:
    const Plan& plan_;
    std::span<const RecomputeCost> costs_;
    std::vector<char> pinned_;        // by tensor
    std::vector<Nanoseconds> waitNs_; // by tensor
};

} // namespace slackscope
