// Timeline version 1: a plan as the JSON file that `plan --format json` prints.
//
// Sizes are whole bytes, times whole nanoseconds from the start of the step. An infeasible plan names its
// minimum budget and the operator that is blocked; it has no events.
#pragma once

#include "core/planner/plan.h"
#include "core/report/text_writer.h"

namespace slackscope {

inline constexpr std::string_view timelineFormat = "slackscope-timeline";
inline constexpr std::int64_t timelineVersion = 1;

// O(items of the plan) time; the text leaves in pieces.
void writeTimelineJson(const Plan& plan, const TextSink& sink);

} // namespace slackscope
