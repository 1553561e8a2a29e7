// Throughput against budget for the step on show: a sweep over every strategy and the lower bound in the
// background, the strategy in use first, coarse first and then finer.
#pragma once

#include "ui/session/newest_worker.h"
#include "ui/session/scenario.h"

#include "core/planner/sweep.h"

#include <QObject>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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
    bool isRunning = false;       // false and not complete: cancelled, or failed
    QString failure;              // why it ended early, as a sentence; start() tries again

    bool isComplete() const;
    const SweepCurve* find(const std::string& strategy) const; // nullptr: not swept
};

using SweepProgressPtr = std::shared_ptr<const SweepProgress>; // never null where one is handed out

// runSweep, or a test's own.
using SweepRunner = std::function<std::optional<Sweep>(const SweepRequest& request, SweepObserver* observer,
                                                       const StopRequested& stop)>;

// One budget of one strategy, as the budget track shows it.
struct EffectPoint {
    double fraction = 0; // of the unlimited peak
    BudgetEffect effect = BudgetEffect::Free;
    bool operator==(const EffectPoint&) const = default;
};

struct Effects {
    std::vector<EffectPoint> points;
    bool isOld = false; // of the sweep before: the new one has not come to this strategy yet
    bool operator==(const Effects&) const = default;
};

class SweepService : public QObject {
    Q_OBJECT
public:
    explicit SweepService(SweepRunner run = runSweep, QObject* parent = nullptr)
        : QObject(parent), run_(std::move(run)) {}

    // Sweeps `step`, `strategy` first. What is known of the same step and pins stays, and a sweep that has it
    // all is not run again; for others the points so far are gone from `progress`, but not from `effects`.
    void start(const LoadedStepPtr& step, const std::string& strategy, const Pins& pins);
    // Stops; what has been found stays. start() goes on.
    void cancel();
    // Stops, and forgets the points: they say nothing of what comes next.
    void clear();
    // While held, the sweep waits between two budgets: the plan on show comes first.
    void setHeld(bool held) { held_ = held; }

    // Valid until the next change.
    const SweepProgress& progress() const { return *progress_; }
    // Of a strategy: ascending; none while nothing is known of it.
    Effects effects(const std::string& strategy) const;

signals:
    void changed();
    void failed(const QString& sentence); // after changed()

private:
    class Findings;
    void take(quint64 job, const SweepProgressPtr& progress);
    void show(const SweepProgressPtr& progress);

    const SweepRunner run_;
    quint64 newest_ = 0;
    SweepProgressPtr progress_ = std::make_shared<const SweepProgress>();
    SweepProgressPtr before_ = progress_; // the last that knew something, of another step or other pins
    std::shared_ptr<Findings> findings_;  // of progress_, and newer than it while a sweep runs
    std::atomic<bool> held_ = false;
    NewestWorker worker_{NewestWorker::Priority::Background}; // last: its task uses the members above
};

} // namespace slackscope
