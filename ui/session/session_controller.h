// Turns the user's wishes into changes of the Session, and keeps its plan up to date.
#pragma once

#include "ui/session/bound_service.h"
#include "ui/session/load_service.h"
#include "ui/session/plan_service.h"
#include "ui/session/session.h"
#include "ui/session/sweep_service.h"

#include <QTimer>
#include <QUndoStack>

namespace slackscope {

class SessionController : public QObject {
    Q_OBJECT
public:
    explicit SessionController(Session& session, SweepRunner sweep = runSweep, QObject* parent = nullptr);

    Session& session() { return session_; }
    QUndoStack& undoStack() { return undoStack_; }
    // Throughput against budget, of every strategy and the bound, as far as it is known.
    const SweepProgress& sweep() const { return sweeps_.progress(); }
    // Of the strategy in use.
    Effects sweepEffects() const { return sweeps_.effects(session_.strategy()); }
    // Stops the sweep; what it has found stays. resumeSweep() goes on.
    void cancelSweep() { sweeps_.cancel(); }
    void resumeSweep();

    // Loads a preset or a file with default options; what is on show stays until it is there.
    void open(const std::string& input);
    // Loads a scenario. Budget percentage and strategy stay; a refused one leaves everything as it was.
    void setScenario(const Scenario& scenario);
    // The scenario that is being loaded, or the one on show.
    const Scenario& wantedScenario() const { return wanted_; }
    void setStrategy(const std::string& id);
    // Changes with one gesture number make one undo step.
    void setBudgetFraction(double fraction, int gesture);
    void setBudgetBytes(Bytes bytes, int gesture);
    int nextGesture() { return ++gesture_; }
    // Fixes the decision about a saved tensor of the step, or (no decision) leaves it to the strategy again.
    // What cannot be is refused with `failed`.
    void setPin(TensorIndex t, std::optional<Decision> decision);
    void clearPins();

    // Gives up loading and planning; the old picture stays.
    void cancel();
    // After cancel(): does again what was given up.
    void resume();
    bool isBusy() const { return loading_ || planning_; }
    // Whether the work has lasted long enough to be shown.
    bool showsBusy() const { return showsBusy_; }

signals:
    void wantedScenarioChanged();
    // An input was loaded; `input` is what open() was called with.
    void opened(const QString& input);
    // An error: what, where and what to do.
    void failed(const QString& sentence);
    void cancelled();
    // The scenario that was opened lacks tensors that were pinned, or cannot have them decided so.
    void pinsDropped(int count);
    void sweepChanged();
    void showsBusyChanged();

private:
    void plan();
    void changePins(const QString& what, Pins pins);
    void setBusy(bool loading, bool planning);

    Session& session_;
    QUndoStack undoStack_;
    LoadService loads_;
    PlanService plans_;
    SweepService sweeps_;
    BoundService bounds_;
    Scenario wanted_;
    std::optional<Scenario> givenUp_; // a load that cancel() ended
    QTimer busyTimer_;
    QTimer sweepTimer_;
    quint64 newestPlan_ = 0;
    int gesture_ = 0;
    bool loading_ = false;
    bool planning_ = false;
    bool showsBusy_ = false;
};

} // namespace slackscope
