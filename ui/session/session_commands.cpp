#include "ui/session/session_commands.h"

#include <QCoreApplication>

#include <utility>

namespace slackscope {

StepCommand::StepCommand(Session& session, LoadedStepPtr step, Pins pins)
    : QUndoCommand(QCoreApplication::translate("Undo", "scenario")), session_(session),
      before_(session.step()), after_(std::move(step)), pinsBefore_(session.pins()),
      pinsAfter_(std::move(pins)) {}

PinsCommand::PinsCommand(Session& session, const QString& what, Pins pins)
    : QUndoCommand(what), session_(session), before_(session.pins()), after_(std::move(pins)) {}

StrategyCommand::StrategyCommand(Session& session, std::string strategy)
    : QUndoCommand(QCoreApplication::translate("Undo", "strategy")), session_(session),
      before_(session.strategy()), after_(std::move(strategy)) {}

BudgetCommand::BudgetCommand(Session& session, double fraction, int gesture)
    : QUndoCommand(QCoreApplication::translate("Undo", "budget")), session_(session),
      before_(session.budgetFraction()), after_(fraction), gesture_(gesture) {}

bool BudgetCommand::mergeWith(const QUndoCommand* other) {
    const auto* next = static_cast<const BudgetCommand*>(other); // the same id
    if (next->gesture_ != gesture_)
        return false;
    after_ = next->after_;
    setObsolete(after_ == before_);
    return true;
}

} // namespace slackscope
