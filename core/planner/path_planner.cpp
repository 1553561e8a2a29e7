#include "core/planner/path_planner.h"

#include "core/planner/placement_plan.h"

#include <algorithm>
#include <utility>

namespace slackscope {

namespace {

constexpr Nanoseconds never = std::numeric_limits<Nanoseconds>::max();
constexpr Bytes roomsOfPeak = 200; // besides the stops' own peaks: every half percent

} // namespace

PathPlanner::PathPlanner(std::shared_ptr<const StepGraph> graph, Pins pins, PlacementPaths paths,
                         std::size_t lookAhead)
    : lowering_(std::move(graph)), pins_(std::move(pins)), paths_(std::move(paths)), lookAhead_(lookAhead) {}

Placement PathPlanner::placementAt(std::size_t path, std::size_t stop) const {
    Placement placement = paths_[path]->at(stop);
    applyPins(pins_, placement);
    return placement;
}

bool PathPlanner::findPeaks(const StopRequested& stop) {
    const Nanoseconds idealNs = lowering_.graph().idealNs();
    unlimitedPeak_ = lowering_.peak(keepEverything(lowering_.graph())).bytes;
    least_ = {unlimitedBudget, none, 0};
    for (std::size_t path = 0; path < paths_.size(); ++path) {
        std::vector<Stop>& stops = stops_.emplace_back(paths_[path]->count());
        for (std::size_t i = 0; i < stops.size(); ++i) {
            if (stop && stop())
                return false;
            stops[i].peak = lowering_.peak(placementAt(path, i));
            stops[i].optimisticNs = idealNs + stops[i].peak.recomputedNs;
            if (least_.op == none || stops[i].peak.bytes < least_.bytes)
                least_ = stops[i].peak;
            rooms_.push_back(stops[i].peak.bytes);
        }
        Nanoseconds fromHere = never;
        for (std::size_t i = stops.size(); i-- > 0;)
            stops[i].optimisticFromNs = fromHere = std::min(fromHere, stops[i].optimisticNs);
    }
    for (Bytes i = 1; i <= roomsOfPeak; ++i)
        rooms_.push_back(static_cast<Bytes>(Wide{unlimitedPeak_} * i / roomsOfPeak));
    // With twice the unlimited peak nothing ever waits for room.
    rooms_.push_back(2 * unlimitedPeak_);
    std::sort(rooms_.begin(), rooms_.end());
    rooms_.erase(std::unique(rooms_.begin(), rooms_.end()), rooms_.end());
    rooms_.erase(rooms_.begin(), std::lower_bound(rooms_.begin(), rooms_.end(), least_.bytes));
    if (!rooms_.empty() && rooms_.back() == unlimitedBudget)
        rooms_.pop_back(); // of stops that no budget runs
    return true;
}

std::int32_t PathPlanner::roomWithin(Bytes budget) const {
    return static_cast<std::int32_t>(std::upper_bound(rooms_.begin(), rooms_.end(), budget) -
                                     rooms_.begin()) -
           1;
}

std::size_t PathPlanner::firstFit(std::size_t path, Bytes room) const {
    const auto& stops = stops_[path];
    return static_cast<std::size_t>(
        std::find_if(stops.begin(), stops.end(), [&](const Stop& stop) { return stop.peak.bytes <= room; }) -
        stops.begin());
}

Nanoseconds PathPlanner::optimisticNs(std::int32_t room) const {
    Nanoseconds least = never;
    for (std::size_t path = 0; path < paths_.size(); ++path) {
        const std::size_t first = firstFit(path, rooms_[static_cast<std::size_t>(room)]);
        if (first < stops_[path].size())
            least = std::min(least, stops_[path][first].optimisticFromNs);
    }
    return least;
}

Nanoseconds PathPlanner::stepNs(std::size_t path, std::size_t stop, std::int32_t room) {
    const std::uint64_t key =
        ((std::uint64_t{path} * mostStops * 2 + stop) << 32) | static_cast<std::uint32_t>(room);
    const auto [known, isNew] = known_.try_emplace(key, 0);
    if (isNew)
        known->second = simulatedStepNs(lowering_, placementAt(path, stop),
                                        rooms_[static_cast<std::size_t>(room)], storage_);
    return known->second;
}

std::optional<PathPlanner::Choice> PathPlanner::best(std::int32_t room, Nanoseconds cutoffNs) {
    std::optional<Choice> best;
    const Bytes bytes = rooms_[static_cast<std::size_t>(room)];
    for (std::size_t path = 0; path < paths_.size(); ++path) {
        const auto& stops = stops_[path];
        const std::size_t first = firstFit(path, bytes);
        std::size_t step = 0; // 0, 1, 2, 4, ... stops beyond the first
        for (std::size_t tried = 0; tried <= lookAhead_ && first + step < stops.size(); ++tried) {
            const Stop& stop = stops[first + step];
            if (stop.peak.bytes <= bytes && stop.optimisticNs < cutoffNs) {
                const Nanoseconds took = stepNs(path, first + step, room);
                if (took < cutoffNs) {
                    best = Choice{path, first + step, bytes, took};
                    cutoffNs = took;
                }
            }
            step = step == 0 ? 1 : 2 * step;
        }
    }
    return best;
}

} // namespace slackscope
