#include "core/planner/axis_sweep.h"

#include "core/planner/lower_bound.h"
#include "core/planner/threads.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace slackscope {

namespace {

// Each row is one job per strategy; the last to end finds the bound, where there is a program to compare with
// it. A row's step is made when its first job begins and dropped with its last, so that few are held at once.
class RowMaker {
public:
    RowMaker(const AxisRequest& request, std::span<const std::int64_t> values, const AxisProgress& progress,
             const StopRequested& stop)
        : request_(request), values_(values), progress_(progress), stop_(stop),
          jobsPerRow_(request.strategies.size()), rows_(values.size()), cases_(values.size()),
          left_(values.size(), jobsPerRow_) {}

    std::optional<std::vector<AxisRow>> run() {
        const std::size_t jobs = jobsPerRow_ * values_.size();
        const unsigned threads = request_.threads == 0 ? coreCount() : request_.threads;
        runOnThreads(
            static_cast<unsigned>(std::min<std::size_t>(threads, std::max<std::size_t>(jobs, 1))),
            [this, jobs] { work(jobs); }, [this] { end(); });
        if (ended_)
            return std::nullopt;
        return std::move(rows_);
    }

private:
    void end() {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }

    bool mustEnd() const { return stop_ && stop_(); }

    void work(std::size_t jobs) {
        for (;;) {
            std::size_t row = 0;
            std::size_t part = 0;
            std::optional<AxisCase> made;
            {
                const std::lock_guard lock(mutex_);
                if (ended_ || next_ == jobs)
                    return;
                row = next_ / jobsPerRow_;
                part = next_ % jobsPerRow_;
                ++next_;
                if (part == 0)
                    begin(row);
                made = cases_[row];
            }
            if (mustEnd() || (made && !runPart(row, part, *made))) {
                end();
                return;
            }
            bool isLast = false;
            {
                const std::lock_guard lock(mutex_);
                isLast = --left_[row] == 0;
                if (isLast)
                    cases_[row].reset();
            }
            if (isLast && made && request_.withBound && rows_[row].best() != nullptr) {
                if (mustEnd()) {
                    end();
                    return;
                }
                rows_[row].lowerBoundNs = LowerBound(made->graph).stepNs(made->budgetBytes);
            }
            const std::lock_guard lock(mutex_);
            ++done_;
            if (progress_)
                progress_(static_cast<double>(done_) / static_cast<double>(jobs));
        }
    }

    void begin(std::size_t index) {
        AxisRow& row = rows_[index];
        row.value = values_[index];
        auto made = request_.make(row.value);
        if (!made) {
            row.refusal = made.error();
            return;
        }
        const Profile& profile = made->graph->profile();
        row.budgetBytes = made->budgetBytes;
        row.unlimitedPeakBytes = unlimitedPeak(made->graph);
        row.idealNs = made->graph->idealNs();
        row.samplesPerStep = profile.samplesPerStep;
        row.tokensPerStep = profile.tokensPerStep;
        row.results.resize(request_.strategies.size());
        cases_[index] = std::move(*made);
    }

    // False: stopped. Each part writes to its own place.
    bool runPart(std::size_t index, std::size_t part, const AxisCase& made) {
        AxisRow& row = rows_[index];
        const auto prepared = request_.strategies[part]->prepare(made.graph, made.pins, stop_);
        if (!prepared)
            return false;
        refineFully(*prepared, stop_);
        if (mustEnd())
            return false; // perhaps not refined to its end
        const Plan plan = prepared->plan(row.budgetBytes);
        row.results[part] = {sweepPointOf(plan), plan.minimumBudgetBytes};
        return true;
    }

    const AxisRequest& request_;
    std::span<const std::int64_t> values_;
    const AxisProgress& progress_;
    const StopRequested& stop_;
    std::size_t jobsPerRow_;

    std::mutex mutex_; // guards all below but the results of rows that have begun
    std::vector<AxisRow> rows_;
    std::vector<std::optional<AxisCase>> cases_; // of rows in work
    std::vector<std::size_t> left_;              // jobs, by row
    std::size_t next_ = 0;
    std::size_t done_ = 0;
    bool ended_ = false;
};

std::vector<std::string> idsOf(const std::vector<const StrategyInfo*>& strategies) {
    std::vector<std::string> ids;
    for (const StrategyInfo* strategy : strategies)
        ids.emplace_back(strategy->id);
    return ids;
}

} // namespace

const AxisResult* AxisRow::best() const {
    const AxisResult* best = nullptr;
    for (const AxisResult& result : results) {
        if (result.point.feasible && (!best || result.point.stepNs < best->point.stepNs))
            best = &result;
    }
    return best;
}

double AxisRow::throughputBound() const {
    if (!lowerBoundNs || *lowerBoundNs == 0)
        return 1;
    return static_cast<double>(idealNs) / static_cast<double>(*lowerBoundNs);
}

std::optional<AxisSweep> runAxisSweep(const AxisRequest& request, std::span<const std::int64_t> values,
                                      const AxisProgress& progress, const StopRequested& stop) {
    auto rows = RowMaker(request, values, progress, stop).run();
    if (!rows)
        return std::nullopt;
    return AxisSweep{idsOf(request.strategies), std::move(*rows)};
}

std::optional<Largest> findLargest(const LargestRequest& request, const LargestProgress& progress,
                                   const StopRequested& stop) {
    std::map<std::int64_t, AxisRow> tried; // by value
    bool stopped = false;
    const auto limitAt = [&](std::int64_t value) {
        const AxisProgress part = [&](double fraction) {
            if (progress)
                progress(value, fraction);
        };
        part(0);
        const auto rows = RowMaker(request.axis, std::span(&value, 1), part, stop).run();
        if (!rows) {
            stopped = true;
            return Largest::Limit::None;
        }
        const AxisRow& row = tried.emplace(value, rows->front()).first->second;
        if (!row.refusal.empty())
            return Largest::Limit::Step;
        const AxisResult* const best = row.best();
        if (!best)
            return Largest::Limit::Memory;
        return best->point.throughputOfIdeal < request.keep ? Largest::Limit::Throughput
                                                            : Largest::Limit::None;
    };
    // In multiples of the smallest value.
    const std::int64_t most = request.most / request.smallest;
    std::int64_t holds = 0;
    std::int64_t fails = most + 1;
    Largest largest;
    for (std::int64_t next = 1; holds < most && next < fails;) {
        const Largest::Limit limit = limitAt(next * request.smallest);
        if (stopped)
            return std::nullopt;
        if (limit == Largest::Limit::None) {
            holds = next;
        } else {
            fails = next;
            largest.limit = limit;
        }
        const bool growing = fails == most + 1;
        next = growing ? std::min(2 * holds, most) : holds + (fails - holds) / 2;
        if (fails - holds == 1)
            break;
    }
    if (holds > 0)
        largest.value = holds * request.smallest;
    largest.tried.strategies = idsOf(request.axis.strategies);
    for (auto& [value, row] : tried)
        largest.tried.rows.push_back(std::move(row));
    return largest;
}

} // namespace slackscope
