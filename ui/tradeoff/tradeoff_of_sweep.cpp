#include "ui/tradeoff/tradeoff_of_sweep.h"

namespace slackscope {

namespace {

constexpr std::int32_t gridBudgets = 65; // nothing and every 64th of the unlimited peak
constexpr std::int32_t splits = 2;       // down to every 256th
constexpr double largestFall = 0.004;    // of throughput between neighbours, where there is a plan between
constexpr qsizetype longestLabel = 16;

// Long names give way to the short one that the command line knows.
QString labelOf(const std::string& id) {
    const StrategyInfo* info = findStrategy(id);
    const QString name =
        info ? QString::fromUtf8(info->name.data(), static_cast<qsizetype>(info->name.size())) : QString();
    return name.isEmpty() || name.size() > longestLabel ? QString::fromStdString(id) : name;
}

} // namespace

std::shared_ptr<const figures::TradeoffCurves> tradeoffOf(const Sweep& sweep) {
    auto curves = std::make_shared<figures::TradeoffCurves>();
    curves->unlimitedPeak = sweep.unlimitedPeakBytes;
    for (const SweepCurve& from : sweep.curves) {
        figures::TradeoffCurve curve{from.strategy, labelOf(from.strategy), {}, from.minimumBudgetBytes};
        for (const SweepPoint& point : from.points) {
            if (point.feasible)
                curve.points.push_back({point.budgetBytes, point.throughputOfIdeal});
        }
        curves->curves.push_back(std::move(curve));
    }
    const auto ideal = static_cast<double>(sweep.idealNs);
    for (const BoundPoint& point : sweep.bound)
        curves->bound.push_back({point.budgetBytes, point.lowerBoundNs > 0
                                                        ? ideal / static_cast<double>(point.lowerBoundNs)
                                                        : 1.0});
    return curves;
}

SweepRequest sweepToDraw(const std::shared_ptr<const StepGraph>& graph) {
    SweepRequest request;
    request.graph = graph;
    request.strategies.assign(strategies().begin(), strategies().end());
    request.grid = evenBudgets(0, unlimitedPeak(graph), gridBudgets);
    request.splits = splits;
    request.largestFall = largestFall;
    return request;
}

} // namespace slackscope
