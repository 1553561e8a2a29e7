#include "app/cli/plan_options.h"

#include "core/input/near_matches.h"
#include "core/planner/lower_bound.h"
#include "core/report/quantities.h"

#include <CLI/CLI.hpp>

#include <iostream>

namespace slackscope::cli {

namespace {

std::vector<std::string> strategyIds() {
    std::vector<std::string> ids;
    for (const StrategyInfo* strategy : strategies())
        ids.emplace_back(strategy->id);
    return ids;
}

const StrategyInfo* strategyNamed(const std::string& text) {
    if (const StrategyInfo* strategy = findStrategy(text))
        return strategy;
    const auto ids = strategyIds();
    throw CLI::ValidationError("--strategy", quotedText(text) + " is not a strategy; the nearest are " +
                                                 commaList(nearMatches(text, ids)));
}

} // namespace

void addPlanOptions(CLI::App& command, PlanOptions& into) {
    addModelOptions(command, into.model);
    command
        .add_option_function<std::string>(
            "--budget",
            [&into](const std::string& text) {
                const auto budget = parseBudget(text);
                if (!budget)
                    throw CLI::ValidationError("--budget", budget.error());
                into.budget = *budget;
            },
            "the most device memory that the step may use beside the model state, as 50% (of the\n"
            "unlimited peak), 12GiB, 12GB or bytes; default 50%")
        ->type_name("BUDGET");
    command
        .add_option_function<std::string>(
            "--strategy", [&into](const std::string& text) { into.strategy = strategyNamed(text); },
            "how to decide: " + commaList(strategyIds()) + "; default " + std::string(into.strategy->id))
        ->type_name("ID");
    addPinOption(command, into.pins);
}

tl::expected<std::shared_ptr<const StepGraph>, Failure> loadGraph(const ModelOptions& options) {
    auto loaded = load(options);
    if (!loaded)
        return tl::unexpected(loaded.error());
    auto graph = StepGraph::build(std::move(loaded->profile));
    if (!graph)
        return failure(ExitStatus::InputRefused,
                       InputError{options.input, graph.error().pointer, graph.error().reason}.sentence());
    return std::move(*graph);
}

tl::expected<Plan, Failure> makePlan(const std::shared_ptr<const StepGraph>& graph,
                                     const PlanOptions& options) {
    const auto pins = resolvePins(*graph, options.pins);
    if (!pins)
        return tl::unexpected(pins.error());
    const Bytes peak = unlimitedPeak(graph);
    const Bytes budget = options.budget.resolve(peak);
    std::cerr << "Planning " << graph->profile().name << " (" << graph->profile().source << ") with "
              << options.strategy->id << ", budget " << formatExactBytes(budget) << ", "
              << formatPercent(peak == 0 ? 0.0 : static_cast<double>(budget) / static_cast<double>(peak))
              << " of the unlimited peak of " << formatBytes(peak) << "\n";
    const auto prepared = options.strategy->prepare(graph, *pins, {});
    refineFully(*prepared, {});
    refineFullyAt(*prepared, budget, {});
    Plan plan = prepared->plan(budget);
    if (plan.feasible())
        plan.lowerBoundNs = LowerBound(graph).stepNs(budget, plan.stepNs());
    return plan;
}

tl::expected<Plan, Failure> makePlan(const PlanOptions& options) {
    const auto graph = loadGraph(options.model);
    if (!graph)
        return tl::unexpected(graph.error());
    return makePlan(*graph, options);
}

std::string infeasibleSentence(const Plan& plan) {
    const bool pinned = !plan.pins.empty();
    return "a budget of " + formatBytes(plan.budgetBytes) + " is too small for " + plan.strategy +
           (pinned ? " with these pins" : "") + ", which needs " + formatExactBytes(plan.minimumBudgetBytes) +
           "; raise the budget" + (pinned ? ", remove pins" : "") + " or choose another strategy.";
}

} // namespace slackscope::cli
