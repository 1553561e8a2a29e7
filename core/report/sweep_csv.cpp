#include "core/report/sweep_csv.h"

#include "core/report/csv_field.h"
#include "core/report/quantities.h"

namespace slackscope {

namespace {

constexpr std::string_view columns = "budget_bytes,budget_percent,feasible,throughput_of_ideal,step_ns,"
                                     "recomputed_ns,memory_stall_ns,transfer_stall_ns,peak_bytes,"
                                     "offloaded_bytes,minimum_budget_bytes,pins\r\n";

void writeBudget(TextWriter& out, Bytes budget, Bytes peak) {
    const double percent = peak == 0 ? 0.0 : 100 * static_cast<double>(budget) / static_cast<double>(peak);
    out << budget << "," << formatReal(percent, 4) << ",";
}

std::string pinsField(const SweepSubject& subject) {
    std::string text;
    for (const NamedPin& pin : subject.pins)
        text += (text.empty() ? "" : " ") + pin.tensor + "=" + std::string(decisionName(pin.decision));
    return csvField(text);
}

void writePoint(TextWriter& out, const SweepPoint& point, Bytes peak, Bytes minimum,
                const std::string& pins) {
    writeBudget(out, point.budgetBytes, peak);
    if (point.feasible) {
        out << "1,";
        out.real(point.throughputOfIdeal);
        for (const std::int64_t figure : {point.stepNs, point.recomputedNs, point.memoryStallNs,
                                          point.transferStallNs, point.peakBytes, point.offloadedBytes})
            out << "," << figure;
        out << ",";
    } else {
        out << "0,,,,,,,,";
    }
    out << minimum << "," << pins << "\r\n";
}

void writeBound(TextWriter& out, Bytes budget, Bytes peak, Nanoseconds idealNs, Nanoseconds lowerBoundNs) {
    writeBudget(out, budget, peak);
    out << ",";
    out.real(lowerBoundNs == 0 ? 1.0 : static_cast<double>(idealNs) / static_cast<double>(lowerBoundNs));
    out << "," << lowerBoundNs << ",,,,,,,\r\n";
}

} // namespace

void writeSweepCsv(const Sweep& sweep, const SweepSubject& subject, const TextSink& sink) {
    TextWriter out(sink);
    const std::string pins = pinsField(subject);
    out << "strategy," << columns;
    for (const SweepCurve& curve : sweep.curves) {
        for (const SweepPoint& point : curve.points) {
            out << curve.strategy << ",";
            writePoint(out, point, sweep.unlimitedPeakBytes, curve.minimumBudgetBytes.value_or(0), pins);
        }
    }
    for (const BoundPoint& point : sweep.bound) {
        out << boundInCsv << ",";
        writeBound(out, point.budgetBytes, sweep.unlimitedPeakBytes, sweep.idealNs, point.lowerBoundNs);
    }
}

void writeAxisSweepCsv(const AxisSweep& sweep, const SweepSubject& subject, std::string_view axis,
                       const TextSink& sink) {
    TextWriter out(sink);
    const std::string pins = pinsField(subject);
    out << "strategy," << axis << "," << columns;
    for (std::size_t i = 0; i < sweep.strategies.size(); ++i) {
        for (const AxisRow& row : sweep.rows) {
            if (!row.refusal.empty())
                continue;
            out << sweep.strategies[i] << "," << row.value << ",";
            writePoint(out, row.results[i].point, row.unlimitedPeakBytes, row.results[i].minimumBudgetBytes,
                       pins);
        }
    }
    for (const AxisRow& row : sweep.rows) {
        if (!row.lowerBoundNs)
            continue;
        out << boundInCsv << "," << row.value << ",";
        writeBound(out, row.budgetBytes, row.unlimitedPeakBytes, row.idealNs, *row.lowerBoundNs);
    }
}

} // namespace slackscope
