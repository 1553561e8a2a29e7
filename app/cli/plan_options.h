// Budget and strategy, and the plan that they ask for.
#pragma once

#include "app/cli/model_options.h"
#include "app/cli/pin_options.h"
#include "app/cli/size_text.h"
#include "core/planner/plan.h"
#include "core/planner/strategy.h"

namespace slackscope::cli {

struct PlanOptions {
    ModelOptions model;
    Budget budget = defaultBudget;
    const StrategyInfo* strategy = strategies().front();
    std::vector<NamedPin> pins;
};

// Adds INPUT, the model options, --budget, --strategy and --pin.
void addPlanOptions(CLI::App& command, PlanOptions& into);

// The profile that the model options mean, ready to plan.
tl::expected<std::shared_ptr<const StepGraph>, Failure> loadGraph(const ModelOptions& options);

// Plans; an infeasible plan is a plan. Says on standard error what was understood of the input and the
// budget.
tl::expected<Plan, Failure> makePlan(const std::shared_ptr<const StepGraph>& graph,
                                     const PlanOptions& options);
tl::expected<Plan, Failure> makePlan(const PlanOptions& options); // loads first

// Why an infeasible plan is one, and what budget would do: the sentence that goes with exit status 4.
std::string infeasibleSentence(const Plan& plan);

} // namespace slackscope::cli
