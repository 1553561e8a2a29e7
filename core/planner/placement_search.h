// Local search for a fast placement in a given room.
#pragma once

#include "core/planner/placement_plan.h"
#include "core/planner/strategy.h"

namespace slackscope {

class PlacementSearch {
public:
    PlacementSearch(std::shared_ptr<const StepGraph> graph, const Pins& pins);

    // A placement and how it does in a room: first of all its ledger peak should not exceed the room by much,
    // then its step should be short.
    struct State {
        Placement placement;
        Bytes peakBytes = 0;
        Bytes excessBytes = 0;  // of the peak over the room
        Nanoseconds stepNs = 0; // simulated in the room; meaningless where there is an excess
    };
    State evaluate(Placement placement, Bytes room);

    // Changes the decisions of a few tensors at a time, `tries` times, and keeps a change that helps or, less
    // and less often, harms only a little (threshold accepting: Dueck and Scheuer 1990, "Threshold
    // Accepting", doi 10.1016/0021-9991(90)90201-B, with random thresholds). The best state found, `start`
    // included. No floating point: the same arguments give the same state on every machine. nullopt: stopped.
    std::optional<State> improve(State start, Bytes room, std::int64_t tries, std::uint64_t seed,
                                 const StopRequested& stop);

    // False: there is nothing to decide.
    bool hasChoices() const { return !choices_.empty(); }

private:
    // A tensor and what may become of it. For transient tensors Recompute is to let go, Keep is to hold.
    struct Fate {
        Decision decision = Decision::Keep;
        bool letGo = false; // between its backward uses
        bool operator==(const Fate&) const = default;
    };
    struct Choice {
        TensorIndex tensor = none;
        std::vector<Fate> fates;
    };

    // Whether a state whose placement was changed is taken on: it fits better, or fits and takes less than
    // `belowNs`. Then the rest of it is brought up to date.
    bool accept(State& state, Bytes room, Nanoseconds belowNs);

    static void set(Placement& placement, TensorIndex t, const Fate& fate);

    Lowering lowering_;
    Bytes hostBytes_;
    std::vector<Choice> choices_;
    Timeline storage_;
};

} // namespace slackscope
