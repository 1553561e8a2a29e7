// Finds the lower bound of the plan on show, off the UI thread and only when the budget has come to rest.
#pragma once

#include "ui/session/plan_service.h"

#include "core/planner/lower_bound.h"

#include <QTimer>

namespace slackscope {

class BoundService : public QObject {
    Q_OBJECT
public:
    explicit BoundService(QObject* parent = nullptr);

    // Asks for the bound of a feasible plan; an older question is dropped.
    void request(const PlannedStepPtr& planned);

signals:
    void found(const slackscope::PlannedStepPtr& planned, slackscope::Nanoseconds lowerBoundNs);

private:
    void start();

    QTimer restTimer_;
    PlannedStepPtr wanted_;
    quint64 newest_ = 0;
    std::shared_ptr<const StepGraph> graph_; // the worker's own, as the next: what `model_` was built for
    std::unique_ptr<LowerBound> model_;
    NewestWorker worker_{NewestWorker::Priority::Background}; // last: its task uses the members above
};

} // namespace slackscope
