// Throughput against budget: every strategy's simulated step, and the lower bound, over many budgets.
//
// Points. Every curve has a point at each budget of the grid and, where that lies within the grid's ends, one
// at its strategy's exact minimum budget. An adaptive sweep adds points where a curve needs them: two
// neighbours get a point between them while what the budget does differs between them (`effectOf`), or the
// curve bends at one of them by more than `bendTolerance`, or falls by more than `largestFall` from one to
// the other. Each interval of the grid is halved at most `splits` times, so that points lie on a lattice that
// all curves share. Below a strategy's minimum budget every point is infeasible, and none is added.
//
// Result. A prepared strategy's plan depends on nothing but the budget (strategy.h), and so does the bound;
// points are added in rounds, each decided from all points of the rounds before; the bound is found for fixed
// batches of budgets (LowerBound::stepsNs). So a sweep is the same, bit for bit, whatever the number of
// threads. Strategies that refine are refined to their end first.
#pragma once

#include "core/planner/strategy.h"

#include <optional>
#include <string>
#include <vector>

namespace slackscope {

// One simulated plan, without its program.
struct SweepPoint {
    Bytes budgetBytes = 0;
    bool feasible = false; // false: everything below is 0
    Nanoseconds stepNs = 0;
    double throughputOfIdeal = 0; // ideal time / step time
    Nanoseconds recomputedNs = 0;
    Nanoseconds memoryStallNs = 0;
    Nanoseconds transferStallNs = 0;
    Bytes peakBytes = 0;
    Bytes offloadedBytes = 0;
    bool operator==(const SweepPoint&) const = default;
};
SweepPoint sweepPointOf(const Plan& plan);

// What a budget costs most. Free: the step takes at most 0.05 % longer than ideal, which shows as 100.0 %.
// Otherwise what the larger part of the loss goes to.
enum class BudgetEffect { Infeasible, Stalls, Recomputes, Free };
BudgetEffect effectOf(const SweepPoint& point);

struct SweepCurve {
    std::string strategy;                    // id
    std::optional<Bytes> minimumBudgetBytes; // exact; absent while a sweep has not come to it
    std::vector<SweepPoint> points;          // ascending budget
    bool operator==(const SweepCurve&) const = default;
};

struct BoundPoint {
    Bytes budgetBytes = 0;
    Nanoseconds lowerBoundNs = 0; // no program can be faster at this budget; at least the ideal time
    bool operator==(const BoundPoint&) const = default;
};

struct Sweep {
    Bytes unlimitedPeakBytes = 0;
    Nanoseconds idealNs = 0;
    std::vector<Bytes> grid;        // budgets at which every curve has a point; ascending
    std::vector<SweepCurve> curves; // one per strategy, as asked for
    std::vector<BoundPoint> bound;  // ascending budget; empty: not asked for
    bool operator==(const Sweep&) const = default;
};

struct SweepRequest {
    static constexpr std::int32_t mostSplits = 16;

    std::shared_ptr<const StepGraph> graph;
    Pins pins;                                   // ones that checkPins accepts
    std::vector<const StrategyInfo*> strategies; // the first is swept first
    bool withBound = true;                       // swept last
    std::vector<Bytes> grid;                     // strictly ascending, not empty, none negative
    std::int32_t splits = 0;                     // 0: the grid alone; at most mostSplits
    double bendTolerance = 0.002;                // throughput of ideal, off the chord of both neighbours
    double largestFall = 0.05;                   // throughput of ideal
    unsigned threads = 0;                        // 0: as many as there are cores
};

// `steps` budgets from `from` to `to`, both included, as even as whole bytes can be. 1 step: `to` alone.
std::vector<Bytes> evenBudgets(Bytes from, Bytes to, std::int32_t steps);

// Told of results as they come, in no order. Called from the sweep's threads, but never from two at once.
class SweepObserver {
public:
    virtual ~SweepObserver() = default;
    // `curve`: index in SweepRequest::strategies. The minimum comes before any point of its curve.
    virtual void minimumFound(std::size_t curve, Bytes minimumBudgetBytes);
    virtual void pointFound(std::size_t curve, const SweepPoint& point);
    virtual void boundFound(const BoundPoint& point);
    // All of its points have been told.
    virtual void curveFinished(std::size_t curve);
    virtual void boundFinished();
    // 0 to 1, never falling; an estimate in adaptive sweeps, whose work grows as it is done.
    virtual void progressed(double fraction);
};

// nullopt: `stop` asked for an end. `stop` is asked from several threads at once; it may block to hold the
// sweep. Throws what planning throws (std::bad_alloc).
std::optional<Sweep> runSweep(const SweepRequest& request, SweepObserver* observer,
                              const StopRequested& stop);

} // namespace slackscope
