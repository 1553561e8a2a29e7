// Why a plan decided as it did about one tensor: sentences made from the numbers that the strategy goes by.
#pragma once

#include "ui/session/plan_service.h"

#include <QString>
#include <QStringList>

namespace slackscope {

// One or two sentences. `planned` is feasible and `t` a saved tensor.
QString reasonFor(const PlannedStep& planned, TensorIndex t);

} // namespace slackscope
