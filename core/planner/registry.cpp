#include "core/planner/lowering.h"
#include "core/planner/strategy.h"

#include <array>

namespace slackscope {

extern const StrategyInfo keepAllStrategy;
extern const StrategyInfo recomputeAllStrategy;
extern const StrategyInfo sqrtNStrategy;
extern const StrategyInfo offloadOnlyStrategy;
extern const StrategyInfo slackswapStrategy;

namespace {

constexpr std::array<const StrategyInfo*, 5> registry{
    &slackswapStrategy, &offloadOnlyStrategy, &sqrtNStrategy, &recomputeAllStrategy, &keepAllStrategy};

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

Bytes unlimitedPeak(std::shared_ptr<const StepGraph> graph) {
    const Placement placement = keepEverything(*graph);
    return Lowering(std::move(graph)).peak(placement).bytes;
}

} // namespace slackscope
