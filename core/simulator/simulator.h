// Runs a program under a budget: the only source of times and bytes (simulation model).
//
// Three in-order streams are advanced in time order. Compute goes first where compute and a prefetch could
// both start at one instant; with a half-duplex link, offloads go before prefetches. Integer time, no
// randomness: the same program and budget give the same timeline everywhere.
#pragma once

#include "core/program/program.h"

#include <limits>

namespace slackscope {

inline constexpr Bytes unlimitedBudget = std::numeric_limits<Bytes>::max();

// The resident-bytes step function: `residentBytes` from `atNs` to the next point.
struct MemoryPoint {
    Nanoseconds atNs = 0;
    Bytes residentBytes = 0;
    bool operator==(const MemoryPoint&) const = default;
};

struct Timeline {
    std::vector<Nanoseconds> computeStartNs; // by compute item; ends = start + duration of the step
    std::vector<Nanoseconds> offloadStartNs;
    std::vector<Nanoseconds> prefetchStartNs;
    std::vector<MemoryPoint> memory; // one point at every instant at which the sum changes
    Nanoseconds stepNs = 0;          // end of the last compute item
    Nanoseconds recomputedNs = 0;    // sum of the recomputes
    Nanoseconds memoryStallNs = 0;   // compute idle for want of room
    Nanoseconds transferStallNs = 0; // compute idle for a prefetch that had not landed
    Bytes peakBytes = 0;
    bool operator==(const Timeline&) const = default;
};

enum class StallCause : std::uint8_t { Memory, Transfer };

// A program that cannot go on: the compute item that waits, what it asks for and what is free.
struct Deadlock {
    std::int32_t computeItem = none;
    Bytes needsBytes = 0;
    Bytes freeBytes = 0;
    StallCause cause = StallCause::Memory;
};

// O(items) time; working memory is the result and nothing else. `storage` is an old timeline whose memory is
// used again: on large programs most of the time would go into fresh pages.
tl::expected<Timeline, Deadlock> simulate(const Program& program, Bytes budget = unlimitedBudget,
                                          Timeline storage = {});

// --- Reading a timeline -------------------------------------------------------------------------------

struct Interval {
    Nanoseconds fromNs = 0;
    Nanoseconds toNs = 0;
    bool operator==(const Interval&) const = default;
};

Interval computeInterval(const Program& program, const Timeline& timeline, std::int32_t item);
Interval offloadInterval(const Program& program, const Timeline& timeline, std::int32_t item);
Interval prefetchInterval(const Program& program, const Timeline& timeline, std::int32_t item);

// When a residency of `program` opens and closes.
Interval residencyInterval(const Program& program, const Timeline& timeline, const Residency& residency);

// A stretch of compute idle time before compute item `item`. Where both causes apply, the wait is for
// transfer until the prefetch has landed and for memory after that.
struct Stall {
    Nanoseconds fromNs = 0;
    Nanoseconds toNs = 0;
    StallCause cause = StallCause::Memory;
    std::int32_t item = none;
};
std::vector<Stall> stalls(const Program& program, const Timeline& timeline);

} // namespace slackscope
