#include "ui/tradeoff/tradeoff_of_sweep.h"

#include "core/planner/bound_policy.h"

namespace slackscope {

namespace {

constexpr std::int32_t gridBudgets = 65;  // nothing and every 64th of the unlimited peak
constexpr std::int32_t gridSplits = 2;    // down to every 256th
constexpr double largestFall = 0.004;     // of throughput between neighbours
constexpr std::int32_t boundBudgets = 33; // each takes as long as many plans
constexpr std::int32_t boundSplits = 1;
constexpr double boundFall = 0.008;
constexpr double strategiesShare = 0.4; // of the work
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

std::optional<Sweep> sweepToDraw(const std::shared_ptr<const StepGraph>& graph, const Pins& pins,
                                 const std::function<void(double)>& progressed, const StopRequested& stop) {
    struct Part final : SweepObserver {
        const std::function<void(double)>& told;
        double from;
        double to;
        Part(const std::function<void(double)>& whom, double start, double end)
            : told(whom), from(start), to(end) {}
        void progressed(double fraction) override { told(from + (to - from) * fraction); }
    };
    SweepRequest request;
    request.graph = graph;
    request.pins = pins;
    request.strategies.assign(strategies().begin(), strategies().end());
    request.withBound = false;
    const Bytes peak = unlimitedPeak(graph);
    request.grid = evenBudgets(0, peak, peak > 0 ? gridBudgets : 1);
    request.splits = gridSplits;
    request.largestFall = largestFall;
    Part first(progressed, 0, triesBoundInBackground(*graph) ? strategiesShare : 1);
    std::optional<Sweep> sweep = runSweep(request, &first, stop);
    if (!sweep || !triesBoundInBackground(*graph))
        return sweep;
    request.strategies.clear();
    request.withBound = true;
    request.grid = evenBudgets(0, peak, peak > 0 ? boundBudgets : 1);
    request.splits = boundSplits;
    request.largestFall = boundFall;
    Part second(progressed, strategiesShare, 1);
    std::optional<Sweep> bound = runSweep(request, &second, stop);
    if (!bound)
        return std::nullopt;
    sweep->bound = std::move(bound->bound);
    return sweep;
}

} // namespace slackscope
