#include "ui/session/sweep_service.h"

#include "core/planner/strategy.h"

#include <QElapsedTimer>

#include <algorithm>
#include <exception>

namespace slackscope {

namespace {

constexpr int finestSteps = 128; // points of the finished sweep; a power of two
constexpr double freeLoss = 0.0005;
constexpr qint64 reportEveryMs = 60;
constexpr unsigned long heldPauseUs = 500;

// 1/2, 1/4, 3/4, 1/8, ... of the steps, after the two ends.
std::vector<int> coarseToFine() {
    std::vector<int> order{finestSteps};
    for (int stride = finestSteps / 2; stride >= 1; stride /= 2) {
        for (int i = stride; i < finestSteps; i += 2 * stride)
            order.push_back(i);
    }
    return order;
}

} // namespace

BudgetEffect effectOf(const Plan& plan) {
    if (!plan.feasible())
        return BudgetEffect::Infeasible;
    if (plan.throughputOfIdeal() >= 1 - freeLoss)
        return BudgetEffect::Free;
    const Timeline& timeline = plan.simulated->timeline;
    return timeline.memoryStallNs + timeline.transferStallNs > timeline.recomputedNs
               ? BudgetEffect::Stalls
               : BudgetEffect::Recomputes;
}

void SweepService::start(const LoadedStepPtr& step, const std::string& strategy) {
    const quint64 job = ++newest_;
    sweep_ = {};
    emit changed();
    worker_.submit(job, [this, job, step, strategy](const StopRequested& stop) {
        const StrategyInfo* info = findStrategy(strategy);
        if (!info)
            return;
        const auto report = [this, job](const std::vector<SweepPoint>& points, bool complete) {
            QMetaObject::invokeMethod(
                this,
                [this, job, points, complete] {
                    if (job != newest_)
                        return;
                    sweep_ = {points, complete};
                    std::sort(
                        sweep_.points.begin(), sweep_.points.end(),
                        [](const SweepPoint& a, const SweepPoint& b) { return a.fraction < b.fraction; });
                    emit changed();
                },
                Qt::QueuedConnection);
        };
        try {
            const auto prepared = info->prepare(step->graph, {}, stop);
            if (!prepared)
                return;
            std::vector<SweepPoint> points;
            QElapsedTimer sinceReport;
            sinceReport.start();
            for (const int i : coarseToFine()) {
                while (held_ && !stop())
                    QThread::usleep(heldPauseUs);
                if (stop())
                    return;
                const double fraction = static_cast<double>(i) / finestSteps;
                const Plan plan = prepared->plan(
                    static_cast<Bytes>(fraction * static_cast<double>(step->unlimitedPeakBytes)));
                points.push_back({fraction, effectOf(plan), plan.throughputOfIdeal()});
                if (sinceReport.elapsed() >= reportEveryMs) {
                    report(points, false);
                    sinceReport.restart();
                }
            }
            report(points, true);
        } catch (const std::exception&) {
            // The track stays neutral where nothing is known; the plan on show reports the fault.
            return;
        }
    });
}

void SweepService::clear() {
    ++newest_;
    worker_.cancel();
    sweep_ = {};
    emit changed();
}

} // namespace slackscope
