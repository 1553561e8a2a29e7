#include "core/report/explanation.h"

#include "core/planner/what_if.h"
#include "core/report/quantities.h"
#include "core/report/reason_text.h"

#include <algorithm>

namespace slackscope {

namespace {

// What a line has no room to say.
constexpr const char* rankNote =
    "Rank 1 is the dearest to recompute per byte. A recompute costs what its own chain of operators takes,\n"
    "all other saved tensors being there.\n";
constexpr std::size_t widestId = 60; // longer ids push their line to the right

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
}

std::string decisionWord(const Reason& reason) {
    return std::string(decisionName(reason.decision)) +
           (reason.kind == Reason::Kind::Pinned ? ", pinned" : "");
}

std::string explanation(const Plan& plan, const Reasons& reasons, TensorIndex t) {
    const StepGraph& graph = *plan.graph;
    const Tensor& tensor = graph.tensor(t);
    const std::string heading = tensor.id + " (" + formatBytes(tensor.bytes) + "): ";
    if (!graph.isSaved(t))
        return heading + "no backward reads it, so there is nothing to decide.\n";
    const Reason reason = reasons.of(t);
    std::string text = heading + decisionWord(reason) + "\n  " + reasonText(reason) + "\n";
    const auto held = whatIfHeld(plan, t, {});
    const auto replanned = whatIfReplanned(plan, t, {});
    if (!held || !replanned)
        return text; // cannot be: nobody asked for an end
    text += padded("  What if, simulated", 22) + padded("the rest held", 28) + "the rest re-planned\n";
    for (const Decision decision : allDecisions) {
        const auto i = static_cast<std::size_t>(decision);
        std::string name = "  " + std::string(decisionName(decision));
        if (decision == reason.decision)
            name += " (now)";
        text += padded(name, 22);
        if ((*held)[i].outcome == WhatIf::Outcome::Impossible)
            text += whatIfText((*held)[i], plan.stepNs()) + "\n"; // one obstacle, whatever the rest does
        else
            text += padded(whatIfText((*held)[i], plan.stepNs()), 28) +
                    whatIfText((*replanned)[i], plan.stepNs()) + "\n";
    }
    return text;
}

} // namespace

std::string decisionList(const Plan& plan) {
    const StepGraph& graph = *plan.graph;
    const auto costs = recomputeCosts(graph);
    const Reasons reasons(plan, costs);
    std::size_t width = std::string_view("Tensor").size();
    for (const TensorIndex t : graph.savedTensors())
        width = std::max(width, std::min(widestId, graph.tensor(t).id.size()));
    std::string text = padded("Tensor", width + 2) + padded("Size", 13) + padded("Decision", 19) + "Reason\n";
    for (const TensorIndex t : graph.savedTensors()) {
        const Reason reason = reasons.of(t);
        text += padded(graph.tensor(t).id, width + 2) + padded(formatBytes(graph.tensor(t).bytes), 13) +
                padded(decisionWord(reason), 19) + reasonText(reason) + "\n";
    }
    return text + rankNote;
}

std::string explanations(const Plan& plan, std::span<const TensorIndex> tensors) {
    const auto costs = recomputeCosts(*plan.graph);
    const Reasons reasons(plan, costs);
    std::string text;
    for (const TensorIndex t : tensors)
        text += explanation(plan, reasons, t) + "\n";
    return text + rankNote;
}

} // namespace slackscope
