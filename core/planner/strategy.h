// A strategy makes plans. It is prepared once per profile, so that what does not depend on the budget is
// computed once, and then asked for one budget after another.
//
// A new strategy is one file in strategies/ that defines a `StrategyInfo`, and one line in registry.cpp.
#pragma once

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
    // Always an answer: a feasible plan that meets the budget, or an infeasible one that says why.
    virtual Plan plan(Bytes budget) = 0;
};

struct StrategyInfo {
    std::string_view id;      // "slackswap"
    std::string_view name;    // for people: "SlackSwap"
    std::string_view summary; // one line
    // nullptr when `stop` asked for an end.
    std::unique_ptr<PreparedStrategy> (*prepare)(std::shared_ptr<const StepGraph> graph,
                                                 const StopRequested& stop);
};

// Every strategy, in the order in which lists show them.
std::span<const StrategyInfo* const> strategies();
const StrategyInfo* findStrategy(std::string_view id); // nullptr: no such strategy

// Peak of keeping everything: what a budget in percent refers to.
Bytes unlimitedPeak(std::shared_ptr<const StepGraph> graph);

} // namespace slackscope
