#include "ui/session/plan_service.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace slackscope {

namespace {

// Undo and a look at another strategy come back at once; graphs are small beside their pictures.
constexpr std::size_t mostPrepared = 8;

} // namespace

PreparedStrategy* PreparedCache::find(const std::shared_ptr<const StepGraph>& graph,
                                      const std::string& strategy, const Pins& pins,
                                      const StopRequested& stop) {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        return entry.graph == graph && entry.strategy == strategy && entry.pins == pins;
    });
    if (found != entries_.end()) {
        std::rotate(entries_.begin(), found, found + 1);
        return entries_.front().prepared.get();
    }
    const StrategyInfo* info = findStrategy(strategy);
    if (!info)
        return nullptr;
    auto prepared = info->prepare(graph, pins, stop);
    if (!prepared)
        return nullptr;
    entries_.push_front({graph, strategy, pins, std::move(prepared)});
    if (entries_.size() > mostPrepared)
        entries_.pop_back();
    return entries_.front().prepared.get();
}

quint64 PlanService::request(const PlanRequest& request) {
    const quint64 job = ++newest_;
    if (request.step != last_.step || request.strategy != last_.strategy || request.pins != last_.pins)
        ++group_;
    last_ = request;
    worker_.submit(group_, [this, job, group = group_, request](const StopRequested& stop) {
        QString sentence;
        try {
            PreparedStrategy* prepared =
                cache_.find(request.step->graph, request.strategy, request.pins, stop);
            if (stop())
                return;
            if (prepared) {
                planAndRefine(*prepared, job, group, request, stop);
                return;
            }
            sentence = tr("There is no strategy \"%1\". Choose one in the Plan menu.")
                           .arg(QString::fromStdString(request.strategy));
        } catch (const std::bad_alloc&) {
            sentence = tr("Planning needs more memory than this computer can give. Open a smaller input.");
        } catch (const std::exception& error) {
            sentence = tr("Planning failed (internal error: %1).").arg(QString::fromUtf8(error.what()));
        }
        if (!stop())
            QMetaObject::invokeMethod(
                this,
                [this, job, sentence] {
                    if (job == newest_)
                        emit failed(job, sentence);
                },
                Qt::QueuedConnection);
    });
    return job;
}

// The first answer at once; then, while nobody asks for another, each better one that more effort finds.
void PlanService::planAndRefine(PreparedStrategy& prepared, quint64 job, quint64 group,
                                const PlanRequest& request, const StopRequested& stop) {
    auto shown = std::make_shared<const Plan>(prepared.plan(request.budgetBytes));
    show(shown, job, group, request);
    const auto overtaken = [&] { return stop() || newest_ != job; };
    while (!overtaken() &&
           (prepared.refine(overtaken) || prepared.refineAt(request.budgetBytes, overtaken))) {
        auto plan = std::make_shared<const Plan>(prepared.plan(request.budgetBytes));
        if (plan->stepNs() == shown->stepNs() && plan->minimumBudgetBytes == shown->minimumBudgetBytes)
            continue;
        shown = std::move(plan);
        if (!overtaken())
            show(shown, job, group, request);
    }
}

void PlanService::show(const std::shared_ptr<const Plan>& plan, quint64 job, quint64 group,
                       const PlanRequest& request) {
    auto answer = std::make_shared<PlannedStep>();
    answer->request = request;
    answer->plan = plan;
    answer->picture = lastPicture_ = figures::StepPicture::build(plan, request.step->unlimited, lastPicture_);
    QMetaObject::invokeMethod(
        this,
        [this, job, group, answer] {
            if (group == group_)
                emit planned(job, answer);
        },
        Qt::QueuedConnection);
}

void PlanService::cancel() {
    ++newest_;
    ++group_;
    last_ = {};
    worker_.cancel();
}

} // namespace slackscope
