// The events of a plan as comma-separated values (RFC 4180), for spreadsheets and scripts.
#pragma once

#include "core/planner/plan.h"
#include "core/report/text_writer.h"

namespace slackscope {

// Columns: stream, kind, operator, tensor, layer, decision, bytes, start_ns, end_ns, duration_ns. A compute
// event has an operator and, inside the layers, a layer; a copy has a tensor, its decision and its bytes. An
// infeasible plan gives the heading alone.
void writeEventCsv(const Plan& plan, const TextSink& sink);

} // namespace slackscope
