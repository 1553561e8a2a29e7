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
    const std::vector<char> pinned = pinnedTensors(lowering_.graph(), pins);
    for (TensorIndex t = 0; t < lowering_.graph().tensorCount(); ++t) {
        if (!pinned[at(t)] && lowering_.graph().tensor(t).bytes > 0)
            addChoices(t);
    }
    for (std::size_t i = 0; i < choices_.size(); ++i) {
        if (choices_[i].what == Choice::What::Decision)
            decisions_.push_back(i);
        if (choices_[i].what == Choice::What::Ahead)
            ahead_.push_back(i);
    }
}

void PlacementSearch::addChoices(TensorIndex t) {
    const StepGraph& graph = lowering_.graph();
    const auto add = [&](Choice::What what, std::size_t use, auto... values) {
        choices_.push_back({t, what, use, {static_cast<std::uint8_t>(values)...}});
    };
    const bool transient = !graph.isSaved(t);
    if (transient && graph.producer(t) == none)
        return;
    const bool fitsHost = graph.tensor(t).bytes <= hostBytes_;
    const bool offload = transient ? fitsHost : canOffload(graph, t);
    const bool drop = transient || canDrop(graph, t);
    if (offload && drop)
        add(Choice::What::Decision, 0, Decision::Keep, Decision::Offload, Decision::Recompute);
    else if (offload)
        add(Choice::What::Decision, 0, Decision::Keep, Decision::Offload);
    else if (drop)
        add(Choice::What::Decision, 0, Decision::Keep, Decision::Recompute);

    const auto savers = graph.savers(t);
    const bool again = graph.canRecompute(t);
    bool apart = false;
    for (std::size_t use = 0; use + 1 < savers.size() && use < Detour{}.backward.size(); ++use) {
        const std::size_t i = savers.size() - 1 - use;
        if (savers[i] - savers[i - 1] < 2 || (!offload && !again))
            continue;
        apart = true;
        if (offload && again)
            add(Choice::What::AfterUse, use, Between::Stays, Between::Fetched, Between::Recomputed);
        else
            add(Choice::What::AfterUse, use, Between::Stays,
                offload ? Between::Fetched : Between::Recomputed);
    }
    if (!transient && (drop || offload || apart))
        add(Choice::What::Brief, 0, 0, 1);
    if (!transient && again)
        add(Choice::What::Ahead, 0, 0, 1, 2, 3, 5, 8, 12, 16);
    OperatorIndex last = graph.producer(t);
    bool awayHelps = false;
    for (const OperatorIndex consumer : graph.consumers(t)) {
        awayHelps = awayHelps || consumer - last > 1;
        last = consumer;
    }
    if (offload && awayHelps && graph.producer(t) != none)
        add(Choice::What::AwayInForward, 0, 0, 1);
}

PlacementSearch::Fate PlacementSearch::changed(Fate fate, const Choice& choice, std::uint8_t value) {
    switch (choice.what) {
    case Choice::What::Decision:
        fate.decision = static_cast<Decision>(value);
        break;
    case Choice::What::AfterUse:
        fate.detour.backward[choice.use] = static_cast<Between>(value);
        break;
    case Choice::What::AwayInForward:
        fate.detour.awayInForward = value != 0;
        break;
    case Choice::What::Ahead:
        fate.detour.ahead = value;
        break;
    case Choice::What::Brief:
        fate.detour.brief = value != 0;
        break;
    }
    return fate;
}

PlacementSearch::Fate PlacementSearch::fateOf(const Placement& placement, TensorIndex t) {
    return {placement.decisions[at(t)], placement.detours[at(t)]};
}

PlacementSearch::State PlacementSearch::evaluate(Placement placement, Bytes room) {
    State state{std::move(placement), 0, 0, 0};
    state.peakBytes = lowering_.peak(state.placement).bytes;
    state.excessBytes = std::max<Bytes>(0, state.peakBytes - room);
    if (state.excessBytes == 0)
        state.stepNs = walkedStepNs(lowering_, state.placement, room, storage_);
    return state;
}

std::optional<PlacementSearch::State> PlacementSearch::improve(State start, Bytes room, std::int64_t tries,
                                                               std::uint64_t seed,
                                                               const StopRequested& stop) {
    if (choices_.empty())
        return start;
    const StepGraph& graph = lowering_.graph();
    std::mt19937_64 random(seed);
    start.placement.detours.resize(at(graph.tensorCount()));
    State best = start;
    State current = std::move(start);
    Bytes onHost = 0;
    for (TensorIndex t = 0; t < graph.tensorCount(); ++t) {
        if (current.placement.offloads(t))
            onHost += graph.tensor(t).bytes;
    }
    std::vector<std::pair<TensorIndex, Fate>> undo;
    for (std::int64_t i = 0; i < tries; ++i) {
        if (i % 64 == 0 && stop && stop())
            return std::nullopt;
        undo.clear();
        Bytes onHostNow = onHost;
        move(
            random,
            [&](const Choice& choice, std::uint8_t value) {
                const Fate now = fateOf(current.placement, choice.tensor);
                const Fate next = changed(now, choice, value);
                if (next == now)
                    return;
                undo.emplace_back(choice.tensor, now);
                const bool offloaded = current.placement.offloads(choice.tensor);
                set(current.placement, choice.tensor, next);
                onHostNow += graph.tensor(choice.tensor).bytes *
                             (current.placement.offloads(choice.tensor) - offloaded);
            },
            current.placement);
        bool accepted = false;
        if (!undo.empty() && onHostNow <= hostBytes_) {
            // 1/128 of the ideal time at first, falling with the square of what is left; times 0, 1, 2, ...
            // with half the odds each.
            const auto harmNs = static_cast<Nanoseconds>(Wide{graph.idealNs()} * (tries - i) * (tries - i) /
                                                         (Wide{tries} * tries * 128));
            const Nanoseconds belowNs = current.stepNs + harmNs * std::countl_zero(random()) + 1;
            accepted = accept(current, room, belowNs);
        }
        if (accepted) {
            onHost = onHostNow;
            if (std::pair(current.excessBytes, current.stepNs) < std::pair(best.excessBytes, best.stepNs))
                best = current;
        } else {
            for (auto old = undo.rbegin(); old != undo.rend(); ++old)
                set(current.placement, old->first, old->second);
        }
    }
    return best;
}

// A few changes that are tried together.
template <typename Change> // void(const Choice&, std::uint8_t value)
void PlacementSearch::move(std::mt19937_64& random, const Change& change, const Placement& placement) {
    int further = random() % 3 == 0 ? 2 : 1;
    std::size_t pick = random() % choices_.size();
    if (!ahead_.empty() && random() % 12 == 0) {
        pick = hoist(random, change);
        --further;
    } else if (!decisions_.empty() && random() % 2 == 0) {
        pick = exchange(random, change, placement);
        --further;
    } else {
        change(choices_[pick], choices_[pick].values[random() % choices_[pick].values.size()]);
    }
    for (; further > 0; --further) {
        // Half of the further ones in the neighbourhood, since what happens there competes for room.
        pick = random() % 2 == 0 ? random() % choices_.size() : near(pick, random());
        change(choices_[pick], choices_[pick].values[random() % choices_[pick].values.size()]);
    }
}

// Two tensors exchange their decisions, if each may have the other's.
template <typename Change>
std::size_t PlacementSearch::exchange(std::mt19937_64& random, const Change& change,
                                      const Placement& placement) {
    const std::size_t pick = decisions_[random() % decisions_.size()];
    const Choice& a = choices_[pick];
    const Choice& b = choices_[decisions_[random() % decisions_.size()]];
    const auto va = static_cast<std::uint8_t>(placement.decisions[at(a.tensor)]);
    const auto vb = static_cast<std::uint8_t>(placement.decisions[at(b.tensor)]);
    if (va != vb && std::find(a.values.begin(), a.values.end(), vb) != a.values.end() &&
        std::find(b.values.begin(), b.values.end(), va) != b.values.end()) {
        change(a, vb);
        change(b, va);
    }
    return pick;
}

// A tensor and some beside it are recomputed at one time, ahead of the first backward that reads one of them:
// a chain of recomputes moves as a whole.
template <typename Change>
std::size_t PlacementSearch::hoist(std::mt19937_64& random, const Change& change) {
    const StepGraph& graph = lowering_.graph();
    const std::size_t first = random() % ahead_.size();
    const Choice& chosen = choices_[ahead_[first]];
    const std::uint8_t value = chosen.values[random() % chosen.values.size()];
    const OperatorIndex before = graph.firstBackwardUse(chosen.tensor) + value;
    change(chosen, value);
    const std::size_t beside = random() % 4;
    const bool earlier = random() % 2 == 0;
    for (std::size_t k = 1; k <= beside; ++k) {
        const std::size_t other = earlier ? first - k : first + k; // past either end is past the end
        if (other >= ahead_.size())
            break;
        const Choice& also = choices_[ahead_[other]];
        const OperatorIndex ahead = before - graph.firstBackwardUse(also.tensor);
        if (ahead >= 0 && ahead <= Detour::furthestAhead)
            change(also, static_cast<std::uint8_t>(value == 0 ? 0 : ahead));
    }
    return ahead_[first];
}

// Another choice, of this tensor or one not far from it.
std::size_t PlacementSearch::near(std::size_t choice, std::uint64_t random) const {
    constexpr std::size_t farthest = 12;
    const std::size_t count = choices_.size();
    return (choice + count + random % (2 * farthest + 1) - std::min(farthest, count)) % count;
}

void PlacementSearch::set(Placement& placement, TensorIndex t, const Fate& fate) {
    placement.decisions[at(t)] = fate.decision;
    placement.detours[at(t)] = fate.detour;
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
        stepNs = walkedStepNs(lowering_, state.placement, room, storage_);
        if (!first && stepNs >= belowNs)
            return false;
    }
    state.peakBytes = peak.bytes;
    state.excessBytes = excess;
    state.stepNs = stepNs;
    return true;
}

} // namespace slackscope
