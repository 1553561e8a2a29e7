// What a plan decides, before it is lowered to instructions, and what the user has fixed of it.
#pragma once

#include "core/planner/decision.h"
#include "core/profile/profile.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace slackscope {

// What becomes of a tensor between two of its reads.
enum class Between : std::uint8_t { Stays, Fetched, Recomputed }; // Fetched, Recomputed: released until then

// What a placement says of a tensor besides its decision.
struct Detour {
    static constexpr int furthestAhead = 16;

    // Released in the longest gap between its forward uses (its producer counted), and prefetched for the
    // next.
    bool awayInForward = false;
    // Where it is released and a recompute reads or writes it, it is released again right after.
    bool brief = false;
    // Recomputed so many backwards before the one that reads it, which may hide a transfer.
    std::uint8_t ahead = 0;
    // After its first backward use, after its second, and after each later one.
    std::array<Between, 3> backward{};

    bool operator==(const Detour&) const = default;
    Between afterUse(std::size_t use) const {
        return backward[use < backward.size() ? use : backward.size() - 1];
    }
};

struct Placement {
    // By tensor. For a tensor that no backward reads, Recompute is the ordinary case (released after its last
    // forward use) and Keep holds it until the last recompute that reads it.
    std::vector<Decision> decisions;
    // By operator: its segment, or empty. The first need inside a segment recomputes all that the backwards
    // of that segment read, each operator once. Without segments, each need is met alone.
    std::vector<std::int32_t> segments;
    // By tensor, or empty: none.
    std::vector<Detour> detours;

    // Whether a copy of the tensor goes to the host.
    bool offloads(TensorIndex t) const {
        const auto i = static_cast<std::size_t>(t);
        if (decisions[i] == Decision::Offload || detours.empty())
            return decisions[i] == Decision::Offload;
        const auto& backward = detours[i].backward;
        return detours[i].awayInForward ||
               std::find(backward.begin(), backward.end(), Between::Fetched) != backward.end();
    }
};

// A decision that the user has fixed.
struct Pin {
    TensorIndex tensor = -1;
    Decision decision = Decision::Keep;
    bool operator==(const Pin&) const = default;
};

using Pins = std::vector<Pin>; // at most one per tensor

} // namespace slackscope
