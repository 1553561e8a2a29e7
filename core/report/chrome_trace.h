// A plan as a Chrome trace (Trace Event Format, JSON object form) that Perfetto and chrome://tracing open.
//
// One process, "GPU 0 (simulated)", with a thread per stream. Categories and copy names are those of PyTorch
// traces, so that tools that read these find kernels and copies. A flow joins each offload to its prefetches.
// Two counter tracks: resident bytes and the budget. Times are in microseconds from the start of the step.
#pragma once

#include "core/planner/plan.h"
#include "core/report/text_writer.h"

namespace slackscope {

// An infeasible plan gives a trace without slices that says so in its metadata.
void writeChromeTrace(const Plan& plan, const TextSink& sink);

} // namespace slackscope
