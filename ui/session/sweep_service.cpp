#include "ui/session/sweep_service.h"

#include "core/planner/threads.h"

#include <QElapsedTimer>

#include <algorithm>
#include <exception>

namespace slackscope {

namespace {

// Points at nothing and every sixteenth of the unlimited peak, and down to every 128th where something
// changes.
constexpr std::int32_t gridBudgets = 17;
constexpr std::int32_t splits = 3;
constexpr double largestFall = 0.015; // the tradeoff is drawn in steps: fine enough for its size
constexpr qint64 reportEveryMs = 60;
constexpr unsigned long heldPauseUs = 500;
// Beyond, one linear program takes longer than a user would wait for the window to close.
constexpr std::int32_t mostOperatorsForBound = 1'000;

template <class Point>
void insertByBudget(std::vector<Point>& points, const Point& point) {
    const auto place =
        std::lower_bound(points.begin(), points.end(), point,
                         [](const Point& a, const Point& b) { return a.budgetBytes < b.budgetBytes; });
    if (place == points.end() || place->budgetBytes != point.budgetBytes)
        points.insert(place, point);
}

SweepProgress nothingKnown(const LoadedStepPtr& step, const Pins& pins) {
    SweepProgress progress;
    progress.step = step;
    progress.pins = pins;
    progress.sweep.unlimitedPeakBytes = step->unlimitedPeakBytes;
    progress.sweep.idealNs = step->graph->idealNs();
    progress.sweep.grid = evenBudgets(0, step->unlimitedPeakBytes, gridBudgets);
    for (const StrategyInfo* strategy : strategies())
        progress.sweep.curves.push_back({std::string(strategy->id), std::nullopt, {}});
    progress.curveIsComplete.assign(progress.sweep.curves.size(), false);
    progress.boundIsComplete = step->graph->operatorCount() > mostOperatorsForBound;
    return progress;
}

} // namespace

bool SweepProgress::isComplete() const {
    return step && boundIsComplete &&
           std::find(curveIsComplete.begin(), curveIsComplete.end(), false) == curveIsComplete.end();
}

const SweepCurve* SweepProgress::find(const std::string& strategy) const {
    const auto found = std::find_if(sweep.curves.begin(), sweep.curves.end(),
                                    [&](const SweepCurve& curve) { return curve.strategy == strategy; });
    return found == sweep.curves.end() ? nullptr : &*found;
}

// Collects what the sweep finds and sends it to the service now and then.
class SweepService::Reporter : public SweepObserver {
public:
    Reporter(SweepService& service, quint64 job, SweepProgress known, std::vector<std::size_t> curves)
        : service_(service), job_(job), known_(std::move(known)), curves_(std::move(curves)),
          before_(known_.fraction) {
        sinceReport_.start();
    }

    void minimumFound(std::size_t curve, Bytes minimum) override {
        known_.sweep.curves[curves_[curve]].minimumBudgetBytes = minimum;
    }
    void pointFound(std::size_t curve, const SweepPoint& point) override {
        insertByBudget(known_.sweep.curves[curves_[curve]].points, point);
    }
    void boundFound(const BoundPoint& point) override { insertByBudget(known_.sweep.bound, point); }
    void curveFinished(std::size_t curve) override { known_.curveIsComplete[curves_[curve]] = true; }
    void boundFinished() override { known_.boundIsComplete = true; }
    void progressed(double fraction) override {
        known_.fraction = before_ + (1 - before_) * fraction;
        if (sinceReport_.elapsed() < reportEveryMs)
            return;
        report();
        sinceReport_.restart();
    }
    void ended() {
        known_.isRunning = false;
        report();
    }

private:
    void report() {
        QMetaObject::invokeMethod(
            &service_, [service = &service_, job = job_, known = known_] { service->take(job, known); },
            Qt::QueuedConnection);
    }

    SweepService& service_;
    quint64 job_;
    SweepProgress known_;
    std::vector<std::size_t> curves_; // of the service, by the sweep's number
    double before_;
    QElapsedTimer sinceReport_;
};

void SweepService::start(const LoadedStepPtr& step, const std::string& strategy, const Pins& pins) {
    const quint64 job = ++newest_;
    if (progress_.step != step || progress_.pins != pins)
        progress_ = nothingKnown(step, pins);
    progress_.isRunning = !progress_.isComplete();
    if (!progress_.isRunning) {
        worker_.cancel();
        emit changed();
        return;
    }
    std::vector<std::size_t> curves; // what is left, the strategy in use first
    for (std::size_t i = 0; i < progress_.curveIsComplete.size(); ++i) {
        if (progress_.curveIsComplete[i])
            continue;
        const bool isFirst = progress_.sweep.curves[i].strategy == strategy;
        curves.insert(isFirst ? curves.begin() : curves.end(), i);
    }
    worker_.submit(job, [this, job, curves, known = progress_](const StopRequested& stop) {
        SweepRequest request;
        request.graph = known.step->graph;
        request.pins = known.pins;
        for (const std::size_t curve : curves)
            request.strategies.push_back(strategies()[curve]);
        request.withBound = !known.boundIsComplete;
        request.grid = known.sweep.grid;
        request.splits = splits;
        request.largestFall = largestFall;
        request.threads = std::max(1U, coreCount() - 1); // one is for the window
        Reporter reporter(*this, job, known, curves);
        const auto heldOrStopped = [&] {
            while (held_ && !stop())
                QThread::usleep(heldPauseUs);
            return stop();
        };
        try {
            runSweep(request, &reporter, heldOrStopped);
        } catch (const std::exception&) {
            // What is known stays; the plan on show reports the fault.
        }
        reporter.ended();
    });
    emit changed();
}

void SweepService::take(quint64 job, const SweepProgress& progress) {
    if (job != newest_)
        return;
    progress_ = progress;
    emit changed();
}

void SweepService::cancel() {
    ++newest_;
    worker_.cancel();
    if (!progress_.isRunning)
        return;
    progress_.isRunning = false;
    emit changed();
}

void SweepService::clear() {
    ++newest_;
    worker_.cancel();
    progress_ = {};
    emit changed();
}

std::vector<EffectPoint> SweepService::effects(const std::string& strategy) const {
    std::vector<EffectPoint> effects;
    const SweepCurve* curve = progress_.find(strategy);
    if (!curve || progress_.sweep.unlimitedPeakBytes == 0)
        return effects;
    for (const SweepPoint& point : curve->points)
        effects.push_back(
            {static_cast<double>(point.budgetBytes) / static_cast<double>(progress_.sweep.unlimitedPeakBytes),
             effectOf(point)});
    return effects;
}

} // namespace slackscope
