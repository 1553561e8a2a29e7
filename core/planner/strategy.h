// A strategy makes plans. It is prepared once per profile, so that what does not depend on the budget is
// computed once, and then asked for one budget after another.
//
// A new strategy is one file in strategies/ that defines a `StrategyInfo`, and one line in registry.cpp.
#pragma once

#include "core/planner/pins.h"
#include "core/planner/plan.h"

#include <functional>
#include <span>
#include <string_view>

namespace slackscope {

// Asked now and then during long work; true = stop, the answer is no longer wanted.
using StopRequested = std::function<bool()>;

// One profile, one strategy. Not thread-safe: one thread at a time.
class PreparedStrategy {
public:
    virtual ~PreparedStrategy() = default;
    // Always an answer: a feasible plan that meets the budget, or an infeasible one that says why. It depends
    // on the budget and on the rounds of `refine` and `refineAt` that have ended so far, and on nothing else.
    // Never slower than at a smaller budget as things stand; other rounds may have found more there.
    virtual Plan plan(Bytes budget) = 0;
    // One more round of effort, spent on every budget at once; no budget's plan becomes slower by it. False:
    // nothing is left to do, or `stop` asked for an end, which leaves everything as it was.
    virtual bool refine(const StopRequested& stop);
    // The same, spent on one budget, which serves all larger ones too; it may find a lower minimum budget.
    virtual bool refineAt(Bytes budget, const StopRequested& stop);
};

// Placements in order, from the one that frees least to the one that frees most.
class PlacementPath {
public:
    virtual ~PlacementPath() = default;
    virtual std::size_t count() const = 0; // >= 1; stop 0 frees least
    virtual Placement at(std::size_t stop) const = 0;
};
using PlacementPaths = std::vector<std::unique_ptr<PlacementPath>>;

struct StrategyInfo {
    std::string_view id;      // "slackswap"
    std::string_view name;    // for people: "SlackSwap"
    std::string_view summary; // one line

    // A strategy either walks paths of placements and takes the first that fits (path_strategy.h), looking
    // `lookAhead` stops further, ...
    PlacementPaths (*paths)(const std::shared_ptr<const StepGraph>& graph, const Pins& pins) = nullptr;
    std::size_t lookAhead = 0;
    // ... or plans in its own way; nullptr when `stop` asked for an end.
    std::unique_ptr<PreparedStrategy> (*own)(const std::shared_ptr<const StepGraph>& graph, const Pins& pins,
                                             const StopRequested& stop) = nullptr;

    // `pins` are ones that checkPins accepts. nullptr when `stop` asked for an end.
    std::unique_ptr<PreparedStrategy> prepare(const std::shared_ptr<const StepGraph>& graph, const Pins& pins,
                                              const StopRequested& stop) const;
};

// Every strategy, in the order in which lists show them.
std::span<const StrategyInfo* const> strategies();
const StrategyInfo* findStrategy(std::string_view id); // nullptr: no such strategy

// Refines until nothing is left to do or `stop` asks for an end.
void refineFully(PreparedStrategy& prepared, const StopRequested& stop);
void refineFullyAt(PreparedStrategy& prepared, Bytes budget, const StopRequested& stop);

// Peak of keeping everything: what a budget in percent refers to.
Bytes unlimitedPeak(std::shared_ptr<const StepGraph> graph);

} // namespace slackscope
