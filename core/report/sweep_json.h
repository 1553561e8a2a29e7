// Sweep version 1: a sweep as JSON. Sizes are whole bytes, times whole nanoseconds.
//
//   {"format": "slackscope-sweep", "version": 1, "simulated": true, "profile": NAME, "axis": "budget",
//    "pins": [{"tensor": ID, "decision": "keep"|"offload"|"recompute"}, ...], absent without pins
//    "unlimited_peak_bytes": ..., "ideal_ns": ...,
//    "curves": [{"strategy": ID, "minimum_budget_bytes": ..., "points": [POINT, ...]}, ...],
//    "bound": [{"budget_bytes": ..., "lower_bound_ns": ...}, ...]}
//   POINT: {"budget_bytes": ..., "feasible": true, "step_ns": ..., "throughput_of_ideal": ...,
//           "recomputed_ns": ..., "stall_ns": {"memory": ..., "transfer": ...}, "peak_bytes": ...,
//           "offloaded_bytes": ...}; an infeasible one ends after "feasible": false.
//
// Along another axis ("bandwidth": bytes per second in each direction, "batch", "sequence") there is one row
// per value instead of curves:
//   "strategies": [ID, ...],
//   "rows": [{"value": 8, "budget_bytes": ..., "unlimited_peak_bytes": ..., "ideal_ns": ...,
//             "samples_per_step": 8, "tokens_per_step": ..., "lower_bound_ns": ...,
//             "results": [{"minimum_budget_bytes": ..., then as POINT}, ...]},
//            {"value": 16, "refused": SENTENCE}, ...]
// `results` are in the order of `strategies`; samples, tokens and bound are absent where they are not known.
// The search for a largest value adds, before the rows that it tried,
//   "largest": {"keep": 0.95, "value": 8 or null, "limit": "none"|"step"|"memory"|"throughput"}
#pragma once

#include "core/planner/axis_sweep.h"
#include "core/report/sweep_subject.h"
#include "core/report/text_writer.h"

namespace slackscope {

inline constexpr std::string_view sweepFormat = "slackscope-sweep";
inline constexpr std::int64_t sweepVersion = 1;

void writeSweepJson(const Sweep& sweep, const SweepSubject& subject, const TextSink& sink);
void writeAxisSweepJson(const AxisSweep& sweep, const SweepSubject& subject, std::string_view axis,
                        const TextSink& sink);
void writeLargestJson(const Largest& largest, const LargestRequest& request, const SweepSubject& subject,
                      std::string_view axis, const TextSink& sink);

} // namespace slackscope
