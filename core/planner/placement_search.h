// Local search for a fast placement in a given room.
#pragma once

#include "core/planner/placement_plan.h"
#include "core/planner/strategy.h"

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

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

    // Changes the fates of a few tensors at a time, `tries` times, and keeps a change that helps or, less
    // and less often, harms only a little (threshold accepting: Dueck and Scheuer 1990, "Threshold
    // Accepting", doi 10.1016/0021-9991(90)90201-B, with random thresholds). The best state found, `start`
    // included. No floating point: the same arguments give the same state on every machine. nullopt: stopped.
    std::optional<State> improve(State start, Bytes room, std::int64_t tries, std::uint64_t seed,
                                 const StopRequested& stop);

    // False: there is nothing to decide.
    bool hasChoices() const { return !choices_.empty(); }

private:
    // What a placement says of one tensor.
    struct Fate {
        Decision decision = Decision::Keep;
        Detour detour;
        bool operator==(const Fate&) const = default;
    };
    // One thing about a tensor that a change may change, and what it may become.
    struct Choice {
        enum class What : std::uint8_t { Decision, AfterUse, AwayInForward, Brief, Ahead };
        TensorIndex tensor = none;
        What what = What::Decision;
        std::size_t use = 0; // of AfterUse
        std::vector<std::uint8_t> values;
    };
    void addChoices(TensorIndex t);
    // Changes that are tried together; the last two tell with which choice they began.
    template <typename Change>
    void move(std::mt19937_64& random, const Change& change, const Placement& placement);
    template <typename Change>
    std::size_t exchange(std::mt19937_64& random, const Change& change, const Placement& placement);
    template <typename Change>
    std::size_t hoist(std::mt19937_64& random, const Change& change);
    std::size_t near(std::size_t choice, std::uint64_t random) const;
    static Fate changed(Fate fate, const Choice& choice, std::uint8_t value);
    static Fate fateOf(const Placement& placement, TensorIndex t);

    // Whether a state whose placement was changed is taken on: it fits better, or fits and takes less than
    // `belowNs`. Then the rest of it is brought up to date.
    bool accept(State& state, Bytes room, Nanoseconds belowNs);

    static void set(Placement& placement, TensorIndex t, const Fate& fate);

    Lowering lowering_;
    Bytes hostBytes_;
    std::vector<Choice> choices_;
    std::vector<std::size_t> decisions_; // the choices of What::Decision
    std::vector<std::size_t> ahead_;     // the choices of What::Ahead
    Timeline storage_;
};

} // namespace slackscope
