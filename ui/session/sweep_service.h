// Throughput against budget for the step on show: a sweep over every strategy and the lower bound in the
// background, the strategy in use first, coarse first and then finer.
#pragma once

#include "ui/session/newest_worker.h"
#include "ui/session/scenario.h"

#include "core/planner/sweep.h"

#include <QObject>

#include <atomic>
#include <vector>

namespace slackscope {

// What the sweep has found so far. Its points are exact and stay as they are; more come between them.
struct SweepProgress {
    LoadedStepPtr step; // null: nothing is swept
    Pins pins;          // that every curve honours; the bound holds with and without
    Sweep sweep;        // one curve per strategy, in the order of strategies()
    std::vector<bool> curveIsComplete;
    bool boundIsComplete = false; // the bound has no points where it would take too long: the ideal holds
    double fraction = 0;          // of the work
    bool isRunning = false;       // false and not complete: cancelled

    bool isComplete() const;
    const SweepCurve* find(const std::string& strategy) const; // nullptr: not swept
};

// One budget of one strategy, as the budget track shows it.
struct EffectPoint {
    double fraction = 0; // of the unlimited peak
    BudgetEffect effect = BudgetEffect::Free;
};

class SweepService : public QObject {
    Q_OBJECT
public:
    explicit SweepService(QObject* parent = nullptr) : QObject(parent) {}

    // Sweeps `step`, `strategy` first. What is known of the same step and pins stays, and a sweep that has it
    // all is not run again; for others the points so far are gone.
    void start(const LoadedStepPtr& step, const std::string& strategy, const Pins& pins);
    // Stops; what has been found stays. start() goes on.
    void cancel();
    // Stops, and forgets the points: they say nothing of what comes next.
    void clear();
    // While held, the sweep waits between two budgets: the plan on show comes first. (A thread of idle
    // priority would do too, but on a busy machine it would never run at all.)
    void setHeld(bool held) { held_ = held; }

    const SweepProgress& progress() const { return progress_; }
    // Ascending; none while nothing is known of the strategy.
    std::vector<EffectPoint> effects(const std::string& strategy) const;

signals:
    void changed();

private:
    class Reporter;
    void take(quint64 job, const SweepProgress& progress);

    quint64 newest_ = 0;
    SweepProgress progress_;
    std::atomic<bool> held_ = false;
    NewestWorker worker_; // last: its task uses the members above
};

} // namespace slackscope
