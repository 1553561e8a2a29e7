#include "core/planner/sweep.h"

#include "core/planner/lower_bound.h"
#include "core/planner/threads.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>

#include <time.h> // NOLINT(modernize-deprecated-headers): POSIX

namespace slackscope {

namespace {

constexpr double freeLoss = 0.0005;
// Budgets that the bound is found for one after the other. Part of the result's last digits, so not of the
// number of threads.
constexpr std::size_t boundBatch = 16;

// Processor time of this thread, in seconds: a sweep that is held, or that waits for a core, works on
// nothing.
double workedSeconds() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

bool asksForEnd(const StopRequested& stop) {
    return stop && stop();
}

// Budgets whose points are made together, in this order.
using Batch = std::vector<Bytes>;

// What makes the points of one curve. Each copy is used by one thread at a time.
class Curve {
public:
    virtual ~Curve() = default;
    // One for each budget, or fewer when stopped.
    virtual std::vector<SweepPoint> at(const Batch& budgets) = 0;
};

class StrategyCurve final : public Curve {
public:
    explicit StrategyCurve(std::unique_ptr<PreparedStrategy> prepared)
        : prepared_(std::move(prepared)), minimum_(prepared_->plan(0).minimumBudgetBytes) {}

    Bytes minimum() const { return minimum_; }
    std::vector<SweepPoint> at(const Batch& budgets) override {
        std::vector<SweepPoint> points;
        for (const Bytes budget : budgets)
            points.push_back(sweepPointOf(prepared_->plan(budget)));
        return points;
    }

private:
    std::unique_ptr<PreparedStrategy> prepared_;
    Bytes minimum_;
};

class BoundCurve final : public Curve {
public:
    BoundCurve(const std::shared_ptr<const StepGraph>& graph, const StopRequested& stop)
        : idealNs_(graph->idealNs()), bound_(graph), stop_(stop) {}

    std::vector<SweepPoint> at(const Batch& budgets) override {
        std::vector<SweepPoint> points;
        for (const Nanoseconds bound : bound_.stepsNs(budgets, stop_)) {
            SweepPoint& point = points.emplace_back();
            point.budgetBytes = budgets[points.size() - 1];
            point.feasible = true;
            point.stepNs = bound;
            point.throughputOfIdeal =
                bound == 0 ? 1.0 : static_cast<double>(idealNs_) / static_cast<double>(bound);
            point.recomputedNs = bound - idealNs_; // all of the loss is of one kind
        }
        return points;
    }

private:
    Nanoseconds idealNs_;
    LowerBound bound_;
    const StopRequested& stop_;
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
std::vector<Bytes> coarseToFine(const std::vector<Bytes>& budgets) {
    const std::size_t last = budgets.size() - 1;
    std::vector<Bytes> order{budgets[last]};
    if (last > 0)
        order.push_back(budgets[0]);
    std::size_t stride = 1;
    while (stride < last)
        stride *= 2;
    for (; stride >= 2; stride /= 2) {
        for (std::size_t i = stride / 2; i < last; i += stride)
            order.push_back(budgets[i]);
    }
    return order;
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
                // What no program beats at a larger budget, none beats at a smaller one.
                for (std::size_t i = sweep.bound.size(); i-- > 1;)
                    sweep.bound[i - 1].lowerBoundNs =
                        std::max(sweep.bound[i - 1].lowerBoundNs, sweep.bound[i].lowerBoundNs);
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
        std::deque<Batch> waiting;  // of this round
        std::size_t unfinished = 0; // points of this round, waiting or being made
        std::size_t waitingPoints() const {
            std::size_t count = 0;
            for (const Batch& batch : waiting)
                count += batch.size();
            return count;
        }
        bool started = false;
        bool done = false;
        std::vector<std::unique_ptr<Curve>> idle;
        unsigned copies = 0;   // idle, in use and being prepared
        double preparingS = 0; // processor time: of the first copy
        double workingS = 0;   // for all points so far
        std::size_t worked = 0;
    };

    struct Job {
        State* state = nullptr;
        std::unique_ptr<Curve> curve; // absent: prepare one
        Batch budgets;                // none: prepare the first
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
                return Job{&state, nullptr, {}};
            }
            if (state.waiting.empty() || state.idle.empty())
                continue;
            Job job{&state, std::move(state.idle.back()), std::move(state.waiting.front())};
            state.idle.pop_back();
            state.waiting.pop_front();
            return job;
        }
        for (State& state : curves_) {
            if (state.waiting.empty() || !isWorthACopy(state))
                continue;
            Job job{&state, nullptr, std::move(state.waiting.front())};
            state.waiting.pop_front();
            ++state.copies;
            return job;
        }
        return std::nullopt;
    }

    // Whether the points that wait would be made so much sooner that a copy is made up for.
    bool isWorthACopy(const State& state) const {
        if (state.copies == 0 || state.copies >= threads_)
            return false; // the first is being prepared, or there are enough
        if (state.worked == 0)
            return false;
        const double left =
            state.workingS / static_cast<double>(state.worked) * static_cast<double>(state.waitingPoints());
        return left / state.copies - left / (state.copies + 1) > state.preparingS;
    }

    std::unique_ptr<Curve> prepare(const State& state, std::optional<Bytes>& minimum) {
        if (!state.strategy)
            return std::make_unique<BoundCurve>(request_.graph, stop_);
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
            const double begin = workedSeconds();
            std::optional<Bytes> minimum;
            job.curve = prepare(state, minimum);
            if (!job.curve)
                return false;
            if (job.budgets.empty()) {
                begun(state, std::move(job.curve), minimum, workedSeconds() - begin);
                return true;
            }
        }
        const double begin = workedSeconds();
        const std::vector<SweepPoint> points = job.curve->at(job.budgets);
        if (points.size() < job.budgets.size())
            return false;
        found(state, std::move(job.curve), points, workedSeconds() - begin);
        return true;
    }

    void begun(State& state, std::unique_ptr<Curve> curve, std::optional<Bytes> minimum, double tookS) {
        if (observer_ && minimum) {
            const std::lock_guard lock(observerMutex_);
            observer_->minimumFound(indexOf(state), *minimum);
        }
        {
            const std::lock_guard lock(mutex_);
            state.idle.push_back(std::move(curve));
            state.preparingS = tookS;
            std::vector<Bytes> budgets = coarseToFine(request_.grid);
            if (minimum) {
                state.minimum = *minimum;
                if (*minimum > request_.grid.front() && *minimum < request_.grid.back() &&
                    !std::binary_search(request_.grid.begin(), request_.grid.end(), *minimum))
                    budgets.insert(budgets.begin(), *minimum);
            }
            await(state, budgets);
        }
        wake_.notify_all();
    }

    // Begins a round.
    static void await(State& state, const std::vector<Bytes>& budgets) {
        const std::size_t size = state.strategy ? 1 : boundBatch;
        for (std::size_t i = 0; i < budgets.size(); ++i) {
            if (i % size == 0)
                state.waiting.emplace_back();
            state.waiting.back().push_back(budgets[i]);
        }
        for (Batch& batch : state.waiting)
            std::sort(batch.begin(), batch.end(), std::greater<>());
        state.unfinished = budgets.size();
    }

    void found(State& state, std::unique_ptr<Curve> curve, const std::vector<SweepPoint>& points,
               double tookS) {
        if (observer_) {
            const std::lock_guard lock(observerMutex_);
            for (const SweepPoint& point : points) {
                if (state.strategy)
                    observer_->pointFound(indexOf(state), point);
                else
                    observer_->boundFound({point.budgetBytes, point.stepNs});
            }
        }
        double progress = 0;
        bool isLast = false;
        {
            const std::lock_guard lock(mutex_);
            for (const SweepPoint& point : points)
                state.points.emplace(point.budgetBytes, point);
            state.idle.push_back(std::move(curve));
            state.workingS += tookS;
            state.worked += points.size();
            state.unfinished -= points.size();
            if (state.unfinished == 0)
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
        std::vector<Bytes> added;
        for (std::size_t i = 0; i + 1 < points.size(); ++i) {
            const SweepPoint& low = *points[i];
            const SweepPoint& high = *points[i + 1];
            if (effectOf(low) == effectOf(high) && bend(i) <= request_.bendTolerance &&
                bend(i + 1) <= request_.bendTolerance &&
                std::abs(high.throughputOfIdeal - low.throughputOfIdeal) <= request_.largestFall)
                continue;
            if (const auto middle = lattice_.between(low.budgetBytes, high.budgetBytes))
                added.push_back(*middle);
        }
        await(state, added);
    }

    double progressNow() const {
        double sum = 0;
        for (const State& state : curves_) {
            const auto made = static_cast<double>(state.points.size());
            if (state.done)
                sum += 1;
            else if (made > 0)
                sum += made / (made + static_cast<double>(state.unfinished)) *
                       (request_.splits > 0 ? 0.9 : 1.0); // more may come
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
