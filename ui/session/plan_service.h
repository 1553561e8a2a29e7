// Plans, simulates and lays out pictures off the UI thread; the newest request wins.
#pragma once

#include "ui/figures/step_picture.h"
#include "ui/session/newest_worker.h"
#include "ui/session/scenario.h"

#include "core/planner/plan.h"

#include <QObject>

#include <atomic>
#include <deque>

namespace slackscope {

struct PlanRequest {
    LoadedStepPtr step;
    std::string strategy; // id
    Bytes budgetBytes = 0;
    double budgetFraction = 0; // of the unlimited peak, as the user set it
    Pins pins;                 // ones that checkPins accepts
};

// A plan, the picture of it, and what was asked for.
struct PlannedStep {
    PlanRequest request;
    std::shared_ptr<const Plan> plan;
    std::shared_ptr<const figures::StepPicture> picture;
};
using PlannedStepPtr = std::shared_ptr<const PlannedStep>;

// Strategies that were prepared, newest first. For one thread.
class PreparedCache {
public:
    // nullptr: stopped, or no such strategy.
    PreparedStrategy* find(const std::shared_ptr<const StepGraph>& graph, const std::string& strategy,
                           const Pins& pins, const StopRequested& stop);

private:
    struct Entry {
        std::shared_ptr<const StepGraph> graph;
        std::string strategy;
        Pins pins;
        std::unique_ptr<PreparedStrategy> prepared;
    };
    std::deque<Entry> entries_;
};

class PlanService : public QObject {
    Q_OBJECT
public:
    explicit PlanService(QObject* parent = nullptr) : QObject(parent) {}

    quint64 request(const PlanRequest& request); // the job's number, rising
    void cancel();

signals:
    // Jobs rise, and a job may be answered more than once: each time by a better plan. An answer that was
    // overtaken is dropped, but for one: while requests differ in the budget only, each finished plan is
    // shown, so that a slow strategy still follows a drag.
    void planned(quint64 job, slackscope::PlannedStepPtr planned);
    void failed(quint64 job, const QString& sentence);

private:
    void planAndRefine(PreparedStrategy& prepared, quint64 job, quint64 group, const PlanRequest& request,
                       const StopRequested& stop);
    void show(const std::shared_ptr<const Plan>& plan, quint64 job, quint64 group,
              const PlanRequest& request);

    std::atomic<quint64> newest_ = 0; // the worker looks at it too
    quint64 group_ = 0;               // the jobs of one graph, strategy and set of pins
    PlanRequest last_;
    PreparedCache cache_; // the worker's own, as the next
    std::shared_ptr<const figures::StepPicture> lastPicture_;
    NewestWorker worker_; // last: its task uses the members above
};

} // namespace slackscope
