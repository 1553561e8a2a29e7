// Simulates what one tensor's other decisions would do to the plan on show, off the UI thread.
#pragma once

#include "ui/session/plan_service.h"

#include "core/planner/what_if.h"

#include <QTimer>

namespace slackscope {

enum class Rest { Held, Replanned };

class WhatIfService : public QObject {
    Q_OBJECT
public:
    explicit WhatIfService(QObject* parent = nullptr);

    // Asks about a saved tensor; an older question is dropped. Another tensor is looked at at once, another
    // plan only when plans have come to rest: a drag makes many.
    void request(const PlannedStepPtr& planned, TensorIndex tensor);
    void cancel();

signals:
    // First with the rest held (feasible plans only), then re-planned.
    void answered(const slackscope::PlannedStepPtr& planned, slackscope::TensorIndex tensor,
                  slackscope::Rest rest, const slackscope::WhatIfs& answers);

private:
    void start();
    void send(quint64 job, const PlannedStepPtr& planned, TensorIndex tensor, Rest rest,
              const WhatIfs& answers);

    QTimer restTimer_;
    PlannedStepPtr wanted_;
    std::weak_ptr<const PlannedStep> lastPlanned_;
    TensorIndex tensor_ = none;
    quint64 newest_ = 0;
    NewestWorker worker_; // last: its task uses the members above
};

} // namespace slackscope
