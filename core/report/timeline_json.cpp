#include "core/report/timeline_json.h"

#include "core/planner/pins.h"
#include "core/report/events.h"

namespace slackscope {

namespace {

std::string_view bufferName(BufferKind kind) {
    switch (kind) {
    case BufferKind::Tensor:
        return "tensor";
    case BufferKind::Gradient:
        return "gradient";
    case BufferKind::Workspace:
        return "workspace";
    }
    return "tensor";
}

// Writes "," before every entry of a list but the first.
class Separator {
public:
    std::string_view next() {
        const std::string_view text = first_ ? "\n    " : ",\n    ";
        first_ = false;
        return text;
    }

private:
    bool first_ = true;
};

void writeBlocked(TextWriter& out, const Plan& plan) {
    out << ",\n  \"blocked\": {\"operator\": ";
    out.jsonString(plan.blocked->op == none ? std::string_view() : plan.graph->op(plan.blocked->op).id);
    out << ", \"needs_bytes\": " << plan.blocked->needsBytes << "}";
}

void writeTotals(TextWriter& out, const Plan& plan) {
    const Timeline& timeline = plan.simulated->timeline;
    out << ",\n  \"ideal_ns\": " << plan.graph->idealNs();
    out << ",\n  \"step_ns\": " << timeline.stepNs;
    out << ",\n  \"throughput_of_ideal\": ";
    out.real(plan.throughputOfIdeal());
    out << ",\n  \"lower_bound_ns\": " << plan.lowerBoundNs;
    out << ",\n  \"peak_bytes\": " << timeline.peakBytes;
    out << ",\n  \"offloaded_bytes\": " << plan.offloadedBytes;
    out << ",\n  \"recomputed_ns\": " << timeline.recomputedNs;
    out << ",\n  \"stall_ns\": {\"memory\": " << timeline.memoryStallNs
        << ", \"transfer\": " << timeline.transferStallNs << "}";
    out << ",\n  \"slack\": {\"device_to_host_ns\": " << plan.slack.deviceToHostNs
        << ", \"used_ns\": " << plan.slack.usedDeviceToHostNs << "}";
}

void writeDecisions(TextWriter& out, const Plan& plan) {
    out << ",\n  \"decisions\": [";
    const std::vector<char> pinned = pinnedTensors(*plan.graph, plan.pins);
    Separator separator;
    for (const TensorIndex t : plan.graph->savedTensors()) {
        out << separator.next() << "{\"tensor\": ";
        out.jsonString(plan.graph->tensor(t).id);
        out << ", \"decision\": \"" << decisionName(plan.decisions[static_cast<std::size_t>(t)]) << "\"";
        out << (pinned[static_cast<std::size_t>(t)] ? ", \"pinned\": true}" : "}");
    }
    out << "]";
}

void writeEvents(TextWriter& out, const Plan& plan) {
    out << ",\n  \"events\": [";
    Separator separator;
    for (const Event& event : events(*plan.simulated)) {
        out << separator.next() << "{\"stream\": \"" << streamName(event.stream) << "\", \"kind\": \""
            << eventName(event.kind)
            << (event.stream == Stream::Compute ? "\", \"operator\": " : "\", \"tensor\": ");
        out.jsonString(eventId(*plan.graph, event));
        out << ", \"start_ns\": " << event.span.fromNs << ", \"end_ns\": " << event.span.toNs << "}";
    }
    out << "]";
}

void writeResidencies(TextWriter& out, const Plan& plan) {
    const Program& program = plan.simulated->program;
    out << ",\n  \"residencies\": [";
    Separator separator;
    for (const Residency& residency : program.residencies()) {
        const Interval span = residencyInterval(program, plan.simulated->timeline, residency);
        out << separator.next() << "{\"buffer\": \"" << bufferName(residency.buffer) << "\", \"id\": ";
        out.jsonString(residency.buffer == BufferKind::Workspace ? plan.graph->op(residency.id).id
                                                                 : plan.graph->tensor(residency.id).id);
        out << ", \"from_ns\": " << span.fromNs << ", \"to_ns\": " << span.toNs << "}";
    }
    out << "]";
}

void writeMemory(TextWriter& out, const Plan& plan) {
    out << ",\n  \"memory\": [";
    Separator separator;
    for (const MemoryPoint& point : plan.simulated->timeline.memory)
        out << separator.next() << "[" << point.atNs << ", " << point.residentBytes << "]";
    out << "]";
}

} // namespace

void writeTimelineJson(const Plan& plan, const TextSink& sink) {
    TextWriter out(sink);
    out << "{\n  \"format\": \"" << timelineFormat << "\", \"version\": " << timelineVersion;
    out << ",\n  \"profile\": ";
    out.jsonString(plan.graph->profile().name);
    out << ",\n  \"strategy\": ";
    out.jsonString(plan.strategy);
    out << ",\n  \"feasible\": " << (plan.feasible() ? "true" : "false");
    out << ",\n  \"budget_bytes\": " << plan.budgetBytes;
    out << ",\n  \"unlimited_peak_bytes\": " << plan.unlimitedPeakBytes;
    out << ",\n  \"minimum_budget_bytes\": " << plan.minimumBudgetBytes;
    if (plan.feasible()) {
        writeTotals(out, plan);
        writeDecisions(out, plan);
        writeEvents(out, plan);
        writeResidencies(out, plan);
        writeMemory(out, plan);
    } else if (plan.blocked) {
        writeBlocked(out, plan);
    }
    out << "\n}\n";
}

} // namespace slackscope
