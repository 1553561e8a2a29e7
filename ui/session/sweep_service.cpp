#include "ui/session/sweep_service.h"

#include "core/planner/bound_policy.h"
#include "core/planner/threads.h"

#include <QElapsedTimer>
#include <QThread>

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>

namespace slackscope {

namespace {

// Points at nothing and every sixteenth of the unlimited peak, and down to every 128th where something
// changes.
constexpr std::int32_t gridBudgets = 17;
constexpr std::int32_t splits = 3;
constexpr double largestFall = 0.015; // the tradeoff is drawn in steps: fine enough for its size
constexpr qint64 reportEveryMs = 60;
constexpr unsigned long heldPauseUs = 500;

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
    progress.boundIsComplete = !triesBoundInBackground(*step->graph);
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

// What the sweeps of one step and one set of pins have found so far; a sweep that is replaced by another of
// the same may add its last points still. Sent to the service now and then, as a snapshot.
class SweepService::Findings {
public:
    explicit Findings(SweepProgress known) : known_(std::move(known)) {}

    SweepProgressPtr snapshot() const {
        const std::lock_guard lock(mutex_);
        return std::make_shared<const SweepProgress>(known_);
    }
    template <typename Change>
    void change(const Change& change) {
        const std::lock_guard lock(mutex_);
        change(known_);
    }

    // One run.
    class Reporter : public SweepObserver {
    public:
        Reporter(SweepService& service, quint64 job, std::shared_ptr<Findings> findings,
                 std::vector<std::size_t> curves, double fraction)
            : service_(service), job_(job), findings_(std::move(findings)), curves_(std::move(curves)),
              before_(fraction) {
            sinceReport_.start();
        }

        void minimumFound(std::size_t curve, Bytes minimum) override {
            findings_->change([&](SweepProgress& known) {
                known.sweep.curves[curves_[curve]].minimumBudgetBytes = minimum;
            });
        }
        void pointFound(std::size_t curve, const SweepPoint& point) override {
            findings_->change([&](SweepProgress& known) {
                insertByBudget(known.sweep.curves[curves_[curve]].points, point);
            });
        }
        void boundFound(const BoundPoint& point) override {
            findings_->change([&](SweepProgress& known) { insertByBudget(known.sweep.bound, point); });
        }
        void curveFinished(std::size_t curve) override {
            findings_->change([&](SweepProgress& known) { known.curveIsComplete[curves_[curve]] = true; });
        }
        void boundFinished() override {
            findings_->change([](SweepProgress& known) { known.boundIsComplete = true; });
        }
        void progressed(double fraction) override {
            findings_->change([&](SweepProgress& known) {
                known.fraction = std::max(known.fraction, before_ + (1 - before_) * fraction);
            });
            if (sinceReport_.elapsed() < reportEveryMs)
                return;
            report(true, {});
            sinceReport_.restart();
        }
        // An empty sentence: to its end, or stopped.
        void ended(const QString& failure) { report(false, failure); }

    private:
        void report(bool isRunning, const QString& failure) {
            SweepProgressPtr progress;
            findings_->change([&](const SweepProgress& known) {
                auto now = std::make_shared<SweepProgress>(known);
                now->isRunning = isRunning;
                now->failure = failure;
                progress = std::move(now);
            });
            QMetaObject::invokeMethod(
                &service_, [service = &service_, job = job_, progress] { service->take(job, progress); },
                Qt::QueuedConnection);
        }

        SweepService& service_;
        quint64 job_;
        std::shared_ptr<Findings> findings_;
        std::vector<std::size_t> curves_; // of the service, by the sweep's number
        double before_;
        QElapsedTimer sinceReport_;
    };

private:
    mutable std::mutex mutex_;
    SweepProgress known_;
};

void SweepService::start(const LoadedStepPtr& step, const std::string& strategy, const Pins& pins) {
    const quint64 job = ++newest_;
    if (!findings_ || progress_->step != step || progress_->pins != pins)
        findings_ = std::make_shared<Findings>(nothingKnown(step, pins));
    auto now = std::make_shared<SweepProgress>(*findings_->snapshot());
    now->isRunning = !now->isComplete();
    const SweepProgressPtr known = std::move(now);
    if (!known->isRunning) {
        worker_.cancel();
        show(known);
        return;
    }
    std::vector<std::size_t> curves; // what is left, the strategy in use first
    for (std::size_t i = 0; i < known->curveIsComplete.size(); ++i) {
        if (known->curveIsComplete[i])
            continue;
        const bool isFirst = known->sweep.curves[i].strategy == strategy;
        curves.insert(isFirst ? curves.begin() : curves.end(), i);
    }
    worker_.submit(job, [this, job, curves, known, findings = findings_](const StopRequested& stop) {
        SweepRequest request;
        request.graph = known->step->graph;
        request.pins = known->pins;
        for (const std::size_t curve : curves)
            request.strategies.push_back(strategies()[curve]);
        request.withBound = !known->boundIsComplete;
        request.grid = known->sweep.grid;
        request.splits = splits;
        request.largestFall = largestFall;
        request.threads = std::max(1U, coreCount() - 1); // one is for the window
        Findings::Reporter reporter(*this, job, findings, curves, known->fraction);
        const auto heldOrStopped = [&] {
            while (held_ && !stop())
                QThread::usleep(heldPauseUs);
            return stop();
        };
        QString failure;
        try {
            run_(request, &reporter, heldOrStopped);
        } catch (const std::bad_alloc&) {
            failure = tr("The sweep over the budgets needs more memory than this computer can give. "
                         "Open a smaller input.");
        } catch (const std::exception& error) {
            failure = tr("The sweep over the budgets failed (internal error: %1).")
                          .arg(QString::fromUtf8(error.what()));
        }
        reporter.ended(failure);
    });
    show(known);
}

void SweepService::take(quint64 job, const SweepProgressPtr& progress) {
    if (job != newest_)
        return;
    show(progress);
    if (!progress->failure.isEmpty())
        emit failed(progress->failure);
}

void SweepService::show(const SweepProgressPtr& progress) {
    const auto knowsSomething = [](const SweepProgress& each) {
        return std::any_of(each.sweep.curves.begin(), each.sweep.curves.end(),
                           [](const SweepCurve& curve) { return !curve.points.empty(); });
    };
    const bool isOther = progress_->step != progress->step || progress_->pins != progress->pins;
    if (isOther && knowsSomething(*progress_))
        before_ = progress_;
    progress_ = progress;
    emit changed();
}

void SweepService::cancel() {
    ++newest_;
    worker_.cancel();
    if (!progress_->isRunning)
        return;
    show(findings_->snapshot());
}

void SweepService::clear() {
    ++newest_;
    worker_.cancel();
    findings_.reset();
    show(std::make_shared<const SweepProgress>());
}

Effects SweepService::effects(const std::string& strategy) const {
    const bool isOnItsWay = progress_->isRunning || !progress_->step;
    for (const SweepProgress* from : {progress_.get(), isOnItsWay ? before_.get() : nullptr}) {
        if (!from)
            break;
        Effects effects;
        effects.isOld = from != progress_.get();
        const SweepCurve* curve = from->find(strategy);
        const auto peak = static_cast<double>(from->sweep.unlimitedPeakBytes);
        if (!curve || curve->points.empty() || peak == 0)
            continue;
        for (const SweepPoint& point : curve->points)
            effects.points.push_back({static_cast<double>(point.budgetBytes) / peak, effectOf(point)});
        return effects;
    }
    return {};
}

} // namespace slackscope
