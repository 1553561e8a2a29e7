// How fast programs run: compute-plus-copy items per second with the memory curve, on one core, for 10^3 to
// 10^6 operators, half the saved tensors offloaded; and how much working memory an item takes.
#include "core/planner/lowering.h"
#include "core/simulator/simulator.h"
#include "tests/support/profiles.h"

#include <benchmark/benchmark.h>

namespace slackscope {

namespace {

std::shared_ptr<const StepGraph> graphOf(std::int64_t operators) {
    return StepGraph::build(test::layeredProfile(static_cast<int>(operators / 5))).value();
}

// Every second saved tensor that can be is offloaded.
Placement halfOffloaded(const StepGraph& graph) {
    Placement placement = keepEverything(graph);
    bool odd = false;
    for (const TensorIndex t : graph.savedTensors()) {
        odd = !odd;
        if (odd && canOffload(graph, t))
            placement.decisions[static_cast<std::size_t>(t)] = Decision::Offload;
    }
    return placement;
}

void simulateProgram(benchmark::State& state) {
    const auto graph = graphOf(state.range(0));
    const Placement placement = halfOffloaded(*graph);
    Lowering lowering(graph);
    const Bytes budget = lowering.peak(placement).bytes;
    const Program program = Program::assemble(graph, lowering.lower(placement, budget)).value();
    Timeline timeline;
    for (auto _ : state) {
        timeline = simulate(program, budget, std::move(timeline)).value();
        benchmark::DoNotOptimize(timeline.stepNs);
    }
    const std::size_t bytes = timeline.memory.capacity() * sizeof(MemoryPoint) +
                              (timeline.computeStartNs.capacity() + timeline.offloadStartNs.capacity() +
                               timeline.prefetchStartNs.capacity()) *
                                  sizeof(Nanoseconds);
    state.counters["stall ms"] =
        static_cast<double>(timeline.memoryStallNs + timeline.transferStallNs) * 1e-6;
    const auto items = static_cast<double>(program.itemCount());
    state.counters["items"] = items;
    state.counters["items/s"] =
        benchmark::Counter(items, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
    const double stored =
        static_cast<double>(program.computeSteps().size_bytes() + program.offloadSteps().size_bytes() +
                            program.prefetchSteps().size_bytes() + program.offloadsByRelease().size_bytes() +
                            program.instructions().compute.size() * sizeof(ComputeItem) +
                            program.instructions().releases.size() * sizeof(Release) +
                            program.instructions().offloads.size() * sizeof(Offload) +
                            program.instructions().prefetches.size() * sizeof(Prefetch));
    state.counters["timeline B/item"] = static_cast<double>(bytes) / items;
    state.counters["program B/item"] = stored / items;
}

void lowerAssembleSimulate(benchmark::State& state) {
    const auto graph = graphOf(state.range(0));
    const Placement placement = halfOffloaded(*graph);
    Lowering lowering(graph);
    const Bytes budget = lowering.peak(placement).bytes;
    std::int64_t items = 0;
    for (auto _ : state) {
        const Program program = Program::assemble(graph, lowering.lower(placement, budget)).value();
        items = program.itemCount();
        benchmark::DoNotOptimize(simulate(program, budget)->stepNs);
    }
    state.counters["items/s"] =
        benchmark::Counter(static_cast<double>(items), benchmark::Counter::kIsIterationInvariantRate);
}

} // namespace

BENCHMARK(simulateProgram)->RangeMultiplier(10)->Range(1'000, 1'000'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(lowerAssembleSimulate)->RangeMultiplier(10)->Range(1'000, 1'000'000)->Unit(benchmark::kMicrosecond);

} // namespace slackscope

BENCHMARK_MAIN();
