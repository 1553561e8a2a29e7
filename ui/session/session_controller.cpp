#include "ui/session/session_controller.h"

#include "ui/session/session_commands.h"

#include <algorithm>
#include <utility>

namespace slackscope {

namespace {

constexpr int showBusyAfterMs = 150;
// The first plan comes before the sweep that colours the track.
constexpr int sweepAfterMs = 30;
constexpr int mostUndoSteps = 200;

} // namespace

SessionController::SessionController(Session& session, SweepRunner sweep, QObject* parent)
    : QObject(parent), session_(session), sweeps_(std::move(sweep)) {
    undoStack_.setUndoLimit(mostUndoSteps);
    busyTimer_.setSingleShot(true);
    busyTimer_.setInterval(showBusyAfterMs);
    connect(&busyTimer_, &QTimer::timeout, this, [this] {
        showsBusy_ = true;
        emit showsBusyChanged();
    });
    sweepTimer_.setSingleShot(true);
    sweepTimer_.setInterval(sweepAfterMs);
    connect(&sweepTimer_, &QTimer::timeout, this, &SessionController::resumeSweep);
    connect(&sweeps_, &SweepService::changed, this, &SessionController::sweepChanged);
    connect(&sweeps_, &SweepService::failed, this, &SessionController::failed);
    connect(&loads_, &LoadService::loaded, this, [this](quint64, const LoadedStepPtr& step) {
        setBusy(false, planning_);
        std::size_t dropped = 0;
        if (const LoadedStepPtr& before = session_.step()) {
            const Pins kept = carriedOver(session_.pins(), *before->graph, *step->graph);
            dropped = session_.pins().size() - kept.size();
            undoStack_.push(new StepCommand(session_, step, kept));
        } else {
            session_.setStep(step, {}); // nothing to go back to
        }
        emit opened(QString::fromStdString(step->scenario.input));
        if (dropped > 0)
            emit pinsDropped(static_cast<int>(dropped));
    });
    connect(&loads_, &LoadService::refused, this, [this](quint64, const QString& sentence) {
        setBusy(false, planning_);
        wanted_ = session_.step() ? session_.step()->scenario : Scenario{};
        emit wantedScenarioChanged();
        emit failed(sentence);
    });
    connect(&plans_, &PlanService::planned, this, [this](quint64 job, const PlannedStepPtr& planned) {
        if (job == newestPlan_)
            setBusy(loading_, false);
        session_.setPlanned(planned);
        bounds_.request(planned);
    });
    connect(&bounds_, &BoundService::found, this, [this](const PlannedStepPtr& planned, Nanoseconds bound) {
        session_.setLowerBound(planned, bound);
    });
    connect(&plans_, &PlanService::failed, this, [this](quint64, const QString& sentence) {
        setBusy(loading_, false);
        emit failed(sentence);
    });
    connect(&session_, &Session::stepChanged, this, [this] {
        // Undo may come while another input is loading: what is on show now is what is wanted.
        loads_.cancel();
        setBusy(false, planning_);
        wanted_ = session_.step()->scenario;
        emit wantedScenarioChanged();
        sweeps_.clear();
        sweepTimer_.start();
    });
    connect(&session_, &Session::strategyChanged, this, [this] {
        emit sweepChanged(); // of another strategy now
        if (sweeps_.progress().isRunning)
            sweepTimer_.start(); // that one comes first
    });
    connect(&session_, &Session::pinsChanged, this, [this] {
        sweeps_.clear();
        sweepTimer_.start();
    });
    connect(&session_, &Session::strategyChanged, this, &SessionController::plan);
    connect(&session_, &Session::pinsChanged, this, &SessionController::plan);
    connect(&session_, &Session::budgetChanged, this, &SessionController::plan);
}

void SessionController::open(const std::string& input) {
    setScenario({input, {}});
}

void SessionController::setScenario(const Scenario& scenario) {
    wanted_ = scenario;
    emit wantedScenarioChanged();
    setBusy(true, planning_);
    loads_.request(scenario);
}

void SessionController::setStrategy(const std::string& id) {
    if (id != session_.strategy())
        undoStack_.push(new StrategyCommand(session_, id));
}

void SessionController::setBudgetFraction(double fraction, int gesture) {
    fraction = std::clamp(fraction, smallestBudgetFraction, 1.0);
    if (fraction != session_.budgetFraction())
        undoStack_.push(new BudgetCommand(session_, fraction, gesture));
}

void SessionController::setBudgetBytes(Bytes bytes, int gesture) {
    if (session_.step() && session_.step()->unlimitedPeakBytes > 0)
        setBudgetFraction(
            static_cast<double>(bytes) / static_cast<double>(session_.step()->unlimitedPeakBytes), gesture);
}

void SessionController::setPin(TensorIndex t, std::optional<Decision> decision) {
    changePins(decision ? tr("pin") : tr("unpin"), withPin(session_.pins(), t, decision));
}

void SessionController::clearPins() {
    changePins(tr("clear pins"), {});
}

void SessionController::changePins(const QString& what, Pins pins) {
    if (!session_.step() || pins == session_.pins())
        return;
    if (const auto checked = checkPins(*session_.step()->graph, pins); !checked) {
        emit failed(tr("Not pinned: %1").arg(QString::fromStdString(checked.error())));
        return;
    }
    undoStack_.push(new PinsCommand(session_, what, std::move(pins)));
}

void SessionController::cancel() {
    if (!isBusy())
        return;
    givenUp_ = loading_ ? std::optional(wanted_) : std::nullopt;
    loads_.cancel();
    plans_.cancel();
    setBusy(false, false);
    wanted_ = session_.step() ? session_.step()->scenario : Scenario{};
    emit wantedScenarioChanged();
    emit cancelled();
}

void SessionController::resume() {
    if (givenUp_)
        setScenario(*std::exchange(givenUp_, std::nullopt));
    else
        plan();
}

void SessionController::resumeSweep() {
    if (session_.step())
        sweeps_.start(session_.step(), session_.strategy(), session_.pins());
}

void SessionController::plan() {
    if (!session_.step())
        return;
    setBusy(loading_, true);
    newestPlan_ = plans_.request({session_.step(), session_.strategy(), session_.budgetBytes(),
                                  session_.budgetFraction(), session_.pins()});
}

void SessionController::setBusy(bool loading, bool planning) {
    loading_ = loading;
    planning_ = planning;
    sweeps_.setHeld(planning);
    if (isBusy()) {
        if (!busyTimer_.isActive() && !showsBusy_)
            busyTimer_.start();
        return;
    }
    busyTimer_.stop();
    if (showsBusy_) {
        showsBusy_ = false;
        emit showsBusyChanged();
    }
}

} // namespace slackscope
