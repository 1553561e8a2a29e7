#include "core/planner/what_if.h"

#include "core/planner/lowering.h"
#include "core/planner/placement_plan.h"

#include <stdexcept>
#include <vector>

namespace slackscope {

namespace {

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

WhatIf impossible(Obstacle obstacle) {
    WhatIf answer;
    answer.outcome = WhatIf::Outcome::Impossible;
    answer.obstacle = obstacle;
    return answer;
}

WhatIf missing(WhatIf::Outcome outcome, Bytes bytes) {
    WhatIf answer;
    answer.outcome = outcome;
    answer.missingBytes = bytes;
    return answer;
}

WhatIf runs(Nanoseconds stepNs) {
    WhatIf answer;
    answer.outcome = WhatIf::Outcome::Runs;
    answer.stepNs = stepNs;
    return answer;
}

WhatIf tooLarge(Bytes needed, Bytes budget) {
    return needed == unlimitedBudget ? missing(WhatIf::Outcome::Endless, 0)
                                     : missing(WhatIf::Outcome::OverBudget, needed - budget);
}

Bytes hostBytesUsed(const StepGraph& graph, const Placement& placement) {
    Bytes used = 0;
    for (TensorIndex t = 0; t < graph.tensorCount(); ++t) {
        if (placement.offloads(t))
            used += graph.tensor(t).bytes;
    }
    return used;
}

WhatIf held(Lowering& lowering, const Plan& plan, TensorIndex t, Decision decision) {
    if (plan.feasible() && decision == plan.decisions[at(t)])
        return runs(plan.stepNs());
    const StepGraph& graph = lowering.graph();
    Placement placement = plan.placement;
    if (!placement.detours.empty())
        placement.detours[at(t)] = {}; // that was part of the decision before
    placement.decisions[at(t)] = decision;
    const auto hostBytes = graph.profile().link.hostMemoryBytes;
    if (const Bytes used = hostBytesUsed(graph, placement); hostBytes && used > *hostBytes)
        return missing(WhatIf::Outcome::HostFull, used - *hostBytes);
    const Bytes needed = lowering.peak(placement).bytes;
    if (needed > plan.budgetBytes || needed == unlimitedBudget)
        return tooLarge(needed, plan.budgetBytes);
    const Bytes room = needed <= plan.roomBytes ? plan.roomBytes : plan.budgetBytes;
    Timeline storage;
    return runs(simulatedStepNs(lowering, placement, room, storage));
}

std::optional<WhatIf> replanned(const StrategyInfo& strategy, const Plan& plan, TensorIndex t,
                                Decision decision, const StopRequested& stop) {
    const Pins pins = withPin(plan.pins, t, decision);
    // The other pins were checked with the plan, and the obstacle before: what is left is the host.
    if (const Bytes left = hostBytesLeft(*plan.graph, pins); left < 0)
        return missing(WhatIf::Outcome::HostFull, -left);
    const auto prepared = strategy.prepare(plan.graph, pins, stop);
    if (!prepared)
        return std::nullopt;
    refineFullyAt(*prepared, plan.budgetBytes, stop);
    if (stop && stop())
        return std::nullopt;
    Plan again = prepared->plan(plan.budgetBytes);
    if (!again.feasible()) { // rounds for every budget look for the least one too
        refineFully(*prepared, stop);
        again = prepared->plan(plan.budgetBytes);
    }
    if (stop && stop())
        return std::nullopt;
    // With less effort than the plan had, so what holding the rest gives may be faster.
    Lowering lowering(plan.graph);
    const WhatIf withRestHeld = held(lowering, plan, t, decision);
    const bool heldRuns = withRestHeld.outcome == WhatIf::Outcome::Runs;
    if (heldRuns && (!again.feasible() || withRestHeld.stepNs < again.stepNs()))
        return withRestHeld;
    return again.feasible() ? runs(again.stepNs()) : tooLarge(again.minimumBudgetBytes, plan.budgetBytes);
}

// Asks for every decision that no obstacle rules out.
template <typename Ask> // std::optional<WhatIf>(Decision)
std::optional<WhatIfs> forEachDecision(const StepGraph& graph, TensorIndex t, const StopRequested& stop,
                                       const Ask& ask) {
    WhatIfs answers;
    for (const Decision decision : allDecisions) {
        if (stop && stop())
            return std::nullopt;
        WhatIf& answer = answers[static_cast<std::size_t>(decision)];
        if (const auto obstacle = obstacleTo(graph, t, decision)) {
            answer = impossible(*obstacle);
        } else if (const std::optional<WhatIf> found = ask(decision)) {
            answer = *found;
        } else {
            return std::nullopt;
        }
    }
    return answers;
}

} // namespace

std::optional<Obstacle> obstacleTo(const StepGraph& graph, TensorIndex t, Decision decision) {
    if (!graph.isSaved(t))
        return Obstacle::NotSaved;
    if (decision == Decision::Keep)
        return std::nullopt;
    if (decision == Decision::Offload ? canOffload(graph, t) : canDrop(graph, t))
        return std::nullopt;
    if (graph.tensor(t).bytes == 0)
        return Obstacle::NoBytes;
    const auto hostBytes = graph.profile().link.hostMemoryBytes;
    if (decision == Decision::Offload && hostBytes && *hostBytes < graph.tensor(t).bytes)
        return *hostBytes == 0 ? Obstacle::NoHost : Obstacle::HostTooSmall;
    if (decision == Decision::Recompute && !graph.canRecompute(t))
        return graph.producer(t) == none ? Obstacle::ProfileInput : Obstacle::NotRecomputable;
    return Obstacle::NoGap;
}

std::optional<WhatIfs> whatIfHeld(const Plan& plan, TensorIndex t, const StopRequested& stop) {
    Lowering lowering(plan.graph);
    return forEachDecision(*plan.graph, t, stop, [&](Decision decision) {
        return std::optional(held(lowering, plan, t, decision));
    });
}

std::optional<WhatIfs> whatIfReplanned(const Plan& plan, TensorIndex t, const StopRequested& stop) {
    const StrategyInfo* strategy = findStrategy(plan.strategy);
    if (!strategy)
        throw std::logic_error("what if: the plan names no strategy");
    return forEachDecision(*plan.graph, t, stop,
                           [&](Decision decision) { return replanned(*strategy, plan, t, decision, stop); });
}

} // namespace slackscope
