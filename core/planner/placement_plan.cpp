#include "core/planner/placement_plan.h"

#include <stdexcept>
#include <utility>

namespace slackscope {

namespace {

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

Simulated run(const Lowering& lowering, Instructions instructions, Bytes room, Timeline storage) {
    auto program = Program::assemble(lowering.sharedGraph(), std::move(instructions));
    if (!program)
        throw std::logic_error("a lowered placement is no program: " + program.error().reason);
    auto timeline = simulate(*program, room, std::move(storage));
    if (!timeline)
        throw std::logic_error("a placement that fits the ledger does not run to its end");
    return {std::move(*program), std::move(*timeline)};
}

Plan emptyPlan(const Lowering& lowering, const Placement& placement, Bytes budget,
               std::string_view strategy) {
    const StepGraph& graph = lowering.graph();
    Plan plan;
    plan.strategy = strategy;
    plan.graph = lowering.sharedGraph();
    plan.budgetBytes = budget;
    plan.decisions.assign(at(graph.tensorCount()), Decision::Keep);
    for (const TensorIndex t : graph.savedTensors())
        plan.decisions[at(t)] = placement.offloads(t) ? Decision::Offload : placement.decisions[at(t)];
    plan.placement = placement;
    plan.slack = availableSlack(graph);
    plan.lowerBoundNs = graph.idealNs();
    return plan;
}

} // namespace

Plan simulatePlacement(Lowering& lowering, const Placement& placement, Bytes room,
                       std::string_view strategy) {
    const StepGraph& graph = lowering.graph();
    Plan plan = emptyPlan(lowering, placement, room, strategy);
    plan.roomBytes = room;
    plan.simulated = run(lowering, lowering.lower(placement, room), room, {});
    const Instructions& instructions = plan.simulated->program.instructions();
    for (const Offload& offload : instructions.offloads) {
        plan.offloadedBytes += graph.tensor(offload.tensor).bytes;
        plan.slack.usedDeviceToHostNs += graph.offloadNs(offload.tensor);
    }
    for (const Prefetch& prefetch : instructions.prefetches)
        plan.slack.usedHostToDeviceNs += graph.prefetchNs(prefetch.tensor);
    return plan;
}

Nanoseconds simulatedStepNs(Lowering& lowering, const Placement& placement, Bytes room, Timeline& storage) {
    Simulated simulated = run(lowering, lowering.lower(placement, room), room, std::move(storage));
    storage = std::move(simulated.timeline);
    return storage.stepNs;
}

Nanoseconds walkedStepNs(Lowering& lowering, const Placement& placement, Bytes room, Timeline& storage) {
    Simulated simulated = run(lowering, lowering.lowerWalked(placement, room), room, std::move(storage));
    storage = std::move(simulated.timeline);
    return storage.stepNs;
}

Plan infeasiblePlan(const Lowering& lowering, const Pins& pins, Bytes budget, const LedgerPeak& least,
                    std::string_view strategy) {
    Placement kept = keepEverything(lowering.graph());
    applyPins(pins, kept);
    Plan plan = emptyPlan(lowering, kept, budget, strategy);
    plan.pins = pins;
    plan.minimumBudgetBytes = least.bytes;
    plan.blocked = Blocked{least.op, least.bytes};
    return plan;
}

} // namespace slackscope
