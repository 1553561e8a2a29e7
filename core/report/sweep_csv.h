// A sweep as comma-separated values (RFC 4180), long: one row per strategy and budget (or axis value).
#pragma once

#include "core/planner/axis_sweep.h"
#include "core/report/sweep_subject.h"
#include "core/report/text_writer.h"

namespace slackscope {

// The strategy column of the bound's rows.
inline constexpr std::string_view boundInCsv = "lower-bound";

// Columns: strategy, budget_bytes, budget_percent (of the unlimited peak), feasible (1 or 0),
// throughput_of_ideal, step_ns, recomputed_ns, memory_stall_ns, transfer_stall_ns, peak_bytes,
// offloaded_bytes, minimum_budget_bytes, pins (TENSOR=DECISION, one blank between two). Every point of every
// curve, those between the budgets of the grid too. An infeasible row has no figures after `feasible` but its
// minimum. The bound's rows come last; their step time is the bound, and they have no other figures but its
// throughput.
void writeSweepCsv(const Sweep& sweep, const SweepSubject& subject, const TextSink& sink);

// The same with the axis' name and value before budget_bytes: `axis` is the heading, "batch". A value that
// makes no step has no rows.
void writeAxisSweepCsv(const AxisSweep& sweep, const SweepSubject& subject, std::string_view axis,
                       const TextSink& sink);

} // namespace slackscope
