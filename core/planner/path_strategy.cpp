#include "core/planner/path_strategy.h"

#include "core/planner/path_planner.h"
#include "core/planner/placement_plan.h"

#include <utility>

namespace slackscope {

namespace {

class PathStrategy final : public PreparedStrategy {
public:
    PathStrategy(PathPlanner planner, std::string_view strategy)
        : planner_(std::move(planner)), strategy_(strategy) {}

    Plan plan(Bytes budget) override {
        const std::int32_t room = planner_.roomWithin(budget);
        Plan plan = room < 0 ? infeasiblePlan(planner_.lowering(), planner_.pins(), budget, planner_.least(),
                                              strategy_)
                             : feasiblePlan(room);
        plan.budgetBytes = budget;
        plan.unlimitedPeakBytes = planner_.unlimitedPeak();
        plan.minimumBudgetBytes = planner_.least().bytes;
        return plan;
    }

private:
    Plan feasiblePlan(std::int32_t room) {
        const auto choice = planner_.best(room, std::numeric_limits<Nanoseconds>::max());
        Plan plan =
            simulatePlacement(planner_.lowering(), planner_.placementOf(*choice), choice->room, strategy_);
        plan.pins = planner_.pins();
        return plan;
    }

    PathPlanner planner_;
    std::string strategy_;
};

} // namespace

std::unique_ptr<PreparedStrategy> preparePath(const std::shared_ptr<const StepGraph>& graph, const Pins& pins,
                                              const StrategyInfo& strategy, const StopRequested& stop) {
    PathPlanner planner(graph, pins, strategy.paths(graph, pins), strategy.lookAhead);
    if (!planner.findPeaks(stop))
        return nullptr;
    return std::make_unique<PathStrategy>(std::move(planner), strategy.id);
}

} // namespace slackscope
