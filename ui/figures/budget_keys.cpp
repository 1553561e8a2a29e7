#include "ui/figures/budget_keys.h"

#include <QtCore/qnamespace.h>

#include <cmath>

namespace slackscope::figures {

double steppedBudget(double fraction, int direction) {
    const double steps = fraction / budgetKeyStep;
    const double rounded = std::round(steps);
    const double here = std::abs(steps - rounded) < 1e-6 ? rounded
                        : direction > 0                  ? std::floor(steps)
                                                         : std::ceil(steps);
    return (here + direction) * budgetKeyStep;
}

std::optional<double> budgetAfterKey(double fraction, int key) {
    switch (key) {
    case Qt::Key_Right:
    case Qt::Key_Up:
        return steppedBudget(fraction, 1);
    case Qt::Key_Left:
    case Qt::Key_Down:
        return steppedBudget(fraction, -1);
    case Qt::Key_PageUp:
        return fraction + budgetPageStep;
    case Qt::Key_PageDown:
        return fraction - budgetPageStep;
    case Qt::Key_Home:
        return 0;
    case Qt::Key_End:
        return 1;
    default:
        return std::nullopt;
    }
}

} // namespace slackscope::figures
