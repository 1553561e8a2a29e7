#include "core/report/sweep_text.h"

#include "core/report/quantities.h"

#include <algorithm>
#include <cmath>

namespace slackscope {

namespace {

constexpr const char* simulatedLine = "\nSimulated, not measured on a GPU; fragmentation is not modelled.\n";
constexpr const char* boundHeading = "bound";
constexpr const char* nothing = "-";

// Columns as wide as their widest cell, all but the first to the right.
class Table {
public:
    explicit Table(std::vector<std::string> heading) { rows_.push_back(std::move(heading)); }
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

    std::string text() const {
        std::vector<std::size_t> widths;
        for (const auto& row : rows_) {
            widths.resize(std::max(widths.size(), row.size()), 0);
            // A cell that is alone in its row is a remark and may run on.
            for (std::size_t i = 0; i < row.size() && row.size() > 2; ++i)
                widths[i] = std::max(widths[i], row[i].size());
        }
        std::string text;
        for (const auto& row : rows_) {
            std::string line;
            for (std::size_t i = 0; i < row.size(); ++i) {
                const std::string pad(widths[i] > row[i].size() ? widths[i] - row[i].size() : 0, ' ');
                const bool isRemark = row.size() == 2 && i == 1;
                line += (i == 0 ? "" : "  ") + (i == 0 || isRemark ? row[i] + pad : pad + row[i]);
            }
            line.erase(line.find_last_not_of(' ') + 1);
            text += line + "\n";
        }
        return text;
    }

private:
    std::vector<std::vector<std::string>> rows_;
};

std::string line(std::string label, const std::string& value) {
    label.resize(13, ' ');
    return label + value + "\n";
}

std::string shownName(const std::string& profile) {
    return profile.empty() ? "(no name)" : profile;
}

double share(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string throughputCell(const SweepPoint& point) {
    return point.feasible ? formatReal(100 * point.throughputOfIdeal, 2) : nothing;
}

// Rounded up: a plan that reaches its bound never seems to pass it.
std::string boundCell(Nanoseconds idealNs, Nanoseconds lowerBoundNs) {
    if (lowerBoundNs == 0)
        return formatReal(100, 2);
    return formatReal(std::ceil(share(idealNs, lowerBoundNs) * 10000 - 1e-9) / 100, 2);
}

template <class Point>
const Point* pointAt(const std::vector<Point>& points, Bytes budget) {
    const auto found =
        std::lower_bound(points.begin(), points.end(), budget,
                         [](const Point& point, Bytes wanted) { return point.budgetBytes < wanted; });
    return found != points.end() && found->budgetBytes == budget ? &*found : nullptr;
}

std::string plainReal(double value) {
    std::string text = formatReal(value, 3);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.'))
        text.pop_back();
    return text;
}

std::string pinnedLines(const SweepSubject& subject) {
    std::string text;
    for (const NamedPin& pin : subject.pins)
        text +=
            line(text.empty() ? "Pinned" : "", pin.tensor + " = " + std::string(decisionName(pin.decision)));
    return text;
}

std::string rateText(const AxisRow& row) {
    const AxisResult* best = row.best();
    const auto work = row.samplesPerStep ? row.samplesPerStep : row.tokensPerStep;
    if (!best || !work || best->point.stepNs == 0)
        return nothing;
    return formatRate(static_cast<double>(*work) / (static_cast<double>(best->point.stepNs) * 1e-9));
}

std::string axisTable(const AxisSweep& sweep, const AxisWords& words) {
    const bool hasBound = std::any_of(sweep.rows.begin(), sweep.rows.end(),
                                      [](const AxisRow& row) { return row.lowerBoundNs.has_value(); });
    const bool hasSamples = std::any_of(sweep.rows.begin(), sweep.rows.end(),
                                        [](const AxisRow& row) { return row.samplesPerStep.has_value(); });
    const bool hasRate =
        hasSamples || std::any_of(sweep.rows.begin(), sweep.rows.end(),
                                  [](const AxisRow& row) { return row.tokensPerStep.has_value(); });
    std::vector<std::string> heading{words.name, "budget", "of peak"};
    heading.insert(heading.end(), sweep.strategies.begin(), sweep.strategies.end());
    if (hasBound)
        heading.emplace_back(boundHeading);
    if (hasRate)
        heading.emplace_back(hasSamples ? "best samples/s" : "best tokens/s");
    Table table(heading);
    for (const AxisRow& row : sweep.rows) {
        const std::string value = words.value(row.value);
        if (!row.refusal.empty()) {
            table.add({value, row.refusal});
            continue;
        }
        std::vector<std::string> cells{value, formatBytes(row.budgetBytes),
                                       formatPercent(share(row.budgetBytes, row.unlimitedPeakBytes))};
        for (const AxisResult& result : row.results)
            cells.push_back(throughputCell(result.point));
        if (hasBound)
            cells.push_back(row.lowerBoundNs ? boundCell(row.idealNs, *row.lowerBoundNs) : nothing);
        if (hasRate)
            cells.push_back(rateText(row));
        table.add(std::move(cells));
    }
    return "Throughput in % of the ideal of the same row (- infeasible):\n" + table.text();
}

const AxisRow* rowOf(const AxisSweep& sweep, std::int64_t value) {
    const auto found = std::find_if(sweep.rows.begin(), sweep.rows.end(),
                                    [&](const AxisRow& row) { return row.value == value; });
    return found == sweep.rows.end() ? nullptr : &*found;
}

std::string bestWords(const AxisSweep& sweep, const AxisRow& row) {
    const AxisResult* best = row.best();
    return formatPercent(best->point.throughputOfIdeal, 2) + " of ideal with " +
           sweep.strategies[static_cast<std::size_t>(best - row.results.data())];
}

std::string limitWords(const AxisSweep& sweep, const AxisRow& row, Largest::Limit limit,
                       const LargestRequest& request, const std::string& value) {
    switch (limit) {
    case Largest::Limit::None:
        return "none up to " + value;
    case Largest::Limit::Step:
        return "the input: " + row.refusal;
    case Largest::Limit::Memory: {
        const auto least = std::min_element(row.results.begin(), row.results.end(),
                                            [](const AxisResult& a, const AxisResult& b) {
                                                return a.minimumBudgetBytes < b.minimumBudgetBytes;
                                            });
        return "memory: " + value + " needs " + formatBytes(least->minimumBudgetBytes) + " at least (" +
               sweep.strategies[static_cast<std::size_t>(least - row.results.begin())] + "), and has " +
               formatBytes(row.budgetBytes);
    }
    case Largest::Limit::Throughput:
        return "throughput: " + value + " fits, but reaches " + bestWords(sweep, row) +
               (row.throughputBound() < request.keep
                    ? "; no program at all is above " + formatPercent(row.throughputBound(), 2)
                    : "");
    }
    return {};
}

} // namespace

std::string sweepText(const Sweep& sweep, const SweepSubject& subject) {
    std::string text = line("Profile", shownName(subject.profile)) + pinnedLines(subject);
    text += line("Peak", formatBytes(sweep.unlimitedPeakBytes) + " when everything is kept");
    text += line("Ideal step", formatNanoseconds(sweep.idealNs));
    text += "\nThroughput in % of ideal (- infeasible):\n";
    std::vector<std::string> heading{"budget", "of peak"};
    for (const SweepCurve& curve : sweep.curves)
        heading.push_back(curve.strategy);
    if (!sweep.bound.empty())
        heading.emplace_back(boundHeading);
    heading.emplace_back(); // never a row of two cells, which would be a remark
    Table table(heading);
    for (const Bytes budget : sweep.grid) {
        std::vector<std::string> cells{formatBytes(budget),
                                       formatPercent(share(budget, sweep.unlimitedPeakBytes))};
        for (const SweepCurve& curve : sweep.curves) {
            const SweepPoint* point = pointAt(curve.points, budget);
            cells.push_back(point ? throughputCell(*point) : nothing);
        }
        if (!sweep.bound.empty()) {
            const BoundPoint* point = pointAt(sweep.bound, budget);
            cells.push_back(point ? boundCell(sweep.idealNs, point->lowerBoundNs) : nothing);
        }
        cells.emplace_back();
        table.add(std::move(cells));
    }
    text += table.text() + "\n";
    Table minimums({"smallest budget", "of peak", "bytes"});
    for (const SweepCurve& curve : sweep.curves) {
        if (curve.minimumBudgetBytes)
            minimums.add({curve.strategy,
                          formatPercent(share(*curve.minimumBudgetBytes, sweep.unlimitedPeakBytes)),
                          formatCount(*curve.minimumBudgetBytes)});
    }
    return text + minimums.text() + simulatedLine;
}

std::string axisSweepText(const AxisSweep& sweep, const AxisWords& words) {
    return line("Profile", shownName(words.subject.profile)) + pinnedLines(words.subject) +
           line("Budget", words.budget) + "\n" + axisTable(sweep, words) + simulatedLine;
}

std::string largestText(const Largest& largest, const LargestRequest& request, const AxisWords& words) {
    const AxisSweep& tried = largest.tried;
    std::string text = line("Profile", shownName(words.subject.profile)) + pinnedLines(words.subject) +
                       line("Budget", words.budget);
    text +=
        line("Question",
             "the largest " + words.name + " that fits and keeps " + plainReal(100 * request.keep) +
                 " % of ideal" +
                 (request.smallest > 1 ? " (in multiples of " + formatCount(request.smallest) + ")" : ""));
    if (largest.value) {
        const AxisRow& row = *rowOf(tried, *largest.value);
        text += line("Answer", words.name + " " + words.value(*largest.value) + ": " + bestWords(tried, row));
    } else {
        text += line("Answer", "none: not even " + words.name + " " + words.value(request.smallest));
    }
    const std::int64_t next = largest.value.value_or(0) + request.smallest;
    const AxisRow* const row = rowOf(tried, largest.limit == Largest::Limit::None ? *largest.value : next);
    text += line("Limited by",
                 limitWords(tried, *row, largest.limit, request, words.name + " " + words.value(row->value)));
    return text + "\nTried. " + axisTable(tried, words) + simulatedLine;
}

} // namespace slackscope
