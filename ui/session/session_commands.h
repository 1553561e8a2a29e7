// What Undo can take back: another scenario, another strategy, another budget, pins.
#pragma once

#include "ui/session/session.h"

#include <QUndoCommand>

namespace slackscope {

// With the pins, which name tensors of the step.
class StepCommand : public QUndoCommand {
public:
    StepCommand(Session& session, LoadedStepPtr step, Pins pins);
    void undo() override { session_.setStep(before_, pinsBefore_); }
    void redo() override { session_.setStep(after_, pinsAfter_); }

private:
    Session& session_;
    LoadedStepPtr before_;
    LoadedStepPtr after_;
    Pins pinsBefore_;
    Pins pinsAfter_;
};

class PinsCommand : public QUndoCommand {
public:
    PinsCommand(Session& session, const QString& what, Pins pins);
    void undo() override { session_.setPins(before_); }
    void redo() override { session_.setPins(after_); }

private:
    Session& session_;
    Pins before_;
    Pins after_;
};

class StrategyCommand : public QUndoCommand {
public:
    StrategyCommand(Session& session, std::string strategy);
    void undo() override { session_.setStrategy(before_); }
    void redo() override { session_.setStrategy(after_); }

private:
    Session& session_;
    std::string before_;
    std::string after_;
};

// Changes of one gesture (a drag, a held key) are one step.
class BudgetCommand : public QUndoCommand {
public:
    BudgetCommand(Session& session, double fraction, int gesture);
    int id() const override { return 1; }
    bool mergeWith(const QUndoCommand* other) override;
    void undo() override { session_.setBudgetFraction(before_); }
    void redo() override { session_.setBudgetFraction(after_); }

private:
    Session& session_;
    double before_;
    double after_;
    int gesture_;
};

} // namespace slackscope
