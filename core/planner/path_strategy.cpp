#include "core/planner/path_strategy.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace slackscope {

namespace {

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

class PathStrategy final : public PreparedStrategy {
public:
    PathStrategy(std::shared_ptr<const StepGraph> graph, std::string_view strategy,
                 std::vector<std::unique_ptr<PlacementPath>> paths, std::size_t lookAhead)
        : lowering_(std::move(graph)), strategy_(strategy), paths_(std::move(paths)), lookAhead_(lookAhead) {}

    // False when stopped.
    bool findPeaks(const StopRequested& stop) {
        unlimitedPeak_ = lowering_.peak(keepEverything(lowering_.graph())).bytes;
        bool first = true;
        for (const auto& path : paths_) {
            auto& peaks = peaks_.emplace_back();
            for (std::size_t i = 0; i < path->count(); ++i) {
                if (stop && stop())
                    return false;
                peaks.push_back(lowering_.peak(path->at(i)));
                if (first || peaks.back().bytes < least_.bytes)
                    least_ = peaks.back();
                first = false;
            }
        }
        return true;
    }

    Plan plan(Bytes budget) override {
        std::optional<Plan> best;
        for (std::size_t p = 0; p < paths_.size(); ++p) {
            const auto& peaks = peaks_[p];
            const auto fits = [&](const LedgerPeak& peak) {
                return peak.bytes <= budget && peak.bytes < unlimitedBudget;
            };
            const auto first =
                static_cast<std::size_t>(std::find_if(peaks.begin(), peaks.end(), fits) - peaks.begin());
            std::size_t step = 0; // 0, 1, 2, 4, ... stops beyond the first
            for (std::size_t tried = 0; tried <= lookAhead_ && first + step < peaks.size(); ++tried) {
                if (fits(peaks[first + step])) {
                    Plan candidate =
                        simulatePlacement(lowering_, paths_[p]->at(first + step), budget, strategy_);
                    if (!best || candidate.stepNs() < best->stepNs())
                        best = std::move(candidate);
                }
                step = step == 0 ? 1 : 2 * step;
            }
        }
        if (!best) {
            best.emplace();
            best->strategy = strategy_;
            best->graph = lowering_.sharedGraph();
            best->budgetBytes = budget;
            best->blocked = Blocked{least_.op, least_.bytes};
            best->decisions.assign(at(lowering_.graph().tensorCount()), Decision::Keep);
            best->slack = availableSlack(lowering_.graph());
            best->lowerBoundNs = lowering_.graph().idealNs();
        }
        best->unlimitedPeakBytes = unlimitedPeak_;
        best->minimumBudgetBytes = least_.bytes;
        return std::move(*best);
    }

private:
    Lowering lowering_;
    std::string strategy_;
    std::vector<std::unique_ptr<PlacementPath>> paths_;
    std::vector<std::vector<LedgerPeak>> peaks_; // by path and stop
    std::size_t lookAhead_;
    LedgerPeak least_;
    Bytes unlimitedPeak_ = 0;
};

} // namespace

Plan simulatePlacement(Lowering& lowering, const Placement& placement, Bytes budget,
                       std::string_view strategy) {
    const StepGraph& graph = lowering.graph();
    Plan plan;
    plan.strategy = strategy;
    plan.graph = lowering.sharedGraph();
    plan.budgetBytes = budget;
    plan.decisions.assign(at(graph.tensorCount()), Decision::Keep);
    plan.slack = availableSlack(graph);
    plan.lowerBoundNs = graph.idealNs();
    auto program = Program::assemble(lowering.sharedGraph(), lowering.lower(placement, budget));
    if (!program)
        throw std::logic_error("a lowered placement is no program: " + program.error().reason);
    auto timeline = simulate(*program, budget);
    if (!timeline)
        throw std::logic_error("a placement that fits the ledger does not run to its end");
    for (const TensorIndex t : graph.savedTensors())
        plan.decisions[at(t)] = placement.decisions[at(t)];
    for (const Offload& offload : program->instructions().offloads) {
        plan.offloadedBytes += graph.tensor(offload.tensor).bytes;
        plan.slack.usedDeviceToHostNs += graph.offloadNs(offload.tensor);
    }
    for (const Prefetch& prefetch : program->instructions().prefetches)
        plan.slack.usedHostToDeviceNs += graph.prefetchNs(prefetch.tensor);
    plan.simulated = Simulated{std::move(*program), std::move(*timeline)};
    return plan;
}

std::unique_ptr<PreparedStrategy> preparePath(std::shared_ptr<const StepGraph> graph,
                                              std::string_view strategy,
                                              std::vector<std::unique_ptr<PlacementPath>> paths,
                                              std::size_t lookAhead, const StopRequested& stop) {
    auto prepared = std::make_unique<PathStrategy>(std::move(graph), strategy, std::move(paths), lookAhead);
    if (!prepared->findPeaks(stop))
        return nullptr;
    return prepared;
}

std::unique_ptr<PreparedStrategy> preparePath(std::shared_ptr<const StepGraph> graph,
                                              std::string_view strategy, std::unique_ptr<PlacementPath> path,
                                              std::size_t lookAhead, const StopRequested& stop) {
    std::vector<std::unique_ptr<PlacementPath>> paths;
    paths.push_back(std::move(path));
    return preparePath(std::move(graph), strategy, std::move(paths), lookAhead, stop);
}

} // namespace slackscope
