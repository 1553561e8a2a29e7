#include "core/planner/lowering.h"
#include "core/planner/path_strategy.h"

#include <array>

namespace slackscope {

extern const StrategyInfo keepAllStrategy;
extern const StrategyInfo recomputeAllStrategy;
extern const StrategyInfo sqrtNStrategy;
extern const StrategyInfo offloadOnlyStrategy;
extern const StrategyInfo slackswapStrategy;
extern const StrategyInfo recomputeOnlyStrategy;
extern const StrategyInfo optimizedStrategy;

namespace {

constexpr std::array<const StrategyInfo*, 7> registry{
    &optimizedStrategy, &slackswapStrategy,    &offloadOnlyStrategy, &recomputeOnlyStrategy,
    &sqrtNStrategy,     &recomputeAllStrategy, &keepAllStrategy};

} // namespace

std::span<const StrategyInfo* const> strategies() {
    return registry;
}

const StrategyInfo* findStrategy(std::string_view id) {
    for (const StrategyInfo* strategy : registry) {
        if (strategy->id == id)
            return strategy;
    }
    return nullptr;
}

bool PreparedStrategy::refine(const StopRequested& /*stop*/) {
    return false; // one effort is all there is
}

bool PreparedStrategy::refineAt(Bytes /*budget*/, const StopRequested& /*stop*/) {
    return false;
}

std::unique_ptr<PreparedStrategy> StrategyInfo::prepare(const std::shared_ptr<const StepGraph>& graph,
                                                        const Pins& pins, const StopRequested& stop) const {
    if (own)
        return own(graph, pins, stop);
    return preparePath(graph, pins, *this, stop);
}

void refineFully(PreparedStrategy& prepared, const StopRequested& stop) {
    while (prepared.refine(stop)) {
    }
}

void refineFullyAt(PreparedStrategy& prepared, Bytes budget, const StopRequested& stop) {
    while (prepared.refineAt(budget, stop)) {
    }
}

Bytes unlimitedPeak(std::shared_ptr<const StepGraph> graph) {
    const Placement placement = keepEverything(*graph);
    return Lowering(std::move(graph)).peak(placement).bytes;
}

} // namespace slackscope
