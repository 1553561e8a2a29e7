#include "ui/session/session.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slackscope {

Bytes Session::budgetBytes() const {
    if (!step_)
        return 0;
    return std::llround(budgetFraction_ * static_cast<double>(step_->unlimitedPeakBytes));
}

bool Session::isCurrent() const {
    return planned_ && planned_->request.step == step_ && planned_->request.strategy == strategy_ &&
           planned_->request.budgetBytes == budgetBytes() && planned_->request.pins == pins_;
}

Nanoseconds Session::lowerBoundNs() const {
    return planned_ ? std::max(planned_->plan->lowerBoundNs, foundBoundNs_) : 0;
}

void Session::setLowerBound(const PlannedStepPtr& planned, Nanoseconds lowerBoundNs) {
    if (planned != planned_ || lowerBoundNs == foundBoundNs_)
        return;
    foundBoundNs_ = lowerBoundNs;
    emit lowerBoundChanged();
}

void Session::setSelection(Selection selection) {
    if (selection == selection_)
        return;
    selection_ = std::move(selection);
    emit selectionChanged();
}

void Session::setStep(const LoadedStepPtr& step, const Pins& pins) {
    if (step == step_)
        return;
    step_ = step;
    const bool otherPins = pins != pins_;
    pins_ = pins;
    emit stepChanged();
    if (otherPins)
        emit pinsChanged();
    emit budgetChanged();
}

void Session::setStrategy(const std::string& strategy) {
    if (strategy == strategy_)
        return;
    strategy_ = strategy;
    emit strategyChanged();
}

void Session::setBudgetFraction(double fraction) {
    fraction = std::clamp(fraction, smallestBudgetFraction, 1.0);
    if (fraction == budgetFraction_)
        return;
    budgetFraction_ = fraction;
    emit budgetChanged();
}

void Session::setPins(const Pins& pins) {
    if (pins == pins_)
        return;
    pins_ = pins;
    emit pinsChanged();
}

void Session::setPlanned(const PlannedStepPtr& planned) {
    // Indices mean something within one profile only.
    const bool otherStep = !planned_ || planned_->request.step != planned->request.step;
    // A better plan of the same budget does not change what is possible at it.
    if (otherStep || planned_->plan->budgetBytes != planned->plan->budgetBytes)
        foundBoundNs_ = 0;
    planned_ = planned;
    if (otherStep)
        setSelection({});
    emit planChanged();
}

} // namespace slackscope
