// Why a plan decided as it did about one tensor: the facts of core/planner/reason.h in translatable words.
#pragma once

#include "ui/session/plan_service.h"

#include "core/planner/reason.h"

#include <QString>

namespace slackscope {

// One or two sentences.
QString reasonSentence(const Reason& reason);
// The same for a saved tensor of a feasible plan. O(items).
QString reasonFor(const PlannedStep& planned, TensorIndex t);
// A fragment that goes behind "not possible: ".
QString obstacleWords(Obstacle obstacle);

} // namespace slackscope
