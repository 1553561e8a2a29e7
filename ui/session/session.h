// The single truth of the window: what is loaded, how it is planned, what is shown and what is selected.
//
// Views read it and listen to it; only SessionController writes it, so that every change is undoable and
// every plan comes from the newest request. The selection alone may be set by any view.
#pragma once

#include "ui/session/plan_service.h"
#include "ui/session/scenario.h"

#include <QObject>

namespace slackscope {

using figures::Selection;

inline constexpr double defaultBudgetFraction = 0.5;
inline constexpr double smallestBudgetFraction = 0.001;

class Session : public QObject {
    Q_OBJECT
public:
    // Starts with the strategy that lists show first, or with this one.
    explicit Session(std::string strategy = std::string(strategies().front()->id))
        : strategy_(std::move(strategy)) {}

    const LoadedStepPtr& step() const { return step_; } // null before the first input
    const std::string& strategy() const { return strategy_; }
    double budgetFraction() const { return budgetFraction_; } // of the unlimited peak
    Bytes budgetBytes() const;                                // 0 before the first input
    const Pins& pins() const { return pins_; }                // of the step's tensors
    // The newest plan that is ready. It may lag behind what is wanted, and then belongs to an older step.
    const PlannedStepPtr& planned() const { return planned_; }
    // Whether the plan on show is the answer to what is wanted now.
    bool isCurrent() const;
    // No program can be faster than this at the budget of the plan on show: the plan's own bound until a
    // tighter one has been found. 0 before the first plan.
    Nanoseconds lowerBoundNs() const;
    const Selection& selection() const { return selection_; }

    void setSelection(Selection selection);

signals:
    void stepChanged();
    void strategyChanged();
    void budgetChanged();
    void pinsChanged();
    void planChanged();
    void lowerBoundChanged(); // found after its plan
    void selectionChanged();

private:
    friend class SessionController;
    friend class StepCommand;
    friend class StrategyCommand;
    friend class BudgetCommand;
    friend class PinsCommand;
    void setStep(const LoadedStepPtr& step, const Pins& pins); // pins of that step
    void setStrategy(const std::string& strategy);
    void setBudgetFraction(double fraction);
    void setPins(const Pins& pins);
    void setPlanned(const PlannedStepPtr& planned);
    void setLowerBound(const PlannedStepPtr& planned, Nanoseconds lowerBoundNs);

    LoadedStepPtr step_;
    std::string strategy_;
    double budgetFraction_ = defaultBudgetFraction;
    Pins pins_;
    PlannedStepPtr planned_;
    Nanoseconds foundBoundNs_ = 0;
    Selection selection_;
};

} // namespace slackscope
