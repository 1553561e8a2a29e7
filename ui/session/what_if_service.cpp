#include "ui/session/what_if_service.h"

#include <exception>

namespace slackscope {

namespace {

constexpr int restMs = 80;

} // namespace

WhatIfService::WhatIfService(QObject* parent) : QObject(parent) {
    restTimer_.setSingleShot(true);
    restTimer_.setInterval(restMs);
    connect(&restTimer_, &QTimer::timeout, this, &WhatIfService::start);
}

void WhatIfService::request(const PlannedStepPtr& planned, TensorIndex tensor) {
    if (planned == wanted_ && tensor == tensor_)
        return;
    const bool samePlan = planned == lastPlanned_.lock();
    cancel();
    lastPlanned_ = planned;
    wanted_ = planned;
    tensor_ = tensor;
    if (samePlan)
        start();
    else
        restTimer_.start();
}

void WhatIfService::cancel() {
    ++newest_;
    wanted_.reset();
    tensor_ = none;
    restTimer_.stop();
    worker_.cancel();
}

void WhatIfService::start() {
    const quint64 job = newest_;
    worker_.submit(job, [this, job, planned = wanted_, tensor = tensor_](const StopRequested& stop) {
        try {
            if (planned->plan->feasible()) {
                if (const auto held = whatIfHeld(*planned->plan, tensor, stop))
                    send(job, planned, tensor, Rest::Held, *held);
            }
            if (const auto replanned = whatIfReplanned(*planned->plan, tensor, stop))
                send(job, planned, tensor, Rest::Replanned, *replanned);
        } catch (const std::exception&) {
            return; // what is known stays; the plan on show reports the fault
        }
    });
}

void WhatIfService::send(quint64 job, const PlannedStepPtr& planned, TensorIndex tensor, Rest rest,
                         const WhatIfs& answers) {
    QMetaObject::invokeMethod(
        this,
        [this, job, planned, tensor, rest, answers] {
            if (job == newest_)
                emit answered(planned, tensor, rest, answers);
        },
        Qt::QueuedConnection);
}

} // namespace slackscope
