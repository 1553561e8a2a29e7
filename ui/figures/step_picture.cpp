#include "ui/figures/step_picture.h"

#include "ui/figures/format.h"

#include <algorithm>
#include <cmath>

namespace slackscope::figures {

namespace {

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

// Rows from pairs (row, item), items in the order given.
Rows rowsFrom(std::int32_t rowCount, const std::vector<std::pair<std::int32_t, std::int32_t>>& pairs) {
    Rows rows;
    rows.offsets.assign(at(rowCount) + 1, 0);
    for (const auto& [row, item] : pairs)
        ++rows.offsets[at(row) + 1];
    for (std::size_t i = 1; i < rows.offsets.size(); ++i)
        rows.offsets[i] += rows.offsets[i - 1];
    rows.items.resize(pairs.size());
    std::vector<std::int32_t> next(rows.offsets.begin(), rows.offsets.end() - 1);
    for (const auto& [row, item] : pairs)
        rows.items[at(next[at(row)]++)] = item;
    return rows;
}

// The last bar that starts no later than `ns` and ends after it.
std::int32_t coveringBar(std::span<const Bar> bars, double ns) {
    const auto next = std::upper_bound(bars.begin(), bars.end(), ns, [](double moment, const Bar& bar) {
        return moment < static_cast<double>(bar.fromNs);
    });
    if (next == bars.begin())
        return none;
    const auto bar = std::prev(next);
    return ns < static_cast<double>(bar->toNs) ? static_cast<std::int32_t>(bar - bars.begin()) : none;
}

// Bytes of a copy by the part of it inside the interval.
Bytes bytesInside(const Bar& bar, const Interval& interval, Bytes bytes) {
    const Nanoseconds from = std::max(bar.fromNs, interval.fromNs);
    const Nanoseconds to = std::min(bar.toNs, interval.toNs);
    if (bar.toNs == bar.fromNs)
        return from <= to ? bytes : 0;
    if (to <= from)
        return 0;
    return static_cast<Bytes>(static_cast<Wide>(bytes) * (to - from) / (bar.toNs - bar.fromNs));
}

} // namespace

std::shared_ptr<const StepPicture> StepPicture::build(std::shared_ptr<const Plan> plan,
                                                      const std::shared_ptr<const Plan>& unlimited,
                                                      const std::shared_ptr<const StepPicture>& previous) {
    std::shared_ptr<StepPicture> picture(new StepPicture);
    picture->plan_ = std::move(plan);
    if (previous && previous->plan_->graph == picture->plan_->graph) {
        picture->shared_ = previous->shared_;
    } else {
        picture->shared_ = std::make_shared<const GraphPart>(
            GraphPart{makeDecisionGrid(picture->graph()), recomputeCosts(picture->graph())});
    }
    if (unlimited && unlimited->simulated) {
        picture->unlimitedMemory_ = unlimited->simulated->timeline.memory;
        picture->unlimitedStepNs_ = unlimited->stepNs();
    }
    if (picture->plan_->simulated)
        picture->readProgram();
    return picture;
}

void StepPicture::readProgram() {
    const Program& program = plan_->simulated->program;
    const Timeline& timeline = plan_->simulated->timeline;
    const Instructions& instructions = program.instructions();
    const auto item = [](std::size_t i) { return static_cast<std::int32_t>(i); };

    forwardBar_.assign(at(graph().operatorCount()), none);
    backwardBar_.assign(at(graph().operatorCount()), none);
    std::vector<std::pair<std::int32_t, std::int32_t>> recomputes;
    std::vector<Bar>& compute = bars_[0];
    compute.reserve(instructions.compute.size());
    for (std::size_t i = 0; i < instructions.compute.size(); ++i) {
        const ComputeItem& done = instructions.compute[i];
        const Interval when = computeInterval(program, timeline, item(i));
        BarKind kind = BarKind::Forward;
        switch (done.kind) {
        case ComputeKind::Forward:
            forwardBar_[at(done.op)] = item(i);
            backwardStartNs_ = when.toNs;
            break;
        case ComputeKind::Backward:
            kind = BarKind::Backward;
            backwardBar_[at(done.op)] = item(i);
            break;
        case ComputeKind::Recompute:
            kind = BarKind::Recompute;
            recomputes.emplace_back(done.op, item(i));
            break;
        }
        compute.push_back({when.fromNs, when.toNs, done.op, kind});
    }
    recomputeBars_ = rowsFrom(graph().operatorCount(), recomputes);

    offloadBar_.assign(at(graph().tensorCount()), none);
    bars_[1].reserve(instructions.offloads.size());
    for (std::size_t i = 0; i < instructions.offloads.size(); ++i) {
        const Interval when = offloadInterval(program, timeline, item(i));
        offloadBar_[at(instructions.offloads[i].tensor)] = item(i);
        bars_[1].push_back({when.fromNs, when.toNs, instructions.offloads[i].tensor, BarKind::Offload});
    }
    std::vector<std::pair<std::int32_t, std::int32_t>> prefetches;
    bars_[2].reserve(instructions.prefetches.size());
    for (std::size_t i = 0; i < instructions.prefetches.size(); ++i) {
        const Interval when = prefetchInterval(program, timeline, item(i));
        prefetches.emplace_back(instructions.prefetches[i].tensor, item(i));
        bars_[2].push_back({when.fromNs, when.toNs, instructions.prefetches[i].tensor, BarKind::Prefetch});
    }
    prefetchBars_ = rowsFrom(graph().tensorCount(), prefetches);

    for (const Stall& stall : slackscope::stalls(program, timeline)) {
        stalls_.push_back(
            {stall.fromNs, stall.toNs, instructions.compute[at(stall.item)].op,
             stall.cause == StallCause::Memory ? BarKind::MemoryStall : BarKind::TransferStall});
    }
    memory_ = timeline.memory;
    peakBytes_ = timeline.peakBytes;
    const auto peak = std::find_if(memory_.begin(), memory_.end(), [this](const MemoryPoint& point) {
        return point.residentBytes == peakBytes_;
    });
    if (peak != memory_.end())
        peakNs_ = peak->atNs;
}

std::span<const MemoryParts> StepPicture::memoryParts() const {
    std::call_once(partsOnce_, [this] { readParts(); });
    return parts_;
}

void StepPicture::readParts() const {
    if (!plan_->simulated)
        return;
    const auto& [program, timeline] = *plan_->simulated;
    struct Change {
        Nanoseconds atNs;
        Bytes bytes;
        BufferKind buffer;
    };
    std::vector<Change> changes;
    for (const Residency& residency : program.residencies()) {
        const Interval when = residencyInterval(program, timeline, residency);
        changes.push_back({when.fromNs, residency.bytes, residency.buffer});
        changes.push_back({when.toNs, -residency.bytes, residency.buffer});
    }
    std::sort(changes.begin(), changes.end(),
              [](const Change& a, const Change& b) { return a.atNs < b.atNs; });
    MemoryParts now;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const Change& change = changes[i];
        switch (change.buffer) {
        case BufferKind::Tensor:
            now.activations += change.bytes;
            break;
        case BufferKind::Gradient:
            now.gradients += change.bytes;
            break;
        case BufferKind::Workspace:
            now.workspaces += change.bytes;
            break;
        }
        if (i + 1 == changes.size() || changes[i + 1].atNs != change.atNs) {
            now.atNs = change.atNs;
            parts_.push_back(now);
        }
    }
}

std::optional<Decision> StepPicture::decision(TensorIndex t) const {
    if (!feasible() || !graph().isSaved(t))
        return std::nullopt;
    return plan_->decisions[at(t)];
}

std::vector<TensorEvent> StepPicture::events(TensorIndex t) const {
    using Role = TensorEvent::Role;
    std::vector<TensorEvent> found;
    if (!feasible() || t < 0 || t >= graph().tensorCount())
        return found;
    const auto add = [&](Role role, Lane lane, std::int32_t bar) {
        if (bar != none)
            found.push_back({role, lane, bar});
    };
    if (const OperatorIndex producer = graph().producer(t); producer != none) {
        add(Role::Produced, Lane::Compute, forwardBar_[at(producer)]);
        for (const std::int32_t bar : recomputeBars_[producer])
            add(Role::Recomputed, Lane::Compute, bar);
    }
    for (const OperatorIndex consumer : graph().consumers(t)) {
        add(Role::ForwardUse, Lane::Compute, forwardBar_[at(consumer)]);
        for (const std::int32_t bar : recomputeBars_[consumer])
            add(Role::RecomputeUse, Lane::Compute, bar);
    }
    for (const OperatorIndex saver : graph().savers(t))
        add(Role::BackwardUse, Lane::Compute, backwardBar_[at(saver)]);
    add(Role::Offload, Lane::DeviceToHost, offloadBar_[at(t)]);
    for (const std::int32_t bar : prefetchBars_[t])
        add(Role::Prefetch, Lane::HostToDevice, bar);
    std::stable_sort(found.begin(), found.end(), [this](const TensorEvent& a, const TensorEvent& b) {
        return bar(a).fromNs < bar(b).fromNs;
    });
    return found;
}

TensorIndex StepPicture::tensorOf(Lane lane, std::int32_t bar) const {
    const std::int32_t id = bars(lane)[at(bar)].id;
    if (lane != Lane::Compute)
        return id;
    const std::span<const TensorIndex> outputs = graph().outputs(id);
    const auto saved = std::find_if(outputs.begin(), outputs.end(),
                                    [this](TensorIndex output) { return graph().isSaved(output); });
    if (saved != outputs.end())
        return *saved;
    return outputs.empty() ? none : outputs.front();
}

std::optional<Interval> StepPicture::extent(const Selection& selection) const {
    std::optional<Interval> extent;
    const auto include = [&](const Bar& bar) {
        if (!extent)
            extent = Interval{bar.fromNs, bar.toNs};
        extent->fromNs = std::min(extent->fromNs, bar.fromNs);
        extent->toNs = std::max(extent->toNs, bar.toNs);
    };
    for (const TensorIndex t : selection.tensors) {
        for (const TensorEvent& event : events(t))
            include(bar(event));
    }
    if (feasible() && selection.op >= 0 && selection.op < graph().operatorCount()) {
        for (const std::int32_t bar : {forwardBar_[at(selection.op)], backwardBar_[at(selection.op)]})
            include(bars_[0][at(bar)]);
    }
    return extent;
}

std::int32_t StepPicture::barAt(Lane lane, double ns) const {
    return coveringBar(bars(lane), ns);
}

std::int32_t StepPicture::stallAt(double ns) const {
    return coveringBar(stalls_, ns);
}

std::int32_t StepPicture::barNear(Lane lane, double ns, double reachNs) const {
    if (const std::int32_t bar = barAt(lane, ns); bar != none)
        return bar;
    const std::span<const Bar> all = bars(lane);
    const auto next = std::upper_bound(all.begin(), all.end(), ns, [](double moment, const Bar& bar) {
        return moment < static_cast<double>(bar.fromNs);
    });
    std::int32_t nearest = none;
    double distance = reachNs;
    if (next != all.begin() && ns - static_cast<double>(std::prev(next)->toNs) <= distance) {
        nearest = static_cast<std::int32_t>(next - all.begin()) - 1;
        distance = ns - static_cast<double>(std::prev(next)->toNs);
    }
    if (next != all.end() && static_cast<double>(next->fromNs) - ns <= distance)
        nearest = static_cast<std::int32_t>(next - all.begin());
    return nearest;
}

Bytes StepPicture::residentAt(double ns) const {
    const auto next =
        std::upper_bound(memory_.begin(), memory_.end(), ns, [](double moment, const MemoryPoint& point) {
            return moment < static_cast<double>(point.atNs);
        });
    return next == memory_.begin() ? 0 : std::prev(next)->residentBytes;
}

RangeReadout StepPicture::read(Interval interval) const {
    RangeReadout readout;
    readout.interval = interval;
    const auto firstEndingAfter = [&](std::span<const Bar> all) {
        return std::lower_bound(all.begin(), all.end(), interval.fromNs,
                                [](const Bar& bar, Nanoseconds ns) { return bar.toNs < ns; });
    };
    for (const Lane lane : allLanes) {
        const std::span<const Bar> all = bars(lane);
        for (auto bar = firstEndingAfter(all); bar != all.end() && bar->fromNs <= interval.toNs; ++bar) {
            if (lane == Lane::Compute) {
                readout.computeBusy += static_cast<double>(std::max<Nanoseconds>(
                    0, std::min(bar->toNs, interval.toNs) - std::max(bar->fromNs, interval.fromNs)));
            } else {
                (lane == Lane::DeviceToHost ? readout.toHostBytes : readout.toDeviceBytes) +=
                    bytesInside(*bar, interval, graph().tensor(bar->id).bytes);
            }
        }
    }
    const Nanoseconds length = interval.toNs - interval.fromNs;
    readout.computeBusy = length > 0 ? readout.computeBusy / static_cast<double>(length) : 0;
    readout.peakBytes = residentAt(static_cast<double>(interval.fromNs));
    for (auto point = std::lower_bound(
             memory_.begin(), memory_.end(), interval.fromNs,
             [](const MemoryPoint&candidate, Nanoseconds ns) { return candidate.atNs < ns; });
         point != memory_.end() && point->atNs <= interval.toNs; ++point)
        readout.peakBytes = std::max(readout.peakBytes, point->residentBytes);
    return readout;
}

std::optional<Nanoseconds> StepPicture::previousEvent(Nanoseconds ns) const {
    std::optional<Nanoseconds> found;
    for (const std::vector<Bar>& lane : bars_) {
        const auto next = std::lower_bound(lane.begin(), lane.end(), ns,
                                           [](const Bar& bar, Nanoseconds t) { return bar.fromNs < t; });
        if (next != lane.begin())
            found = std::max(found.value_or(0), std::prev(next)->fromNs);
    }
    return found;
}

std::optional<Nanoseconds> StepPicture::nextEvent(Nanoseconds ns) const {
    std::optional<Nanoseconds> found;
    for (const std::vector<Bar>& lane : bars_) {
        const auto next = std::upper_bound(lane.begin(), lane.end(), ns,
                                           [](Nanoseconds t, const Bar& bar) { return t < bar.fromNs; });
        if (next != lane.end())
            found = std::min(found.value_or(next->fromNs), next->fromNs);
    }
    return found;
}

} // namespace slackscope::figures
