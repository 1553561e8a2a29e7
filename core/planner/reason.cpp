#include "core/planner/reason.h"

#include <algorithm>
#include <utility>

namespace slackscope {

namespace {

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

// Adds to `waitNs` what each copy shares with the stalls of one cause. Copies and stalls are in order, and
// none overlaps another of its kind.
template <typename Copies, typename IntervalOf>
void addWaits(const std::vector<Stall>& stalls, StallCause cause, const Copies& copies,
              const IntervalOf& intervalOf, std::vector<Nanoseconds>& waitNs) {
    auto stall = stalls.begin();
    for (std::size_t i = 0; i < copies.size(); ++i) {
        const Interval copy = intervalOf(static_cast<std::int32_t>(i));
        while (stall != stalls.end() && stall->toNs <= copy.fromNs)
            ++stall;
        for (auto shared = stall; shared != stalls.end() && shared->fromNs < copy.toNs; ++shared) {
            if (shared->cause == cause)
                waitNs[at(copies[i].tensor)] +=
                    std::min(shared->toNs, copy.toNs) - std::max(shared->fromNs, copy.fromNs);
        }
    }
}

Reason::Kind keptKind(const Reason& reason) {
    if (reason.bytes == 0)
        return Reason::Kind::NoBytes;
    if (reason.toOffload && reason.toRecompute)
        return Reason::Kind::NoChoice;
    if (reason.budgetBytes >= reason.unlimitedPeakBytes)
        return Reason::Kind::AllFits;
    return Reason::Kind::NotNeeded;
}

} // namespace

Nanoseconds Reason::recomputeNsPerMiB() const {
    return bytes == 0 ? 0
                      : static_cast<Nanoseconds>(
                            std::min<Wide>(largestDuration, (Wide{recompute.chainNs} << 20) / bytes));
}

Reasons::Reasons(const Plan& plan, std::span<const RecomputeCost> costs)
    : plan_(plan), costs_(costs), pinned_(pinnedTensors(*plan.graph, plan.pins)),
      waitNs_(at(plan.graph->tensorCount()), 0) {
    const Program& program = plan.simulated->program;
    const Timeline& timeline = plan.simulated->timeline;
    const std::vector<Stall> all = stalls(program, timeline);
    addWaits(
        all, StallCause::Memory, program.instructions().offloads,
        [&](std::int32_t i) { return offloadInterval(program, timeline, i); }, waitNs_);
    addWaits(
        all, StallCause::Transfer, program.instructions().prefetches,
        [&](std::int32_t i) { return prefetchInterval(program, timeline, i); }, waitNs_);
}

Reason Reasons::of(TensorIndex t) const {
    const StepGraph& graph = *plan_.graph;
    Reason reason;
    reason.decision = plan_.decisions[at(t)];
    reason.bytes = graph.tensor(t).bytes;
    reason.toOffload = obstacleTo(graph, t, Decision::Offload);
    reason.outNs = graph.offloadNs(t);
    reason.backNs = graph.prefetchNs(t);
    reason.toRecompute = obstacleTo(graph, t, Decision::Recompute);
    reason.recompute = costs_[at(t)];
    reason.ranked = static_cast<std::int32_t>(graph.savedTensors().size());
    reason.budgetBytes = plan_.budgetBytes;
    reason.peakBytes = plan_.simulated->timeline.peakBytes;
    reason.unlimitedPeakBytes = plan_.unlimitedPeakBytes;
    reason.linkUsedNs = plan_.slack.usedDeviceToHostNs;
    reason.linkNs = plan_.slack.deviceToHostNs;
    reason.waitNs = waitNs_[at(t)];
    if (pinned_[at(t)])
        reason.kind = Reason::Kind::Pinned;
    else if (reason.decision == Decision::Keep)
        reason.kind = keptKind(reason);
    else if (reason.decision == Decision::Offload)
        reason.kind = reason.toRecompute ? Reason::Kind::OnlyOffload : Reason::Kind::Offloaded;
    else if (!plan_.placement.segments.empty())
        reason.kind = Reason::Kind::Segment;
    else
        reason.kind = reason.toOffload ? Reason::Kind::OnlyRecompute : Reason::Kind::Recomputed;
    return reason;
}

} // namespace slackscope
