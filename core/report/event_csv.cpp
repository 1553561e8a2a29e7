#include "core/report/event_csv.h"

#include "core/report/csv_field.h"
#include "core/report/events.h"

namespace slackscope {

void writeEventCsv(const Plan& plan, const TextSink& sink) {
    TextWriter out(sink);
    out << "stream,kind,operator,tensor,layer,decision,bytes,start_ns,end_ns,duration_ns\r\n";
    if (!plan.feasible())
        return;
    for (const Event& event : events(*plan.simulated)) {
        out << streamName(event.stream) << "," << eventName(event.kind) << ",";
        const std::string id = csvField(eventId(*plan.graph, event));
        if (event.stream == Stream::Compute) {
            out << id << ",,";
            if (const auto layer = plan.graph->op(event.id).layer)
                out << std::int64_t{*layer};
            out << ",,,";
        } else {
            out << "," << id << ",," << decisionName(plan.decisions[static_cast<std::size_t>(event.id)])
                << "," << plan.graph->tensor(event.id).bytes << ",";
        }
        out << event.span.fromNs << "," << event.span.toNs << "," << event.span.toNs - event.span.fromNs
            << "\r\n";
    }
}

} // namespace slackscope
