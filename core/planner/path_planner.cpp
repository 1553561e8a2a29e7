#include "core/planner/path_planner.h"

#include "core/planner/placement_plan.h"

#include <algorithm>
#include <utility>

namespace slackscope {

namespace {

constexpr Nanoseconds never = std::numeric_limits<Nanoseconds>::max();
constexpr Bytes roomsOfPeak = 200; // besides the stops' own peaks: every half percent

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

} // namespace

std::size_t mostStops(const StepGraph& graph) {
    constexpr std::size_t operatorsInAll = 2'000'000; // walked over by all stops of a path
    return std::clamp<std::size_t>(operatorsInAll / at(graph.operatorCount()), 64, 512);
}

std::size_t strideOf(std::size_t steps, const StepGraph& graph) {
    return std::max<std::size_t>(1, (steps + mostStops(graph) - 1) / mostStops(graph));
}

Bytes standardRoom(Bytes peak, Bytes budget, Bytes unlimitedPeak) {
    if (unlimitedPeak == 0)
        return peak;
    // A division for the step, then the room of that step or of the one beside it: both are rounded down.
    auto step = std::min<Wide>(2 * roomsOfPeak, Wide{budget} * roomsOfPeak / unlimitedPeak + 1);
    const auto room = [&] { return static_cast<Bytes>(Wide{unlimitedPeak} * step / roomsOfPeak); };
    while (step > 0 && room() > budget)
        --step;
    return std::max(peak, room());
}

PathPlanner::PathPlanner(std::shared_ptr<const StepGraph> graph, Pins pins, PlacementPaths paths,
                         std::size_t lookAhead)
    : lowering_(std::move(graph)), pins_(std::move(pins)), paths_(std::move(paths)), lookAhead_(lookAhead) {}

Placement PathPlanner::placementAt(std::size_t path, std::size_t stop) const {
    Placement placement = paths_[path]->at(stop);
    applyPins(pins_, placement);
    return placement;
}

bool PathPlanner::findPeaks(const StopRequested& stop) {
    unlimitedPeak_ = lowering_.peak(keepEverything(lowering_.graph())).bytes;
    least_ = {};
    for (std::size_t path = 0; path < paths_.size(); ++path) {
        std::vector<Stop>& stops = stops_.emplace_back(paths_[path]->count());
        for (std::size_t i = 0; i < stops.size(); ++i) {
            if (stop && stop())
                return false;
            stops[i].peak = lowering_.peak(placementAt(path, i));
            if (least_.op == none || stops[i].peak.bytes < least_.bytes) {
                least_ = stops[i].peak;
                leastPath_ = path;
                leastStop_ = i;
            }
            rooms_.push_back(stops[i].peak.bytes);
        }
        Nanoseconds fromHere = never;
        bool someWithout = false;
        for (std::size_t i = stops.size(); i-- > 0;) {
            if (stops[i].peak.recomputes > 0)
                fromHere = std::min(fromHere, stops[i].peak.recomputedNs);
            else
                someWithout = true;
            stops[i].recomputedFromNs = fromHere;
            stops[i].someWithout = someWithout;
        }
    }
    // With twice the unlimited peak nothing ever waits for room.
    for (Bytes i = 1; i <= 2 * roomsOfPeak; ++i)
        rooms_.push_back(static_cast<Bytes>(Wide{unlimitedPeak_} * i / roomsOfPeak));
    std::sort(rooms_.begin(), rooms_.end());
    rooms_.erase(std::unique(rooms_.begin(), rooms_.end()), rooms_.end());
    rooms_.erase(rooms_.begin(), std::lower_bound(rooms_.begin(), rooms_.end(), least_.bytes));
    if (!rooms_.empty() && rooms_.back() == unlimitedBudget)
        rooms_.pop_back(); // of stops that no budget runs
    transferLimits_.assign(rooms_.size(), 0);
    return true;
}

std::int32_t PathPlanner::roomWithin(Bytes budget) const {
    return static_cast<std::int32_t>(std::upper_bound(rooms_.begin(), rooms_.end(), budget) -
                                     rooms_.begin()) -
           1;
}

// Without recomputes, what keeping everything would hold above the room must have left for the host before an
// item can start, at no more than the best rate of any tensor and not before the first of them is there.
Nanoseconds PathPlanner::transferLimitNs(std::int32_t room) {
    Nanoseconds& limit = transferLimits_[at(room)];
    if (limit > 0)
        return limit;
    const StepGraph& graph = lowering_.graph();
    Bytes bestBytes = 0;
    Nanoseconds bestNs = 1;
    OperatorIndex firstReady = graph.operatorCount();
    for (const TensorIndex t : graph.savedTensors()) {
        const Bytes bytes = graph.tensor(t).bytes;
        if (!canOffload(graph, t))
            continue;
        firstReady = std::min(firstReady, graph.producer(t) + 1);
        const Nanoseconds copyNs = std::max<Nanoseconds>(graph.offloadNs(t), 1);
        if (Wide{bytes} * bestNs > Wide{bestBytes} * copyNs) {
            bestBytes = bytes;
            bestNs = copyNs;
        }
    }
    limit = graph.idealNs();
    if (bestBytes == 0)
        return limit;
    Nanoseconds readyNs = 0;
    for (OperatorIndex op = 0; op < firstReady; ++op)
        readyNs += graph.op(op).forwardNs;
    lowering_.peak(keepEverything(graph));
    const std::span<const Bytes> ledger = lowering_.ledger();
    Nanoseconds remainingNs = graph.idealNs();
    for (std::int32_t p = 0; p < 2 * graph.operatorCount(); ++p) {
        const Bytes above = ledger[at(p)] - rooms_[at(room)];
        if (above > 0)
            limit = std::max(limit, readyNs + static_cast<Nanoseconds>(Wide{above} * bestNs / bestBytes) +
                                        remainingNs);
        const bool forward = p < graph.operatorCount();
        remainingNs -=
            forward ? graph.op(p).forwardNs : graph.op(2 * graph.operatorCount() - 1 - p).backwardNs;
    }
    return limit;
}

Nanoseconds PathPlanner::optimisticNs(std::int32_t room) {
    Nanoseconds least = never;
    for (const auto& stops : stops_) {
        const auto first = std::find_if(stops.begin(), stops.end(), [&](const Stop& stop) {
            return stop.peak.bytes <= rooms_[at(room)];
        });
        if (first == stops.end())
            continue;
        if (first->recomputedFromNs < never)
            least = std::min(least, lowering_.graph().idealNs() + first->recomputedFromNs);
        if (first->someWithout)
            least = std::min(least, transferLimitNs(room));
    }
    return least;
}

Nanoseconds PathPlanner::stepNs(std::size_t path, std::size_t stop, std::int32_t room) {
    const std::uint64_t key =
        (std::uint64_t{path} << 56) | (std::uint64_t{stop} << 32) | static_cast<std::uint32_t>(room);
    if (const auto known = known_.find(key); known != known_.end())
        return known->second;
    const Nanoseconds took = simulatedStepNs(lowering_, placementAt(path, stop), rooms_[at(room)], storage_);
    known_.emplace(key, took);
    return took;
}

std::optional<PathPlanner::Choice> PathPlanner::best(std::int32_t room, Nanoseconds cutoffNs) {
    std::optional<Choice> best;
    const Bytes bytes = rooms_[at(room)];
    const auto consider = [&](std::size_t path, std::size_t index) {
        const LedgerPeak& peak = stops_[path][index].peak;
        if (peak.bytes > bytes)
            return;
        const Nanoseconds optimistic =
            peak.recomputes > 0 ? lowering_.graph().idealNs() + peak.recomputedNs : transferLimitNs(room);
        if (optimistic >= cutoffNs)
            return;
        const Nanoseconds took = stepNs(path, index, room);
        if (took < cutoffNs) {
            best = Choice{path, index, bytes, took};
            cutoffNs = took;
        }
    };
    for (std::size_t path = 0; path < paths_.size(); ++path) {
        const auto& stops = stops_[path];
        for (std::size_t first = 0; first < stops.size(); ++first) {
            if (stops[first].peak.bytes > bytes || (first > 0 && stops[first - 1].peak.bytes <= bytes))
                continue;
            consider(path, first);
            for (std::size_t i = 0; i < lookAhead_ && first + (std::size_t{1} << i) < stops.size(); ++i)
                consider(path, first + (std::size_t{1} << i));
        }
    }
    return best;
}

} // namespace slackscope
