#include "ui/session/bound_service.h"

#include "core/planner/bound_policy.h"

#include <exception>

namespace slackscope {

namespace {

// A drag moves on within this; the bound would be of a budget that nobody looks at.
constexpr int restMs = 80;

} // namespace

BoundService::BoundService(QObject* parent) : QObject(parent) {
    restTimer_.setSingleShot(true);
    restTimer_.setInterval(restMs);
    connect(&restTimer_, &QTimer::timeout, this, &BoundService::start);
}

void BoundService::request(const PlannedStepPtr& planned) {
    ++newest_;
    wanted_ = planned;
    if (planned->plan->feasible() && triesBoundInBackground(*planned->plan->graph))
        restTimer_.start();
    else
        restTimer_.stop();
}

void BoundService::start() {
    const quint64 job = newest_;
    worker_.submit(job, [this, job, planned = wanted_](const StopRequested& stop) {
        Nanoseconds bound = 0;
        try {
            if (graph_ != planned->plan->graph) {
                graph_ = planned->plan->graph;
                model_ = std::make_unique<LowerBound>(graph_);
            }
            bound = model_->stepNs(planned->plan->budgetBytes, planned->plan->stepNs(), stop);
        } catch (const std::exception&) {
            return; // the ideal time stays the bound on show
        }
        if (stop())
            return;
        QMetaObject::invokeMethod(
            this,
            [this, job, planned, bound] {
                if (job == newest_)
                    emit found(planned, bound);
            },
            Qt::QueuedConnection);
    });
}

} // namespace slackscope
