// What each budget does, for one strategy: a sweep in the background, coarse first and then finer.
#pragma once

#include "ui/session/newest_worker.h"
#include "ui/session/scenario.h"

#include <QObject>

#include <atomic>
#include <vector>

namespace slackscope {

// What a budget costs most.
enum class BudgetEffect { Infeasible, Stalls, Recomputes, Free };

struct SweepPoint {
    double fraction = 0; // of the unlimited peak
    BudgetEffect effect = BudgetEffect::Free;
    double throughputOfIdeal = 0;
};

struct Sweep {
    std::vector<SweepPoint> points; // ascending fraction
    bool complete = false;
};

// Free: the step takes at most 0.05 % longer than ideal, which shows as 100.0 %. Otherwise what the larger
// part of the loss goes to.
BudgetEffect effectOf(const Plan& plan);

class SweepService : public QObject {
    Q_OBJECT
public:
    explicit SweepService(QObject* parent = nullptr) : QObject(parent) {}

    // Replaces the sweep that runs; the points so far are gone.
    void start(const LoadedStepPtr& step, const std::string& strategy);
    // Stops, and forgets the points: they say nothing of what comes next.
    void clear();
    // While held, the sweep waits between two budgets: the plan on show comes first. (A thread of idle
    // priority would do too, but on a busy machine it would never run at all.)
    void setHeld(bool held) { held_ = held; }
    const Sweep& sweep() const { return sweep_; }

signals:
    void changed();

private:
    quint64 newest_ = 0;
    Sweep sweep_;
    std::atomic<bool> held_ = false;
    NewestWorker worker_; // last: its task uses the members above
};

} // namespace slackscope
