#include "core/report/summary.h"

#include "core/planner/strategy.h"
#include "core/report/quantities.h"

#include <algorithm>
#include <array>
#include <map>

namespace slackscope {

namespace {

constexpr std::size_t labelWidth = 13;

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width)
        text.resize(width, ' ');
    return text;
}

std::string rightAligned(const std::string& text, std::size_t width) {
    return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string line(std::string label, const std::string& value) {
    return padded(std::move(label), labelWidth) + value + "\n";
}

double ratio(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string strategyName(const std::string& id) {
    const StrategyInfo* strategy = findStrategy(id);
    return strategy ? std::string(strategy->name) + " (" + id + ")" : id;
}

std::string pinnedLine(const Plan& plan) {
    if (plan.pins.empty())
        return {};
    return line("Pinned", formatCount(static_cast<std::int64_t>(plan.pins.size())) +
                              (plan.pins.size() == 1 ? " tensor" : " tensors"));
}

std::string heading(const Plan& plan) {
    const std::string& name = plan.graph->profile().name;
    return line("Profile", name.empty() ? "(no name)" : name) +
           line("Strategy", strategyName(plan.strategy)) + pinnedLine(plan) +
           line("Budget", formatExactBytes(plan.budgetBytes) + ", " +
                              formatPercent(ratio(plan.budgetBytes, plan.unlimitedPeakBytes)) +
                              " of the unlimited peak of " + formatBytes(plan.unlimitedPeakBytes));
}

std::string slackLine(const char* direction, Nanoseconds used, Nanoseconds available) {
    std::string text = std::string(direction) + " " + formatNanoseconds(used) + " of " +
                       formatNanoseconds(available) + " that computation can hide";
    if (available > 0)
        text += " (" + formatPercent(ratio(used, available), 0) + ")";
    return text;
}

// Whether model state and activations together fit the device.
std::string deviceLines(const Plan& plan, Bytes peak) {
    const auto& device = plan.graph->profile().device;
    if (!device || device->memoryBytes == 0)
        return {};
    const Bytes total = device->modelStateBytes + peak;
    const Bytes free = device->memoryBytes - total;
    std::string text = formatBytes(device->modelStateBytes) + " model state + " + formatBytes(peak) +
                       " peak = " + formatBytes(total);
    text +=
        free >= 0
            ? ", fits in " + formatBytes(device->memoryBytes) + ": yes, " + formatBytes(free) + " free"
            : ", fits in " + formatBytes(device->memoryBytes) + ": no, " + formatBytes(-free) + " too much";
    return line("Device", device->name.empty() ? "(no name)" : device->name) + line("", text);
}

struct Tally {
    std::int64_t count = 0;
    Bytes bytes = 0;
};
using Tallies = std::array<Tally, allDecisions.size()>;

std::string tallyCell(const Tally& tally) {
    if (tally.count == 0)
        return rightAligned("-", 20);
    return rightAligned(formatCount(tally.count), 8) + rightAligned(formatBytes(tally.bytes), 12);
}

// One row per tensor kind, in the order in which the kinds first appear, and their sum.
std::string decisionTable(const Plan& plan) {
    const StepGraph& graph = *plan.graph;
    std::vector<std::string> order;
    std::map<std::string, Tallies> byKind;
    Tallies all;
    for (const TensorIndex t : graph.savedTensors()) {
        const Tensor& tensor = graph.tensor(t);
        const auto column = static_cast<std::size_t>(plan.decisions[static_cast<std::size_t>(t)]);
        const auto [row, isNew] = byKind.try_emplace(tensor.kind.empty() ? "(no kind)" : tensor.kind);
        if (isNew)
            order.push_back(row->first);
        for (Tally* tally : {&row->second[column], &all[column]}) {
            ++tally->count;
            tally->bytes += tensor.bytes;
        }
    }
    std::size_t width = std::string_view("saved tensors").size();
    for (const std::string& kind : order)
        width = std::max(width, kind.size());
    std::string text = padded("Saved tensors", width + 2);
    for (const Decision decision : allDecisions)
        text += rightAligned(std::string(decisionName(decision)), 20);
    text += "\n";
    const auto row = [&](const std::string& name, const Tallies& tallies) {
        text += padded("  " + name, width + 2);
        for (const Tally& tally : tallies)
            text += tallyCell(tally);
        text += "\n";
    };
    for (const std::string& kind : order)
        row(kind, byKind.at(kind));
    row("all", all);
    return text;
}

std::string speedLine(const Plan& plan) {
    const Profile& profile = plan.graph->profile();
    const double seconds = static_cast<double>(plan.stepNs()) * 1e-9;
    if (seconds <= 0.0)
        return {};
    std::string text;
    if (profile.tokensPerStep)
        text += formatRate(static_cast<double>(*profile.tokensPerStep) / seconds) + " tokens/s";
    if (profile.samplesPerStep)
        text += (text.empty() ? "" : ", ") +
                formatRate(static_cast<double>(*profile.samplesPerStep) / seconds) + " samples/s";
    return text.empty() ? text : line("Speed", text);
}

std::string feasibleSummary(const Plan& plan) {
    const Timeline& timeline = plan.simulated->timeline;
    const Nanoseconds stalled = timeline.memoryStallNs + timeline.transferStallNs;
    std::string text = heading(plan);
    text += line("Feasible",
                 "yes; this strategy finds a plan from " + formatBytes(plan.minimumBudgetBytes) + " on");
    text += line("Throughput", formatPercent(plan.throughputOfIdeal()) + " of ideal");
    text += line("Step", formatNanoseconds(timeline.stepNs) + " (ideal " +
                             formatNanoseconds(plan.graph->idealNs()) + "; no plan at this budget beats " +
                             formatNanoseconds(plan.lowerBoundNs) + ")");
    text += speedLine(plan);
    text += line("Peak", formatBytes(timeline.peakBytes) + " of " + formatBytes(plan.budgetBytes));
    text += line("Offloaded", formatBytes(plan.offloadedBytes));
    text += line("Recomputed", formatNanoseconds(timeline.recomputedNs));
    text += line("Stalled", formatNanoseconds(stalled) + " (for memory " +
                                formatNanoseconds(timeline.memoryStallNs) + ", for transfers " +
                                formatNanoseconds(timeline.transferStallNs) + ")");
    text += line("Slack used",
                 slackLine("device to host", plan.slack.usedDeviceToHostNs, plan.slack.deviceToHostNs));
    text += line("", slackLine("host to device", plan.slack.usedHostToDeviceNs, plan.slack.hostToDeviceNs));
    text += deviceLines(plan, timeline.peakBytes);
    return text + "\n" + decisionTable(plan);
}

std::string infeasibleSummary(const Plan& plan) {
    std::string text = heading(plan);
    text += line("Feasible", "no: short by " + formatBytes(plan.minimumBudgetBytes - plan.budgetBytes));
    if (plan.blocked) {
        const std::string name = plan.blocked->op == none
                                     ? "the step"
                                     : "operator \"" + plan.graph->op(plan.blocked->op).id + "\"";
        text += line("Blocked", name + " needs " + formatExactBytes(plan.blocked->needsBytes) +
                                    " at once, whatever this strategy decides");
    }
    text += line("Smallest",
                 "budget that works with this strategy: " + formatExactBytes(plan.minimumBudgetBytes) + ", " +
                     formatPercent(ratio(plan.minimumBudgetBytes, plan.unlimitedPeakBytes)) +
                     " of the unlimited peak");
    text += line("What to do", "raise the budget to that, " +
                                   std::string(plan.pins.empty() ? "" : "remove pins, ") +
                                   "choose another strategy, or lower batch or sequence");
    return text;
}

} // namespace

std::string planSummary(const Plan& plan) {
    return (plan.feasible() ? feasibleSummary(plan) : infeasibleSummary(plan)) +
           "\nSimulated, not measured on a GPU; fragmentation is not modelled.\n";
}

} // namespace slackscope
