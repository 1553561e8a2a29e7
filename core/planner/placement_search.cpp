#include "core/planner/placement_search.h"

#include <algorithm>
#include <bit>
#include <random>
#include <utility>

namespace slackscope {

namespace {

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

} // namespace

PlacementSearch::PlacementSearch(std::shared_ptr<const StepGraph> graph, const Pins& pins)
    : lowering_(std::move(graph)),
      hostBytes_(lowering_.graph().profile().link.hostMemoryBytes.value_or(unlimitedBudget)) {
    const StepGraph& step = lowering_.graph();
    const std::vector<char> pinned = pinnedTensors(step, pins);
    for (TensorIndex t = 0; t < step.tensorCount(); ++t) {
        if (pinned[at(t)])
            continue;
        Choice choice{t, {{Decision::Keep, false}}};
        const bool readApart = step.isSaved(t) && step.firstBackwardUse(t) != step.lastBackwardUse(t);
        if (canOffload(step, t)) {
            choice.fates.push_back({Decision::Offload, false});
            if (readApart)
                choice.fates.push_back({Decision::Offload, true});
        }
        if (canDrop(step, t) || (!step.isSaved(t) && step.producer(t) != none && step.tensor(t).bytes > 0))
            choice.fates.push_back({Decision::Recompute, false});
        if (canDrop(step, t) && readApart)
            choice.fates.push_back({Decision::Recompute, true});
        if (choice.fates.size() > 1)
            choices_.push_back(std::move(choice));
    }
}

PlacementSearch::State PlacementSearch::evaluate(Placement placement, Bytes room) {
    State state{std::move(placement), 0, 0, 0};
    state.peakBytes = lowering_.peak(state.placement).bytes;
    state.excessBytes = std::max<Bytes>(0, state.peakBytes - room);
    if (state.excessBytes == 0)
        state.stepNs = simulatedStepNs(lowering_, state.placement, room, storage_);
    return state;
}

std::optional<PlacementSearch::State> PlacementSearch::improve(State start, Bytes room, std::int64_t tries,
                                                               std::uint64_t seed,
                                                               const StopRequested& stop) {
    if (choices_.empty())
        return start;
    const StepGraph& graph = lowering_.graph();
    std::mt19937_64 random(seed);
    start.placement.letGo.resize(at(graph.tensorCount()), 0);
    State best = start;
    State current = std::move(start);
    Bytes onHost = 0;
    for (const TensorIndex t : graph.savedTensors()) {
        if (current.placement.decisions[at(t)] == Decision::Offload)
            onHost += graph.tensor(t).bytes;
    }
    std::vector<std::pair<TensorIndex, Fate>> undo;
    for (std::int64_t i = 0; i < tries; ++i) {
        if (i % 64 == 0 && stop && stop())
            return std::nullopt;
        undo.clear();
        Bytes onHostNow = onHost;
        const int changes = 1 + (random() % 3 == 0 ? 1 : 0) + (random() % 5 == 0 ? 1 : 0);
        for (int change = 0; change < changes; ++change) {
            const Choice& choice = choices_[random() % choices_.size()];
            const Fate now{current.placement.decisions[at(choice.tensor)],
                           current.placement.letGo[at(choice.tensor)] != 0};
            const Fate next = choice.fates[random() % choice.fates.size()];
            if (next == now)
                continue;
            undo.emplace_back(choice.tensor, now);
            const Bytes bytes = graph.tensor(choice.tensor).bytes;
            onHostNow += (next.decision == Decision::Offload ? bytes : 0) -
                         (now.decision == Decision::Offload ? bytes : 0);
            set(current.placement, choice.tensor, next);
        }
        bool accepted = false;
        if (!undo.empty() && onHostNow <= hostBytes_) {
            // 1/256 of the ideal time at first, falling with the square of what is left; times 0, 1, 2, ...
            // with half the odds each.
            const auto harmNs = static_cast<Nanoseconds>(Wide{graph.idealNs()} * (tries - i) * (tries - i) /
                                                         (Wide{tries} * tries * 256));
            const Nanoseconds belowNs = current.stepNs + harmNs * std::countl_zero(random()) + 1;
            accepted = accept(current, room, belowNs);
        }
        if (accepted) {
            onHost = onHostNow;
            if (std::pair(current.excessBytes, current.stepNs) < std::pair(best.excessBytes, best.stepNs))
                best = current;
        } else {
            for (auto change = undo.rbegin(); change != undo.rend(); ++change)
                set(current.placement, change->first, change->second);
        }
    }
    return best;
}

void PlacementSearch::set(Placement& placement, TensorIndex t, const Fate& fate) {
    placement.decisions[at(t)] = fate.decision;
    placement.letGo[at(t)] = fate.letGo ? 1 : 0;
}

bool PlacementSearch::accept(State& state, Bytes room, Nanoseconds belowNs) {
    const LedgerPeak peak = lowering_.peak(state.placement);
    const Bytes excess = std::max<Bytes>(0, peak.bytes - room);
    if (excess > state.excessBytes)
        return false;
    Nanoseconds stepNs = 0;
    if (excess == 0) {
        const bool first = state.excessBytes > 0; // any that fits is better
        if (!first && lowering_.graph().idealNs() + peak.recomputedNs >= belowNs)
            return false;
        stepNs = simulatedStepNs(lowering_, state.placement, room, storage_);
        if (!first && stepNs >= belowNs)
            return false;
    }
    state.peakBytes = peak.bytes;
    state.excessBytes = excess;
    state.stepNs = stepNs;
    return true;
}

} // namespace slackscope
