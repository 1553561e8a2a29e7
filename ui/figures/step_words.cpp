// What a step picture says in words: tooltips, captions, summaries for screen readers.
#include "ui/figures/format.h"
#include "ui/figures/marks.h"
#include "ui/figures/step_picture.h"

#include "core/planner/strategy.h"

#include <QCoreApplication>

namespace slackscope::figures {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(StepPicture)
};

QString kindName(BarKind kind) {
    switch (kind) {
    case BarKind::Forward:
        return Words::tr("Forward");
    case BarKind::Backward:
        return Words::tr("Backward");
    case BarKind::Recompute:
        return Words::tr("Recompute");
    case BarKind::Offload:
        return Words::tr("Offload, device to host");
    case BarKind::Prefetch:
        return Words::tr("Prefetch, host to device");
    case BarKind::MemoryStall:
        return Words::tr("Stall: waiting for memory");
    case BarKind::TransferStall:
        return Words::tr("Stall: waiting for a prefetch");
    }
    return {};
}

QString whenLine(const Bar& bar) {
    return Words::tr("%1, from %2 to %3")
        .arg(formatTime(bar.toNs - bar.fromNs), formatInstant(bar.fromNs), formatInstant(bar.toNs));
}

QString strategyName(const std::string& id) {
    const StrategyInfo* info = findStrategy(id);
    return info ? QString::fromUtf8(info->name.data(), static_cast<qsizetype>(info->name.size()))
                : QString::fromStdString(id);
}

double fractionOf(Bytes part, Bytes whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

QString budgetText(const Plan& plan) {
    if (plan.budgetBytes == unlimitedBudget)
        return Words::tr("no budget");
    return Words::tr("budget %1 (%2)")
        .arg(formatPercent(fractionOf(plan.budgetBytes, plan.unlimitedPeakBytes)),
             formatBytes(plan.budgetBytes));
}

constexpr std::size_t mostPinsNamed = 3;
constexpr qsizetype longestPins = 100; // characters

// By name while they are few and their names short.
QString pinsText(const StepGraph& graph, const Pins& pins) {
    QStringList named;
    for (std::size_t i = 0; i < pins.size() && i < mostPinsNamed; ++i)
        named << Words::tr("%1 (%2)").arg(QString::fromStdString(graph.tensor(pins[i].tensor).id),
                                          decisionWord(pins[i].decision));
    const QString text = Words::tr("pinned: %1").arg(named.join(QStringLiteral(", ")));
    if (pins.size() <= mostPinsNamed && text.size() <= longestPins)
        return text;
    return pins.size() == 1 ? Words::tr("1 pinned decision")
                            : Words::tr("%1 pinned decisions").arg(pins.size());
}

} // namespace

QStringList StepPicture::decisionLines(TensorIndex t) const {
    QStringList lines;
    if (!graph().isSaved(t)) {
        lines << Words::tr("No backward reads it: released after its last forward use");
        return lines;
    }
    const bool isPinned =
        std::any_of(plan_->pins.begin(), plan_->pins.end(), [&](const Pin& pin) { return pin.tensor == t; });
    if (const std::optional<Decision> taken = decision(t))
        lines << (isPinned ? Words::tr("Decision: %1, pinned") : Words::tr("Decision: %1"))
                     .arg(decisionWord(*taken));
    const RecomputeCost& price = cost(t);
    const QString moving = Words::tr("moving it takes %1 out and %2 back")
                               .arg(formatTime(graph().offloadNs(t)), formatTime(graph().prefetchNs(t)));
    if (price.chainLength == 0)
        lines << Words::tr("It cannot be recomputed; %1").arg(moving);
    else if (price.chainLength == 1)
        lines << Words::tr("Recomputing it takes %1; %2").arg(formatTime(price.chainNs), moving);
    else
        lines << Words::tr("Recomputing it takes %1 in a chain of %2 operators; %3")
                     .arg(formatTime(price.chainNs))
                     .arg(price.chainLength)
                     .arg(moving);
    lines << Words::tr("Rank %1 of %2 by recompute time per byte, dearest first")
                 .arg(price.rank)
                 .arg(graph().savedTensors().size());
    return lines;
}

HoverInfo StepPicture::describeBar(Lane lane, std::int32_t index) const {
    const Bar& shown = bars(lane)[static_cast<std::size_t>(index)];
    HoverInfo info;
    info.tensor = tensorOf(lane, index);
    if (lane == Lane::Compute) {
        const Operator& op = graph().op(shown.id);
        info.op = shown.id;
        info.title = QString::fromStdString(op.id);
        QString what = kindName(shown.kind);
        if (op.layer)
            what += Words::tr(" · layer %1").arg(*op.layer);
        if (!op.kind.empty())
            what += QStringLiteral(" · ") + QString::fromStdString(op.kind);
        info.lines << what << whenLine(shown);
        if (info.tensor != none) {
            const Tensor& written = graph().tensor(info.tensor);
            info.lines << Words::tr("Output %1, %2")
                              .arg(QString::fromStdString(written.id), formatBytes(written.bytes));
            info.lines << decisionLines(info.tensor);
        }
        return info;
    }
    const Tensor& moved = graph().tensor(shown.id);
    info.title = QString::fromStdString(moved.id);
    info.lines << kindName(shown.kind) << whenLine(shown)
               << Words::tr("%1 at %2")
                      .arg(formatBytes(moved.bytes), formatRate(moved.bytes, shown.toNs - shown.fromNs));
    info.lines << decisionLines(shown.id);
    return info;
}

HoverInfo StepPicture::describeStall(std::int32_t index) const {
    const Bar& stall = stalls_[static_cast<std::size_t>(index)];
    HoverInfo info;
    info.op = stall.id;
    info.title = kindName(stall.kind);
    info.lines << whenLine(stall)
               << Words::tr("%1 waits").arg(QString::fromStdString(graph().op(stall.id).id));
    return info;
}

HoverInfo StepPicture::describeTensor(TensorIndex t) const {
    const Tensor& tensor = graph().tensor(t);
    HoverInfo info;
    info.tensor = t;
    info.title = QString::fromStdString(tensor.id);
    QString what = formatBytes(tensor.bytes);
    if (!tensor.kind.empty())
        what += QStringLiteral(" · ") + QString::fromStdString(tensor.kind);
    info.lines << what << decisionLines(t);
    return info;
}

HoverInfo StepPicture::describeMemory(double ns) const {
    HoverInfo info;
    const Bytes resident = residentAt(ns);
    info.title = Words::tr("%1 resident").arg(formatBytes(resident));
    info.lines << Words::tr("at %1").arg(formatInstant(static_cast<Nanoseconds>(ns)));
    if (plan_->budgetBytes != unlimitedBudget)
        info.lines << Words::tr("%1 of the budget of %2")
                          .arg(formatPercent(fractionOf(resident, plan_->budgetBytes)),
                               formatBytes(plan_->budgetBytes));
    return info;
}

QString StepPicture::infeasibleSentence() const {
    if (feasible())
        return {};
    QString sentence = Words::tr("No plan of %1 fits in %2: it needs at least %3.")
                           .arg(strategyName(plan_->strategy), formatBytes(plan_->budgetBytes),
                                formatBytes(plan_->minimumBudgetBytes));
    if (plan_->blocked && plan_->blocked->op != none) {
        sentence += QLatin1Char(' ') + Words::tr("While %1 runs, this strategy must hold %2.")
                                           .arg(QString::fromStdString(graph().op(plan_->blocked->op).id),
                                                formatBytes(plan_->blocked->needsBytes));
    }
    return sentence;
}

QString StepPicture::timelineSummary() const {
    if (!feasible())
        return infeasibleSentence();
    const Timeline& timeline = plan_->simulated->timeline;
    return Words::tr(
               "Simulated step of %1, %2 of ideal throughput. Compute items: %3, of which recomputes take "
               "%4. Offloads: %5, %6 in all. Prefetches: %7. Stalled %8 for memory and %9 for transfers.")
        .arg(formatTime(timeline.stepNs), formatPercent(plan_->throughputOfIdeal()))
        .arg(bars(Lane::Compute).size())
        .arg(formatTime(timeline.recomputedNs))
        .arg(bars(Lane::DeviceToHost).size())
        .arg(formatBytes(plan_->offloadedBytes))
        .arg(bars(Lane::HostToDevice).size())
        .arg(formatTime(timeline.memoryStallNs), formatTime(timeline.transferStallNs));
}

QString StepPicture::memorySummary() const {
    if (!feasible())
        return infeasibleSentence();
    return Words::tr("Resident memory peaks at %1 after %2; %3. Unlimited peak %4.")
        .arg(formatBytes(peakBytes_), formatInstant(peakNs_), budgetText(*plan_),
             formatBytes(plan_->unlimitedPeakBytes));
}

QString StepPicture::decisionSummary() const {
    if (!feasible())
        return infeasibleSentence();
    std::array<int, allDecisions.size()> counts{};
    for (const TensorIndex t : graph().savedTensors())
        ++counts[static_cast<std::size_t>(plan_->decisions[static_cast<std::size_t>(t)])];
    const QString all = Words::tr("Saved tensors: %1. Kept: %2, offloaded: %3, recomputed: %4.")
                            .arg(graph().savedTensors().size())
                            .arg(counts[static_cast<std::size_t>(Decision::Keep)])
                            .arg(counts[static_cast<std::size_t>(Decision::Offload)])
                            .arg(counts[static_cast<std::size_t>(Decision::Recompute)]);
    return plan_->pins.empty() ? all
                               : all + QLatin1Char(' ') + Words::tr("Pinned: %1.").arg(plan_->pins.size());
}

QString StepPicture::caption() const {
    const Profile& profile = graph().profile();
    QStringList parts;
    QString model = QString::fromStdString(profile.name);
    const auto mentions = [&](const char* word) {
        return model.contains(QLatin1String(word), Qt::CaseInsensitive);
    };
    if (profile.samplesPerStep && !mentions("batch"))
        model += Words::tr(", batch %1").arg(*profile.samplesPerStep);
    if (profile.samplesPerStep && profile.tokensPerStep && *profile.samplesPerStep > 0 &&
        !mentions("sequence"))
        model += Words::tr(", sequence %1").arg(*profile.tokensPerStep / *profile.samplesPerStep);
    if (!model.isEmpty())
        parts << model;
    if (profile.device && !profile.device->name.empty() && !mentions(profile.device->name.c_str()))
        parts << QString::fromStdString(profile.device->name);
    QString link = QString::fromStdString(profile.link.name);
    const auto outward = static_cast<double>(profile.link.deviceToHostBytesPerS);
    const auto inward = static_cast<double>(profile.link.hostToDeviceBytesPerS);
    const QString speed =
        profile.link.deviceToHostBytesPerS == profile.link.hostToDeviceBytesPerS
            ? formatBandwidth(outward)
            : Words::tr("%1 out, %2 back").arg(formatBandwidth(outward), formatBandwidth(inward));
    parts << (link.isEmpty() ? speed : link + QStringLiteral(" (") + speed + QStringLiteral(")"));
    parts << budgetText(*plan_) << Words::tr("strategy %1").arg(strategyName(plan_->strategy));
    if (!plan_->pins.empty())
        parts << pinsText(graph(), plan_->pins);
    if (feasible()) {
        QString speedText = Words::tr("%1 of ideal throughput, step %2")
                                .arg(formatPercent(plan_->throughputOfIdeal()), formatTime(stepNs()));
        if (profile.tokensPerStep && stepNs() > 0)
            speedText += Words::tr(", %1 tokens/s")
                             .arg(formatCount(static_cast<double>(*profile.tokensPerStep) * 1e9 /
                                              static_cast<double>(stepNs())));
        parts << speedText << Words::tr("simulated, not measured");
    } else {
        parts << Words::tr("infeasible, needs at least %1").arg(formatBytes(plan_->minimumBudgetBytes));
    }
    return parts.join(QStringLiteral(" · "));
}

} // namespace slackscope::figures
