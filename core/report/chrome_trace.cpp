#include "core/report/chrome_trace.h"

#include "core/report/events.h"

#include <array>

namespace slackscope {

namespace {

constexpr std::array allStreams{Stream::Compute, Stream::DeviceToHost, Stream::HostToDevice};

std::string_view threadName(Stream stream) {
    switch (stream) {
    case Stream::Compute:
        return "compute";
    case Stream::DeviceToHost:
        return "device to host";
    case Stream::HostToDevice:
        return "host to device";
    }
    return "compute";
}

std::int64_t threadId(Stream stream) {
    return static_cast<std::int64_t>(stream) + 1;
}

void writeNames(TextWriter& out) {
    out << "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": 0, \"args\": {\"name\": "
           "\"GPU 0 (simulated)\"}}";
    for (const Stream stream : allStreams) {
        out << ",\n{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": " << threadId(stream)
            << ", \"args\": {\"name\": \"" << threadName(stream) << "\"}}";
        out << ",\n{\"name\": \"thread_sort_index\", \"ph\": \"M\", \"pid\": 1, \"tid\": " << threadId(stream)
            << ", \"args\": {\"sort_index\": " << threadId(stream) << "}}";
    }
}

void writeSpan(TextWriter& out, const Event& event) {
    out << ", \"ph\": \"X\", \"pid\": 1, \"tid\": " << threadId(event.stream) << ", \"ts\": ";
    out.thousandths(event.span.fromNs);
    out << ", \"dur\": ";
    out.thousandths(event.span.toNs - event.span.fromNs);
}

void writeKernel(TextWriter& out, const Plan& plan, const Event& event) {
    const Operator& op = plan.graph->op(event.id);
    out << ",\n{\"name\": ";
    out.jsonString(std::string(eventName(event.kind)) + " " + op.id);
    out << ", \"cat\": \"kernel\"";
    writeSpan(out, event);
    out << ", \"args\": {\"pass\": \"" << eventName(event.kind) << "\", \"operator\": ";
    out.jsonString(op.id);
    if (!op.kind.empty()) {
        out << ", \"kind\": ";
        out.jsonString(op.kind);
    }
    if (op.layer)
        out << ", \"layer\": " << std::int64_t{*op.layer};
    out << "}}";
}

void writeCopy(TextWriter& out, const Plan& plan, const Event& event) {
    const bool isOffload = event.kind == EventKind::Offload;
    out << ",\n{\"name\": \""
        << (isOffload ? "Memcpy DtoH (Device -> Pinned)" : "Memcpy HtoD (Pinned -> Device)")
        << "\", \"cat\": \"gpu_memcpy\"";
    writeSpan(out, event);
    out << ", \"bind_id\": \"" << std::int64_t{event.id} + 1
        << (isOffload ? "\", \"flow_out\": true" : "\", \"flow_in\": true") << ", \"args\": {\"tensor\": ";
    out.jsonString(plan.graph->tensor(event.id).id);
    out << ", \"bytes\": " << plan.graph->tensor(event.id).bytes << "}}";
}

void writeCounter(TextWriter& out, std::string_view name, Nanoseconds atNs, Bytes bytes) {
    out << ",\n{\"name\": \"" << name << "\", \"ph\": \"C\", \"pid\": 1, \"tid\": 0, \"ts\": ";
    out.thousandths(atNs);
    out << ", \"args\": {\"bytes\": " << bytes << "}}";
}

void writeMetadata(TextWriter& out, const Plan& plan) {
    out << "\"otherData\": {\"simulated\": true, \"profile\": ";
    out.jsonString(plan.graph->profile().name);
    out << ", \"strategy\": ";
    out.jsonString(plan.strategy);
    out << ", \"feasible\": " << (plan.feasible() ? "true" : "false")
        << ", \"budget_bytes\": " << plan.budgetBytes
        << ", \"minimum_budget_bytes\": " << plan.minimumBudgetBytes << "}";
}

} // namespace

void writeChromeTrace(const Plan& plan, const TextSink& sink) {
    TextWriter out(sink);
    out << "{\"displayTimeUnit\": \"ms\", ";
    writeMetadata(out, plan);
    out << ", \"traceEvents\": [\n";
    writeNames(out);
    if (plan.feasible()) {
        const Timeline& timeline = plan.simulated->timeline;
        for (const Event& event : events(*plan.simulated)) {
            if (event.stream == Stream::Compute)
                writeKernel(out, plan, event);
            else
                writeCopy(out, plan, event);
        }
        for (const MemoryPoint& point : timeline.memory)
            writeCounter(out, "resident", point.atNs, point.residentBytes);
        writeCounter(out, "budget", 0, plan.budgetBytes);
        writeCounter(out, "budget", timeline.stepNs, plan.budgetBytes);
    }
    out << "\n]}\n";
}

} // namespace slackscope
