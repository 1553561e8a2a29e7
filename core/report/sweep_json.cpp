#include "core/report/sweep_json.h"

namespace slackscope {

namespace {

template <class Items, class Write>
void writeList(TextWriter& out, const Items& items, std::string_view indent, Write write) {
    out << "[";
    std::string_view separator = "\n";
    for (const auto& item : items) {
        out << separator << indent;
        write(item);
        separator = ",\n";
    }
    out << "]";
}

void writeHead(TextWriter& out, const SweepSubject& subject, std::string_view axis) {
    out << "{\n  \"format\": \"" << sweepFormat << "\", \"version\": " << sweepVersion
        << ",\n  \"simulated\": true,\n  \"profile\": ";
    out.jsonString(subject.profile);
    out << ",\n  \"axis\": \"" << axis << "\"";
    if (subject.pins.empty())
        return;
    out << ",\n  \"pins\": ";
    writeList(out, subject.pins, "    ", [&](const NamedPin& pin) {
        out << "{\"tensor\": ";
        out.jsonString(pin.tensor);
        out << ", \"decision\": \"" << decisionName(pin.decision) << "\"}";
    });
}

void writePoint(TextWriter& out, const SweepPoint& point) {
    out << "\"budget_bytes\": " << point.budgetBytes
        << ", \"feasible\": " << (point.feasible ? "true" : "false");
    if (!point.feasible)
        return;
    out << ", \"step_ns\": " << point.stepNs << ", \"throughput_of_ideal\": ";
    out.real(point.throughputOfIdeal);
    out << ", \"recomputed_ns\": " << point.recomputedNs
        << ", \"stall_ns\": {\"memory\": " << point.memoryStallNs
        << ", \"transfer\": " << point.transferStallNs << "}, \"peak_bytes\": " << point.peakBytes
        << ", \"offloaded_bytes\": " << point.offloadedBytes;
}

void writeRow(TextWriter& out, const AxisRow& row) {
    out << "{\"value\": " << row.value;
    if (!row.refusal.empty()) {
        out << ", \"refused\": ";
        out.jsonString(row.refusal);
        out << "}";
        return;
    }
    out << ", \"budget_bytes\": " << row.budgetBytes
        << ", \"unlimited_peak_bytes\": " << row.unlimitedPeakBytes << ", \"ideal_ns\": " << row.idealNs;
    if (row.samplesPerStep)
        out << ", \"samples_per_step\": " << *row.samplesPerStep;
    if (row.tokensPerStep)
        out << ", \"tokens_per_step\": " << *row.tokensPerStep;
    if (row.lowerBoundNs)
        out << ", \"lower_bound_ns\": " << *row.lowerBoundNs;
    out << ", \"results\": ";
    writeList(out, row.results, "      ", [&](const AxisResult& result) {
        out << "{\"minimum_budget_bytes\": " << result.minimumBudgetBytes << ", ";
        writePoint(out, result.point);
        out << "}";
    });
    out << "}";
}

void writeRows(TextWriter& out, const AxisSweep& sweep) {
    out << ",\n  \"strategies\": ";
    writeList(out, sweep.strategies, "    ", [&](const std::string& id) { out.jsonString(id); });
    out << ",\n  \"rows\": ";
    writeList(out, sweep.rows, "    ", [&](const AxisRow& row) { writeRow(out, row); });
    out << "\n}\n";
}

std::string_view limitName(Largest::Limit limit) {
    switch (limit) {
    case Largest::Limit::None:
        return "none";
    case Largest::Limit::Step:
        return "step";
    case Largest::Limit::Memory:
        return "memory";
    case Largest::Limit::Throughput:
        return "throughput";
    }
    return "none";
}

} // namespace

void writeSweepJson(const Sweep& sweep, const SweepSubject& subject, const TextSink& sink) {
    TextWriter out(sink);
    writeHead(out, subject, "budget");
    out << ",\n  \"unlimited_peak_bytes\": " << sweep.unlimitedPeakBytes
        << ",\n  \"ideal_ns\": " << sweep.idealNs << ",\n  \"curves\": ";
    writeList(out, sweep.curves, "    ", [&](const SweepCurve& curve) {
        out << "{\"strategy\": ";
        out.jsonString(curve.strategy);
        if (curve.minimumBudgetBytes)
            out << ", \"minimum_budget_bytes\": " << *curve.minimumBudgetBytes;
        out << ", \"points\": ";
        writeList(out, curve.points, "      ", [&](const SweepPoint& point) {
            out << "{";
            writePoint(out, point);
            out << "}";
        });
        out << "}";
    });
    out << ",\n  \"bound\": ";
    writeList(out, sweep.bound, "    ", [&](const BoundPoint& point) {
        out << "{\"budget_bytes\": " << point.budgetBytes << ", \"lower_bound_ns\": " << point.lowerBoundNs
            << "}";
    });
    out << "\n}\n";
}

void writeAxisSweepJson(const AxisSweep& sweep, const SweepSubject& subject, std::string_view axis,
                        const TextSink& sink) {
    TextWriter out(sink);
    writeHead(out, subject, axis);
    writeRows(out, sweep);
}

void writeLargestJson(const Largest& largest, const LargestRequest& request, const SweepSubject& subject,
                      std::string_view axis, const TextSink& sink) {
    TextWriter out(sink);
    writeHead(out, subject, axis);
    out << ",\n  \"largest\": {\"keep\": ";
    out.real(request.keep);
    out << ", \"value\": ";
    if (largest.value)
        out << *largest.value;
    else
        out << "null";
    out << ", \"limit\": \"" << limitName(largest.limit) << "\"}";
    writeRows(out, largest.tried);
}

} // namespace slackscope
