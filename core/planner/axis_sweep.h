// Throughput against anything that makes another step of it (link bandwidth, batch, sequence), each step
// within its own budget; and the largest such value that still keeps a throughput.
//
// The values are whole numbers in the unit of their axis. What a value means is the caller's affair: it hands
// over a function that makes the step. Results are the same whatever the number of threads.
#pragma once

#include "core/planner/sweep.h"

#include <tl/expected.hpp>

namespace slackscope {

struct AxisCase {
    std::shared_ptr<const StepGraph> graph;
    Bytes budgetBytes = 0;
    Pins pins{}; // ones that checkPins accepts
};
// A sentence where there is no such step. Called from one thread at a time.
using CaseMaker = std::function<tl::expected<AxisCase, std::string>(std::int64_t value)>;

struct AxisResult {
    SweepPoint point;
    Bytes minimumBudgetBytes = 0; // exact
    bool operator==(const AxisResult&) const = default;
};

struct AxisRow {
    std::int64_t value = 0;
    std::string refusal; // why there is no such step; then nothing below counts
    Bytes budgetBytes = 0;
    Bytes unlimitedPeakBytes = 0;
    Nanoseconds idealNs = 0;
    std::optional<std::int64_t> samplesPerStep;
    std::optional<std::int64_t> tokensPerStep;
    std::vector<AxisResult> results;         // by strategy, as asked for
    std::optional<Nanoseconds> lowerBoundNs; // absent: not asked for, or no strategy finds a program
    bool operator==(const AxisRow&) const = default;

    // The fastest; of equals, the first. nullptr: none is feasible.
    const AxisResult* best() const;
    // The best throughput that any program at all can have; 1 without a bound.
    double throughputBound() const;
};

struct AxisSweep {
    std::vector<std::string> strategies; // ids
    std::vector<AxisRow> rows;           // ascending value
    bool operator==(const AxisSweep&) const = default;
};

struct AxisRequest {
    CaseMaker make;
    std::vector<const StrategyInfo*> strategies; // not empty
    bool withBound = true;
    unsigned threads = 0; // 0: as many as there are cores
};

// Told of the part that is done, 0 to 1 and never falling, from one thread at a time.
using AxisProgress = std::function<void(double fraction)>;

// A row for each of `values`, ascending. nullopt: `stop`, asked from several threads at once, asked for an
// end.
std::optional<AxisSweep> runAxisSweep(const AxisRequest& request, std::span<const std::int64_t> values,
                                      const AxisProgress& progress, const StopRequested& stop);

struct LargestRequest {
    AxisRequest axis;
    std::int64_t smallest = 1; // all values tried are multiples of it
    std::int64_t most = largestQuantity;
    double keep = 0.95; // throughput of ideal
};

struct Largest {
    enum class Limit {
        None,      // `most` itself holds
        Step,      // the next value makes no step: its row says why
        Memory,    // the next value fits with none of the strategies
        Throughput // the next value fits, but is too slow with each of the strategies
    };
    std::optional<std::int64_t> value; // absent: not even the smallest
    Limit limit = Limit::None;         // of the next multiple of the smallest
    AxisSweep tried;                   // holds the rows of `value` and of the next
};

// Doubles from the smallest value until one fails, then halves the gap until the largest that holds and the
// next, which does not, are neighbours. (Where memory or throughput are not monotone a still larger value may
// hold again; that is not looked for.) nullopt: stopped.
// `progress` is told which value is being tried, and which part of that is done.
using LargestProgress = std::function<void(std::int64_t value, double fraction)>;
std::optional<Largest> findLargest(const LargestRequest& request, const LargestProgress& progress,
                                   const StopRequested& stop);

} // namespace slackscope
