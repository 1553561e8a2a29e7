// Paths of placements, what each of their stops takes, and how fast the best of them runs.
//
// Rooms. A budget is used down to the next lower of a fixed set of values, its room: the ledger peaks of all
// stops and every half percent of the unlimited peak. So paths have finitely many plans, whatever budgets are
// asked for, and `optimized` can look at all that might be faster than its own: that is how it is never
// slower than any of them, nor at a larger budget slower than at a smaller one.
#pragma once

#include "core/planner/lowering.h"
#include "core/planner/strategy.h"

#include <optional>
#include <unordered_map>

namespace slackscope {

// A path of placements made beforehand.
class FixedPath final : public PlacementPath {
public:
    explicit FixedPath(std::vector<Placement> stops) : stops_(std::move(stops)) {}
    std::size_t count() const override { return stops_.size(); }
    Placement at(std::size_t stop) const override { return stops_[stop]; }

private:
    std::vector<Placement> stops_;
};

// Stops that a path should have at most, for their peaks are computed one by one: 512, fewer on large
// profiles. Longer paths take bigger strides: how many steps go into one stop (>= 1).
std::size_t mostStops(const StepGraph& graph);
std::size_t strideOf(std::size_t steps, const StepGraph& graph);

// The larger of `peak` and the largest half percent of the unlimited peak (up to twice it) that is within the
// budget: a room of every PathPlanner with such a stop.
Bytes standardRoom(Bytes peak, Bytes budget, Bytes unlimitedPeak);

class PathPlanner {
public:
    PathPlanner(std::shared_ptr<const StepGraph> graph, Pins pins, PlacementPaths paths,
                std::size_t lookAhead);

    // Computes the ledger peak of every stop; false when stopped. Everything else comes after it.
    bool findPeaks(const StopRequested& stop);

    Lowering& lowering() { return lowering_; }
    const Pins& pins() const { return pins_; }
    Bytes unlimitedPeak() const { return unlimitedPeak_; }
    const LedgerPeak& least() const { return least_; } // of all stops
    Placement leastPlacement() const { return placementAt(leastPath_, leastStop_); }

    // One stop, run in one room.
    struct Choice {
        std::size_t path = 0;
        std::size_t stop = 0;
        Bytes room = 0;
        Nanoseconds stepNs = 0;
    };
    // The largest room that is at most `budget`, by index; -1: no stop fits the budget.
    std::int32_t roomWithin(Bytes budget) const;
    // The fastest of each path's first stop that fits the room (where peaks do not fall all along the path:
    // of every first one of a row that fits) and of `lookAhead` more, 1, 2, 4, ... stops beyond it: the
    // ledger takes copies as instantaneous, and freeing a little more than it asks for can save a stall. Only
    // choices faster than `cutoffNs` count; where none is, nothing.
    std::optional<Choice> best(std::int32_t room, Nanoseconds cutoffNs);
    // No choice in this room or a smaller one is faster.
    Nanoseconds optimisticNs(std::int32_t room);
    Placement placementOf(const Choice& choice) const { return placementAt(choice.path, choice.stop); }

private:
    struct Stop {
        LedgerPeak peak;
        // Of this stop and all beyond: the least recomputed time of those that recompute, and whether some
        // recompute nothing.
        Nanoseconds recomputedFromNs = 0;
        bool someWithout = false;
    };
    Placement placementAt(std::size_t path, std::size_t stop) const;
    Nanoseconds transferLimitNs(std::int32_t room);
    Nanoseconds stepNs(std::size_t path, std::size_t stop, std::int32_t room);

    Lowering lowering_;
    Pins pins_;
    PlacementPaths paths_;
    std::size_t lookAhead_;
    std::vector<std::vector<Stop>> stops_; // by path and stop
    // By room: a step without recomputes takes at least this; 0: not asked for yet.
    std::vector<Nanoseconds> transferLimits_;
    std::vector<Bytes> rooms_;                             // ascending, all of at least the least peak
    std::unordered_map<std::uint64_t, Nanoseconds> known_; // step times by path, stop and room
    LedgerPeak least_;
    std::size_t leastPath_ = 0;
    std::size_t leastStop_ = 0;
    Bytes unlimitedPeak_ = 0;
    Timeline storage_;
};

} // namespace slackscope
