#include "core/planner/sweep.h"

#include "core/planner/lower_bound.h"
#include "core/planner/threads.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>

namespace slackscope {

namespace {

constexpr double freeLoss = 0.0005;

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

bool asksForEnd(const StopRequested& stop) {
    return stop && stop();
}

// What makes the points of one curve. Each copy is used by one thread at a time.
class Curve {
public:
    virtual ~Curve() = default;
    virtual SweepPoint at(Bytes budget) = 0;
};

class StrategyCurve final : public Curve {
public:
    explicit StrategyCurve(std::unique_ptr<PreparedStrategy> prepared)
        : prepared_(std::move(prepared)), minimum_(prepared_->plan(0).minimumBudgetBytes) {}

    Bytes minimum() const { return minimum_; }
    SweepPoint at(Bytes budget) override { return sweepPointOf(prepared_->plan(budget)); }

private:
    std::unique_ptr<PreparedStrategy> prepared_;
    Bytes minimum_;
};

class BoundCurve final : public Curve {
public:
    explicit BoundCurve(const std::shared_ptr<const StepGraph>& graph)
        : graph_(graph), idealNs_(graph->idealNs()) {}

    SweepPoint at(Bytes budget) override {
        SweepPoint point;
        point.budgetBytes = budget;
        point.feasible = true;
        // A fresh one each time: the solver must not know which budgets this thread has seen before.
        point.stepNs = LowerBound(graph_).stepNs(budget);
        point.throughputOfIdeal =
            point.stepNs == 0 ? 1.0 : static_cast<double>(idealNs_) / static_cast<double>(point.stepNs);
        // All of the loss is of one kind.
        point.recomputedNs = point.stepNs - idealNs_;
        return point;
    }

private:
    std::shared_ptr<const StepGraph> graph_;
    Nanoseconds idealNs_;
};

// The lattice of an adaptive sweep: the grid, each interval cut into equal parts.
class Lattice {
public:
    Lattice(const std::vector<Bytes>& grid, std::int32_t splits) : grid_(grid), parts_(Bytes{1} << splits) {}

    // The lattice budget nearest to the middle, by count, of those strictly between two budgets.
    std::optional<Bytes> between(Bytes low, Bytes high) const {
        const std::int64_t first = firstAbove(low);
        const std::int64_t end = firstAbove(high - 1); // the first that is not below `high`
        if (first >= end)
            return std::nullopt;
        return at(first + (end - 1 - first) / 2);
    }

private:
    std::int64_t size() const { return (static_cast<std::int64_t>(grid_.size()) - 1) * parts_ + 1; }
    Bytes at(std::int64_t index) const {
        const auto interval = static_cast<std::size_t>(index / parts_);
        const std::int64_t part = index % parts_;
        if (part == 0)
            return grid_[interval];
        return grid_[interval] +
               static_cast<Bytes>(Wide{grid_[interval + 1] - grid_[interval]} * part / parts_);
    }
    std::int64_t firstAbove(Bytes budget) const {
        std::int64_t low = 0;
        std::int64_t high = size();
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            if (at(middle) > budget)
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }

    const std::vector<Bytes>& grid_;
    std::int64_t parts_;
};

// Both ends, the middle, the quarters, ...: what is shown meanwhile covers the whole range.
void queueCoarseToFine(const std::vector<Bytes>& budgets, std::deque<Bytes>& queue) {
    const std::size_t last = budgets.size() - 1;
    queue.push_back(budgets[last]);
    if (last > 0)
        queue.push_back(budgets[0]);
    std::size_t stride = 1;
    while (stride < last)
        stride *= 2;
    for (; stride >= 2; stride /= 2) {
        for (std::size_t i = stride / 2; i < last; i += stride)
            queue.push_back(budgets[i]);
    }
}

class Sweeper {
public:
    Sweeper(const SweepRequest& request, SweepObserver* observer, const StopRequested& stop)
        : request_(request), observer_(observer), stop_(stop), lattice_(request.grid, request.splits),
          threads_(request.threads == 0 ? coreCount() : request.threads) {
        for (const StrategyInfo* strategy : request.strategies)
            curves_.emplace_back().strategy = strategy;
        if (request.withBound)
            curves_.emplace_back();
    }

    std::optional<Sweep> run() {
        if (!curves_.empty())
            runOnThreads(
                threads_, [this] { work(); }, [this] { end(); });
        if (ended_)
            return std::nullopt;
        Sweep sweep;
        sweep.unlimitedPeakBytes = unlimitedPeak(request_.graph);
        sweep.idealNs = request_.graph->idealNs();
        sweep.grid = request_.grid;
        for (const State& state : curves_) {
            if (!state.strategy) {
                for (const auto& [budget, point] : state.points)
                    sweep.bound.push_back({budget, point.stepNs});
                continue;
            }
            SweepCurve& curve = sweep.curves.emplace_back();
            curve.strategy = state.strategy->id;
            curve.minimumBudgetBytes = state.minimum;
            for (const auto& [budget, point] : state.points)
                curve.points.push_back(point);
        }
        return sweep;
    }

private:
    struct State {
        const StrategyInfo* strategy = nullptr; // nullptr: the bound
        Bytes minimum = 0;
        std::map<Bytes, SweepPoint> points;
        std::deque<Bytes> waiting; // of this round
        int running = 0;           // points of this round that are being made
        bool started = false;
        bool done = false;
        std::vector<std::unique_ptr<Curve>> idle;
        unsigned copies = 0; // idle, in use and being prepared
        Seconds preparing{}; // of the first copy
        Seconds working{};   // for all points so far
        std::size_t worked = 0;
    };

    struct Job {
        State* state = nullptr;
        std::unique_ptr<Curve> curve; // absent: prepare one
        std::optional<Bytes> budget;  // absent: prepare the first
    };

    void end() {
        {
            const std::lock_guard lock(mutex_);
            ended_ = true;
        }
        wake_.notify_all();
    }

    void work() {
        while (std::optional<Job> job = next()) {
            if (asksForEnd(stop_) || !run(*job)) {
                end();
                return;
            }
        }
    }

    std::optional<Job> next() {
        std::unique_lock lock(mutex_);
        for (;;) {
            if (ended_ || std::all_of(curves_.begin(), curves_.end(), [](const State& s) { return s.done; }))
                return std::nullopt;
            if (auto job = choose())
                return job;
            wake_.wait(lock);
        }
    }

    // What is begun first, in order; a further copy of a strategy only where there is nothing else to do.
    std::optional<Job> choose() {
        for (State& state : curves_) {
            if (!state.started) {
                state.started = true;
                ++state.copies;
                return Job{&state, nullptr, std::nullopt};
            }
            if (state.waiting.empty() || state.idle.empty())
                continue;
            Job job{&state, std::move(state.idle.back()), state.waiting.front()};
            state.idle.pop_back();
            state.waiting.pop_front();
            ++state.running;
            return job;
        }
        for (State& state : curves_) {
            if (state.waiting.empty() || !isWorthACopy(state))
                continue;
            Job job{&state, nullptr, state.waiting.front()};
            state.waiting.pop_front();
            ++state.running;
            ++state.copies;
            return job;
        }
        return std::nullopt;
    }

    // Whether the points that wait would be made so much sooner that a copy is made up for.
    bool isWorthACopy(const State& state) const {
        if (state.worked == 0 || state.copies >= threads_)
            return false;
        const double left = state.working.count() / static_cast<double>(state.worked) *
                            static_cast<double>(state.waiting.size());
        return left / state.copies - left / (state.copies + 1) > state.preparing.count();
    }

    std::unique_ptr<Curve> prepare(const State& state, std::optional<Bytes>& minimum) {
        if (!state.strategy)
            return std::make_unique<BoundCurve>(request_.graph);
        auto prepared = state.strategy->prepare(request_.graph, request_.pins, stop_);
        if (!prepared)
            return nullptr;
        refineFully(*prepared, stop_);
        if (asksForEnd(stop_))
            return nullptr; // perhaps not refined to its end
        auto curve = std::make_unique<StrategyCurve>(std::move(prepared));
        minimum = curve->minimum();
        return curve;
    }

    // False: stopped.
    bool run(Job& job) {
        State& state = *job.state;
        if (!job.curve) {
            const auto begin = Clock::now();
            std::optional<Bytes> minimum;
            job.curve = prepare(state, minimum);
            if (!job.curve)
                return false;
            if (!job.budget) {
                begun(state, std::move(job.curve), minimum, Clock::now() - begin);
                return true;
            }
        }
        const auto begin = Clock::now();
        const SweepPoint point = job.curve->at(*job.budget);
        found(state, std::move(job.curve), point, Clock::now() - begin);
        return true;
    }

    void begun(State& state, std::unique_ptr<Curve> curve, std::optional<Bytes> minimum, Seconds took) {
        if (observer_ && minimum) {
            const std::lock_guard lock(observerMutex_);
            observer_->minimumFound(indexOf(state), *minimum);
        }
        {
            const std::lock_guard lock(mutex_);
            state.idle.push_back(std::move(curve));
            state.preparing = took;
            queueCoarseToFine(request_.grid, state.waiting);
            if (minimum) {
                state.minimum = *minimum;
                if (*minimum > request_.grid.front() && *minimum < request_.grid.back() &&
                    !std::binary_search(request_.grid.begin(), request_.grid.end(), *minimum))
                    state.waiting.push_front(*minimum);
            }
        }
        wake_.notify_all();
    }

    void found(State& state, std::unique_ptr<Curve> curve, const SweepPoint& point, Seconds took) {
        if (observer_) {
            const std::lock_guard lock(observerMutex_);
            if (state.strategy)
                observer_->pointFound(indexOf(state), point);
            else
                observer_->boundFound({point.budgetBytes, point.stepNs});
        }
        double progress = 0;
        bool isLast = false;
        {
            const std::lock_guard lock(mutex_);
            state.points.emplace(point.budgetBytes, point);
            state.idle.push_back(std::move(curve));
            state.working += took;
            ++state.worked;
            --state.running;
            if (state.waiting.empty() && state.running == 0)
                endRound(state);
            isLast = state.done;
            progress = progressNow();
        }
        wake_.notify_all();
        if (observer_) {
            const std::lock_guard lock(observerMutex_);
            if (isLast && state.strategy)
                observer_->curveFinished(indexOf(state));
            else if (isLast)
                observer_->boundFinished();
            shown_ = std::max(shown_, progress);
            observer_->progressed(shown_);
        }
    }

    void endRound(State& state) {
        if (request_.splits > 0)
            addPoints(state);
        if (!state.waiting.empty())
            return;
        state.done = true;
        state.idle.clear();
        state.copies = 0;
    }

    void addPoints(State& state) {
        std::vector<const SweepPoint*> points; // feasible ones
        for (const auto& [budget, point] : state.points) {
            if (point.feasible)
                points.push_back(&point);
        }
        const auto bend = [&](std::size_t i) {
            if (i == 0 || i + 1 >= points.size())
                return 0.0;
            const SweepPoint& before = *points[i - 1];
            const SweepPoint& after = *points[i + 1];
            const double share = static_cast<double>(points[i]->budgetBytes - before.budgetBytes) /
                                 static_cast<double>(after.budgetBytes - before.budgetBytes);
            const double chord =
                before.throughputOfIdeal + share * (after.throughputOfIdeal - before.throughputOfIdeal);
            return std::abs(points[i]->throughputOfIdeal - chord);
        };
        for (std::size_t i = 0; i + 1 < points.size(); ++i) {
            const SweepPoint& low = *points[i];
            const SweepPoint& high = *points[i + 1];
            if (effectOf(low) == effectOf(high) && bend(i) <= request_.bendTolerance &&
                bend(i + 1) <= request_.bendTolerance &&
                std::abs(high.throughputOfIdeal - low.throughputOfIdeal) <= request_.largestFall)
                continue;
            if (const auto middle = lattice_.between(low.budgetBytes, high.budgetBytes))
                state.waiting.push_back(*middle);
        }
    }

    double progressNow() const {
        double sum = 0;
        for (const State& state : curves_) {
            const double made = static_cast<double>(state.points.size());
            const double known = made + static_cast<double>(state.waiting.size()) + state.running;
            if (state.done)
                sum += 1;
            else if (known > 0)
                sum += made / known * (request_.splits > 0 ? 0.9 : 1.0); // more may come
        }
        return sum / static_cast<double>(curves_.size());
    }

    std::size_t indexOf(const State& state) const {
        return static_cast<std::size_t>(std::find_if(curves_.begin(), curves_.end(),
                                                     [&](const State& other) { return &other == &state; }) -
                                        curves_.begin());
    }

    const SweepRequest& request_;
    SweepObserver* observer_;
    const StopRequested& stop_;
    Lattice lattice_;
    unsigned threads_;

    std::mutex mutex_; // guards all below but the next two
    std::mutex observerMutex_;
    double shown_ = 0; // progress that the observer was told
    std::condition_variable wake_;
    std::deque<State> curves_;
    bool ended_ = false; // stopped or failed
};

} // namespace

SweepPoint sweepPointOf(const Plan& plan) {
    SweepPoint point;
    point.budgetBytes = plan.budgetBytes;
    if (!plan.feasible())
        return point;
    const Timeline& timeline = plan.simulated->timeline;
    point.feasible = true;
    point.stepNs = timeline.stepNs;
    point.throughputOfIdeal = plan.throughputOfIdeal();
    point.recomputedNs = timeline.recomputedNs;
    point.memoryStallNs = timeline.memoryStallNs;
    point.transferStallNs = timeline.transferStallNs;
    point.peakBytes = timeline.peakBytes;
    point.offloadedBytes = plan.offloadedBytes;
    return point;
}

BudgetEffect effectOf(const SweepPoint& point) {
    if (!point.feasible)
        return BudgetEffect::Infeasible;
    if (point.throughputOfIdeal >= 1 - freeLoss)
        return BudgetEffect::Free;
    return point.memoryStallNs + point.transferStallNs > point.recomputedNs ? BudgetEffect::Stalls
                                                                            : BudgetEffect::Recomputes;
}

std::vector<Bytes> evenBudgets(Bytes from, Bytes to, std::int32_t steps) {
    std::vector<Bytes> budgets;
    for (std::int32_t i = 0; i + 1 < steps; ++i) {
        const auto budget = static_cast<Bytes>(from + Wide{to - from} * i / (steps - 1));
        if (budgets.empty() || budget > budgets.back())
            budgets.push_back(budget);
    }
    if (budgets.empty() || to > budgets.back())
        budgets.push_back(to);
    return budgets;
}

void SweepObserver::minimumFound(std::size_t /*curve*/, Bytes /*minimumBudgetBytes*/) {}
void SweepObserver::pointFound(std::size_t /*curve*/, const SweepPoint& /*point*/) {}
void SweepObserver::boundFound(const BoundPoint& /*point*/) {}
void SweepObserver::curveFinished(std::size_t /*curve*/) {}
void SweepObserver::boundFinished() {}
void SweepObserver::progressed(double /*fraction*/) {}

std::optional<Sweep> runSweep(const SweepRequest& request, SweepObserver* observer,
                              const StopRequested& stop) {
    return Sweeper(request, observer, stop).run();
}

} // namespace slackscope
