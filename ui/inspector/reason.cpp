#include "ui/inspector/reason.h"

#include "ui/figures/format.h"

#include "core/planner/lowering.h"

#include <QCoreApplication>

#include <algorithm>

namespace slackscope {

using figures::formatBytes;
using figures::formatTime;

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Reason", text);
}

bool ranksTensors(const std::string& strategy) {
    return strategy == "slackswap";
}

QString rankText(const PlannedStep& planned, const RecomputeCost& cost) {
    return tr("Rank %1 of %2 by recompute cost per byte")
        .arg(cost.rank)
        .arg(planned.request.step->graph->savedTensors().size());
}

QString keepReason(const PlannedStep& planned, TensorIndex t) {
    const Plan& plan = *planned.plan;
    const StepGraph& graph = *plan.graph;
    if (graph.tensor(t).bytes == 0)
        return tr("Kept: it takes no memory.");
    if (!canOffload(graph, t) && !canDrop(graph, t))
        return tr("Kept: neither moving nor recomputing it would free memory between the passes.");
    QString reason = tr("Kept: the plan peaks at %1 and meets the budget of %2 without freeing it.")
                         .arg(formatBytes(plan.simulated->timeline.peakBytes), formatBytes(plan.budgetBytes));
    const RecomputeCost& cost = planned.request.step->costs[static_cast<std::size_t>(t)];
    if (ranksTensors(plan.strategy) && cost.rank > 0)
        reason += QLatin1Char(' ') + rankText(planned, cost) + QLatin1Char('.');
    return reason;
}

QString offloadReason(const PlannedStep& planned, TensorIndex t) {
    const Plan& plan = *planned.plan;
    const StepGraph& graph = *plan.graph;
    const RecomputeCost& cost = planned.request.step->costs[static_cast<std::size_t>(t)];
    if (!ranksTensors(plan.strategy))
        return tr("Moved to the host: %1 out and %2 back, to keep %3 off the device between the passes.")
            .arg(formatTime(graph.offloadNs(t)), formatTime(graph.prefetchNs(t)),
                 formatBytes(graph.tensor(t).bytes));
    if (!canDrop(graph, t))
        return tr("It cannot be recomputed, so it goes to the host: %1 of the %2 of transfer that "
                  "computation can hide.")
            .arg(formatTime(graph.offloadNs(t)), formatTime(plan.slack.deviceToHostNs));
    return tr("%1: recomputing it would cost %2, moving it takes %3 of the %4 of transfer that computation "
              "can hide.")
        .arg(rankText(planned, cost), formatTime(cost.chainNs), formatTime(graph.offloadNs(t)),
             formatTime(plan.slack.deviceToHostNs));
}

QString recomputeReason(const PlannedStep& planned, TensorIndex t) {
    const Plan& plan = *planned.plan;
    const StepGraph& graph = *plan.graph;
    const RecomputeCost& cost = planned.request.step->costs[static_cast<std::size_t>(t)];
    if (plan.strategy == "recompute-all" || plan.strategy == "sqrt-n")
        return tr("It lies inside a segment, and the backward of the segment makes it again from what is "
                  "kept at the "
                  "segment's border. Alone, that costs %1.")
            .arg(formatTime(cost.chainNs));
    QString reason =
        canOffload(graph, t)
            ? tr("Recomputing it costs %1 of computation, moving it would take %2 of link time.")
                  .arg(formatTime(cost.chainNs), formatTime(graph.offloadNs(t)))
            : tr("It cannot be moved to the host; recomputing it costs %1.").arg(formatTime(cost.chainNs));
    if (ranksTensors(plan.strategy) && cost.rank > 0)
        reason += QLatin1Char(' ') + rankText(planned, cost) + tr("; the last ranks are recomputed first.");
    return reason;
}

} // namespace

QString reasonFor(const PlannedStep& planned, TensorIndex t) {
    switch (planned.plan->decisions[static_cast<std::size_t>(t)]) {
    case Decision::Keep:
        return keepReason(planned, t);
    case Decision::Offload:
        return offloadReason(planned, t);
    case Decision::Recompute:
        return recomputeReason(planned, t);
    }
    return {};
}

} // namespace slackscope
