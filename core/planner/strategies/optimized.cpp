// optimized: the fastest plan that the product can find, at any budget.
//
// The first answer is slackswap's first stop that fits. Rounds of refinement then add, one by one, the paths
// of slackswap, of its own (drop_groups.h) and of every other strategy, and after that local searches for a
// ladder of rooms. What fits a smaller budget fits a larger one, so a budget's plan is the fastest of all
// that was found for it and for any smaller one: once all paths are in, never slower than another strategy's,
// and never slower than its own at a smaller budget. Before that the first answers are only quick.
#include "core/planner/group_path.h"
#include "core/planner/path_planner.h"
#include "core/planner/placement_plan.h"
#include "core/planner/placement_search.h"

#include <algorithm>
#include <map>
#include <utility>

namespace slackscope {

extern const StrategyInfo slackswapStrategy;
extern const StrategyInfo optimizedStrategy;

namespace {

constexpr Nanoseconds never = std::numeric_limits<Nanoseconds>::max();

// The local searches: rooms at every 2.5 % of the unlimited peak, each from the best of the room before. Each
// round walks over so many operators, twice as many as the one before, shared by the rooms in proportion to
// what they have to gain at most. Only for small profiles: their working sets are uneven and they gain much;
// on large ones the paths find nearly all there is.
constexpr Bytes ladderSteps = 40;
constexpr Bytes stepsAboveLeast = 4;
constexpr std::int32_t mostSearchedOperators = 128;
constexpr std::int64_t mostInFirstRound = 1'200'000;
constexpr std::int64_t inFirstRoundBySquare = 500; // times the square of the operators
constexpr std::uint64_t searchRounds = 4;

// The searches for one budget: many short ones, each from everything released, find more than a long one.
constexpr int searchesAtBudget = 12;
constexpr std::int64_t mostAtBudget = 2'000'000; // operators that one of them walks over
constexpr std::int64_t atBudgetBySquare = 625;

PlacementPaths ownPaths(const std::shared_ptr<const StepGraph>& graph, const Pins& pins) {
    PlacementPaths made;
    made.push_back(groupPath(graph, pins, Offloads::Hidden));
    return made;
}

class Optimized final : public PreparedStrategy {
public:
    Optimized(const std::shared_ptr<const StepGraph>& graph, const Pins& pins)
        : graph_(graph), pins_(pins), lowering_(graph), quickPaths_(slackswapStrategy.paths(graph, pins)),
          quickPeaks_(quickPaths_.front()->count()),
          unlimitedPeak_(lowering_.peak(keepEverything(*graph)).bytes) {
        sources_.push_back({slackswapStrategy.paths, slackswapStrategy.lookAhead});
        sources_.push_back({ownPaths, slackswapStrategy.lookAhead});
        for (const StrategyInfo* strategy : strategies()) {
            if (strategy->paths && strategy != &slackswapStrategy)
                sources_.push_back({strategy->paths, strategy->lookAhead});
        }
    }

    Plan plan(Bytes budget) override {
        // Where the end of slackswap's path does not fit, every path is tried at once.
        if (planners_.size() < sources_.size() && quickPeak(quickPaths_.front()->count() - 1).bytes > budget)
            return withAllPaths().plan(budget);
        Best best = planners_.empty() ? quickBest(budget) : bestWithin(budget);
        const LedgerPeak least = leastPeak();
        Plan plan = best.stepNs < never
                        ? simulatePlacement(lowering_, best.placement, best.room, optimizedStrategy.id)
                        : infeasiblePlan(lowering_, pins_, budget, least, optimizedStrategy.id);
        plan.pins = pins_;
        plan.budgetBytes = budget;
        plan.unlimitedPeakBytes = unlimitedPeak_;
        plan.minimumBudgetBytes = least.bytes;
        return plan;
    }

    bool refine(const StopRequested& stop) override {
        return planners_.size() < sources_.size() ? addPlanner(stop) : searchLadder(stop);
    }

    bool refineAt(Bytes budget, const StopRequested& stop) override {
        if (stop && stop())
            return false;
        if (planners_.size() < sources_.size())
            return addPlanner(stop);
        const std::int64_t operators = graph_->operatorCount();
        if (operators > mostSearchedOperators || !search().hasChoices())
            return false;
        int& searches = searchesAt_[budget];
        const Nanoseconds shownNs = bestWithin(budget).stepNs;
        const int most = shownNs < never ? searchesAtBudget : 1; // one to see whether any program fits
        if (searches >= most || !isWorthSearching(shownNs))
            return false;
        const std::int64_t tries =
            std::min(mostAtBudget, atBudgetBySquare * operators * operators) / operators;
        auto state = search().improve(search().evaluate(everythingReleased(), budget), budget, tries,
                                      static_cast<std::uint64_t>(searches), stop);
        if (!state)
            return false;
        ++searches;
        if (state->excessBytes > 0 || state->stepNs >= shownNs)
            return true;
        if (state->peakBytes < leastPeak().bytes) {
            const Nanoseconds stepNs =
                simulatedStepNs(lowering_, state->placement, state->peakBytes, storage_);
            takeLeast({state->placement, state->peakBytes, stepNs});
        }
        std::erase_if(
            found_, [&](const Best& other) { return other.room >= budget && other.stepNs >= state->stepNs; });
        found_.push_back({std::move(state->placement), budget, state->stepNs});
        return true;
    }

private:
    struct Source {
        PlacementPaths (*paths)(const std::shared_ptr<const StepGraph>& graph, const Pins& pins) = nullptr;
        std::size_t lookAhead = 0;
    };
    struct Best {
        Placement placement;
        Bytes room = 0;
        Nanoseconds stepNs = never; // simulated in that room
    };

    Placement quickPlacement(std::size_t stop) const {
        Placement placement = quickPaths_.front()->at(stop);
        applyPins(pins_, placement);
        return placement;
    }

    LedgerPeak quickPeak(std::size_t stop) {
        std::optional<LedgerPeak>& peak = quickPeaks_[stop];
        if (!peak)
            peak = lowering_.peak(quickPlacement(stop));
        return *peak;
    }

    // Bisection for the first stop that fits (the last does), and a few stops beyond. In a room that
    // PathPlanner has too, so that the rounds to come lose nothing.
    Best quickBest(Bytes budget) {
        Best best;
        std::size_t low = 0;
        std::size_t high = quickPeaks_.size() - 1;
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (quickPeak(middle).bytes <= budget)
                high = middle;
            else
                low = middle + 1;
        }
        const Bytes room = standardRoom(quickPeak(low).bytes, budget, unlimitedPeak_);
        for (const std::size_t beyond : {0, 1, 2, 4, 8, 16}) {
            const std::size_t stop = low + beyond;
            if (stop >= quickPeaks_.size() || quickPeak(stop).bytes > room)
                continue;
            Placement placement = quickPlacement(stop);
            const Nanoseconds stepNs = simulatedStepNs(lowering_, placement, room, storage_);
            if (stepNs < best.stepNs)
                best = {std::move(placement), room, stepNs};
        }
        return best;
    }

    // One of its own, as this one will be when all paths are in.
    Optimized& withAllPaths() {
        if (!complete_) {
            complete_ = std::make_unique<Optimized>(graph_, pins_);
            while (complete_->planners_.size() < complete_->sources_.size())
                complete_->refine({});
        }
        return *complete_;
    }

    bool addPlanner(const StopRequested& stop) {
        const Source& source = sources_[planners_.size()];
        PathPlanner planner(graph_, pins_, source.paths(graph_, pins_), source.lookAhead);
        if (!planner.findPeaks(stop))
            return false;
        planners_.push_back(std::move(planner));
        if (planners_.size() == sources_.size())
            complete_.reset();
        return true;
    }

    Best bestWithin(Bytes budget) {
        Best best;
        for (const Best& found : found_) {
            if (found.room <= budget && found.stepNs < best.stepNs)
                best = found;
        }
        for (PathPlanner& planner : planners_) {
            std::optional<PathPlanner::Choice> chosen;
            for (std::int32_t room = planner.roomWithin(budget); room >= 0; --room) {
                const Nanoseconds cutoff = chosen ? chosen->stepNs : best.stepNs;
                if (planner.optimisticNs(room) >= cutoff)
                    break;
                if (const auto faster = planner.best(room, cutoff))
                    chosen = faster;
            }
            if (chosen)
                best = {planner.placementOf(*chosen), chosen->room, chosen->stepNs};
        }
        return best;
    }

    LedgerPeak leastPeak() {
        LedgerPeak least = leastFound_;
        const auto consider = [&](const LedgerPeak& peak) {
            if (least.op == none || peak.bytes < least.bytes)
                least = peak;
        };
        for (const PathPlanner& planner : planners_)
            consider(planner.least());
        if (planners_.empty())
            consider(quickPeak(quickPeaks_.size() - 1));
        return least;
    }

    // More to gain than anybody would see: a tenth of a percent.
    bool isWorthSearching(Nanoseconds stepNs) const {
        return stepNs - graph_->idealNs() > graph_->idealNs() / 1'000;
    }

    PlacementSearch& search() {
        if (!search_)
            search_.emplace(graph_, pins_);
        return *search_;
    }

    Placement everythingReleased() const {
        Placement placement = keepEverything(*graph_);
        for (const TensorIndex t : graph_->savedTensors()) {
            if (canDrop(*graph_, t))
                placement.decisions[static_cast<std::size_t>(t)] = Decision::Recompute;
        }
        applyPins(pins_, placement);
        return placement;
    }

    struct Rung {
        Bytes room = 0;
        Best start;
    };

    // From the least peak there is to the first of the ladder the step time falls fast, so there are more.
    std::optional<std::vector<Rung>> rungsToSearch(const Best& least, const StopRequested& stop) {
        std::vector<Bytes> rooms;
        for (Bytes i = 1; i <= ladderSteps; ++i) {
            const auto room = static_cast<Bytes>(Wide{unlimitedPeak_} * i / ladderSteps);
            if (room <= least.room)
                continue;
            for (Bytes part = 0; rooms.empty() && part < stepsAboveLeast; ++part)
                rooms.push_back(least.room + (room - least.room) * part / stepsAboveLeast);
            rooms.push_back(room);
        }
        std::vector<Rung> made;
        for (const Bytes room : rooms) {
            if (stop && stop())
                return std::nullopt;
            Best start = bestWithin(room);
            if (least.stepNs < start.stepNs)
                start = least;
            if (start.stepNs < never && isWorthSearching(start.stepNs))
                made.push_back({room, std::move(start)});
        }
        return made;
    }

    bool searchLadder(const StopRequested& stop) {
        if (round_ == searchRounds || graph_->operatorCount() > mostSearchedOperators)
            return false;
        if (!search().hasChoices())
            return false;
        const std::int64_t operators = graph_->operatorCount();
        const std::int64_t tries =
            (std::min(mostInFirstRound, inFirstRoundBySquare * operators * operators) << round_) / operators;
        std::optional<Best> least = searchLeast(tries / 8, stop);
        if (!least)
            return false;
        std::optional<std::vector<Rung>> rungs = rungsToSearch(*least, stop);
        if (!rungs)
            return false;
        Wide gain = 0;
        for (const Rung& rung : *rungs)
            gain += rung.start.stepNs - graph_->idealNs();
        std::vector<Best> found;
        for (std::size_t i = 0; i < rungs->size(); ++i) {
            auto& [room, start] = (*rungs)[i];
            const auto share =
                static_cast<std::int64_t>(Wide{start.stepNs - graph_->idealNs()} * tries / gain);
            if (!found.empty() && found.back().stepNs < start.stepNs)
                start = found.back();
            auto state =
                search().improve(search().evaluate(start.placement, room), room, share, seedOf(i + 1), stop);
            if (!state)
                return false;
            if (state->excessBytes == 0 && state->stepNs < start.stepNs)
                found.push_back({std::move(state->placement), room, state->stepNs});
        }
        found_.insert(found_.end(), std::make_move_iterator(found.begin()),
                      std::make_move_iterator(found.end()));
        if (least->room < leastPeak().bytes)
            takeLeast(std::move(*least));
        ++round_;
        return true;
    }

    std::uint64_t seedOf(std::uint64_t rung) const {
        return round_ * (ladderSteps + stepsAboveLeast + 1) + rung;
    }

    // The least peak there is, which is the smallest budget of all.
    std::optional<Best> searchLeast(std::int64_t tries, const StopRequested& stop) {
        const auto planner = std::min_element(
            planners_.begin(), planners_.end(),
            [](const PathPlanner& a, const PathPlanner& b) { return a.least().bytes < b.least().bytes; });
        Placement start = least_ ? *least_ : planner->leastPlacement();
        auto state = search().improve(search().evaluate(std::move(start), 0), 0, tries, seedOf(0), stop);
        if (!state)
            return std::nullopt;
        const Nanoseconds stepNs = simulatedStepNs(lowering_, state->placement, state->peakBytes, storage_);
        return Best{std::move(state->placement), state->peakBytes, stepNs};
    }

    void takeLeast(Best least) {
        leastFound_ = lowering_.peak(least.placement);
        least_ = least.placement;
        found_.push_back(std::move(least));
    }

    std::shared_ptr<const StepGraph> graph_;
    Pins pins_;
    Lowering lowering_;
    std::vector<Source> sources_;
    PlacementPaths quickPaths_;
    std::vector<std::optional<LedgerPeak>> quickPeaks_; // by stop of the first path, as far as asked for
    std::vector<PathPlanner> planners_;                 // of the first sources, as far as refined
    std::optional<PlacementSearch> search_;
    std::vector<Best> found_;         // by the searches
    std::optional<Placement> least_;  // that the searches found
    LedgerPeak leastFound_;           // its peak
    std::map<Bytes, int> searchesAt_; // by budget: those for it alone
    std::uint64_t round_ = 0;         // of the searches
    std::unique_ptr<Optimized> complete_;
    Bytes unlimitedPeak_ = 0;
    Timeline storage_;
};

std::unique_ptr<PreparedStrategy> prepare(const std::shared_ptr<const StepGraph>& graph, const Pins& pins,
                                          const StopRequested& /*stop*/) {
    return std::make_unique<Optimized>(graph, pins);
}

} // namespace

const StrategyInfo optimizedStrategy{
    "optimized", "Optimized", "the fastest plan found, with a proven bound beside it", nullptr, 0, prepare};

} // namespace slackscope
