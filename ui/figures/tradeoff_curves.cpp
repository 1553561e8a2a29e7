#include "ui/figures/tradeoff_curves.h"

#include "ui/figures/format.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>

namespace slackscope::figures {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Tradeoff)
};

constexpr double tickOfLowest = 0.05;
constexpr double highestLowest = 0.95; // a plot always spans at least 5 %
constexpr double firstSteps = 0.05;    // of the budgets from the minimum of the strategy in use
constexpr double upperBudgets = 0.75;  // of the other strategies
constexpr double farFraction = 0.02;   // a sample further away says nothing of a budget

Bytes distance(Bytes a, Bytes b) {
    return a < b ? b - a : a - b;
}

double lowerTick(double throughput) {
    return std::floor(throughput / tickOfLowest + 1e-9) * tickOfLowest;
}

} // namespace

const TradeoffCurve* TradeoffCurves::find(std::string_view id) const {
    const auto found = std::find_if(curves.begin(), curves.end(),
                                    [&](const TradeoffCurve& curve) { return curve.id == id; });
    return found == curves.end() ? nullptr : &*found;
}

bool TradeoffCurves::isEmpty() const {
    return bound.empty() && std::all_of(curves.begin(), curves.end(),
                                        [](const TradeoffCurve& curve) { return curve.points.empty(); });
}

double TradeoffCurves::fractionOf(Bytes budget) const {
    return unlimitedPeak > 0 ? static_cast<double>(budget) / static_cast<double>(unlimitedPeak) : 0;
}

const TradeoffPoint* nearestSample(std::span<const TradeoffPoint> points, Bytes budget, Bytes reach) {
    const auto after =
        std::lower_bound(points.begin(), points.end(), budget,
                         [](const TradeoffPoint& point, Bytes value) { return point.budget < value; });
    const TradeoffPoint* nearest = nullptr;
    if (after != points.end())
        nearest = &*after;
    if (after != points.begin()) {
        const TradeoffPoint& before = *std::prev(after);
        if (!nearest || distance(before.budget, budget) < distance(nearest->budget, budget))
            nearest = &before;
    }
    return nearest && distance(nearest->budget, budget) <= reach ? nearest : nullptr;
}

std::optional<Bytes> nearestBudget(const TradeoffCurves& curves, Bytes budget) {
    std::optional<Bytes> nearest;
    const auto look = [&](const std::vector<TradeoffPoint>& points) {
        const TradeoffPoint* found = nearestSample(points, budget, std::numeric_limits<Bytes>::max());
        if (found && (!nearest || distance(found->budget, budget) < distance(*nearest, budget)))
            nearest = found->budget;
    };
    for (const TradeoffCurve& curve : curves.curves)
        look(curve.points);
    look(curves.bound);
    return nearest;
}

double lowestShown(const TradeoffCurves& curves, std::string_view emphasized) {
    double lowest = highestLowest;
    for (const TradeoffCurve& curve : curves.curves) {
        if (curve.points.empty())
            continue;
        const double from = curve.id == emphasized
                                ? curves.fractionOf(curve.points.front().budget) + firstSteps
                                : upperBudgets;
        for (const TradeoffPoint& point : curve.points) {
            if (curves.fractionOf(point.budget) >= std::min(from, 1.0))
                lowest = std::min(lowest, point.throughput);
        }
    }
    return std::clamp(lowerTick(lowest), 0.0, highestLowest);
}

std::optional<TradeoffReadout> readTradeoff(const TradeoffCurves& curves, Bytes budget) {
    const std::optional<Bytes> sampled = nearestBudget(curves, budget);
    if (!sampled)
        return std::nullopt;
    TradeoffReadout readout;
    readout.budget = *sampled;
    readout.title =
        Words::tr("%1 · %2").arg(formatPercent(curves.fractionOf(*sampled)), formatBytes(*sampled));
    const auto reach = static_cast<Bytes>(farFraction * static_cast<double>(curves.unlimitedPeak));
    const QString shownBudget = formatPercent(curves.fractionOf(*sampled));
    const auto value = [&](const TradeoffPoint& point) {
        const QString at = formatPercent(curves.fractionOf(point.budget));
        const QString throughput = formatPercent(point.throughput);
        return at == shownBudget ? throughput : Words::tr("%1 at %2").arg(throughput, at);
    };
    for (std::size_t i = 0; i < curves.curves.size(); ++i) {
        const TradeoffCurve& curve = curves.curves[i];
        TradeoffReadout::Row row;
        row.curve = static_cast<std::int32_t>(i);
        row.label = curve.label;
        if (curve.minimumBudget && *sampled < *curve.minimumBudget) {
            row.value = Words::tr("needs %1").arg(formatPercent(curves.fractionOf(*curve.minimumBudget)));
        } else if ((row.point = nearestSample(curve.points, *sampled, reach))) {
            row.value = value(*row.point);
        } else {
            row.value = Words::tr("not computed yet");
        }
        readout.rows.push_back(row);
    }
    TradeoffReadout::Row row;
    row.label = Words::tr("at most");
    row.point = nearestSample(curves.bound, *sampled, reach);
    row.value = row.point ? value(*row.point) : Words::tr("not computed yet");
    readout.rows.push_back(row);
    return readout;
}

QString tradeoffSummary(const TradeoffCurves& curves, Bytes budget) {
    const std::optional<TradeoffReadout> readout = readTradeoff(curves, budget);
    if (!readout)
        return Words::tr("Throughput against budget is not computed yet.");
    QStringList parts;
    for (const TradeoffReadout::Row& row : readout->rows)
        parts << QStringLiteral("%1 %2").arg(row.label, row.value);
    return Words::tr("Simulated throughput of ideal at a budget of %1: %2.")
        .arg(readout->title, parts.join(QStringLiteral(", ")));
}

} // namespace slackscope::figures
