#include "ui/headline/headline.h"

#include "ui/figures/format.h"
#include "ui/look/look.h"

#include "core/planner/strategy.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>

#include <cmath>

namespace slackscope {

using figures::formatBytes;
using figures::formatCount;
using figures::formatPercent;
using figures::formatTime;

namespace {

QString strategyLabel(const std::string& id) {
    const StrategyInfo* info = findStrategy(id);
    return info ? QString::fromUtf8(info->name.data(), static_cast<qsizetype>(info->name.size()))
                : QString::fromStdString(id);
}

QString strategySummary(const std::string& id) {
    const StrategyInfo* info = findStrategy(id);
    return info ? QString::fromUtf8(info->summary.data(), static_cast<qsizetype>(info->summary.size()))
                : QString();
}

QLabel* label(TextRole role, const QString& text = {}) {
    auto* made = new QLabel(text);
    setRole(made, role);
    return made;
}

} // namespace

Metric::Metric(const QString& caption, const QString& sample, QWidget* parent)
    : QWidget(parent), value_(label(TextRole::Value)), caption_(caption) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(label(TextRole::Caption, caption));
    layout->addWidget(value_);
    value_->ensurePolished();
    value_->setMinimumWidth(QFontMetrics(figures::productFont(15, QFont::Medium)).horizontalAdvance(sample));
    value_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    value_->setFocusPolicy(Qt::NoFocus);
}

void Metric::setValue(const QString& value, const QString& tip) {
    value_->setText(value);
    value_->setAccessibleName(caption_ + QLatin1Char(' ') + value);
    setToolTip(tip);
}

QString Metric::value() const {
    return value_->text();
}

DeviceFit deviceFit(const Profile& profile, Bytes peakBytes) {
    if (!profile.device || profile.device->memoryBytes <= 0)
        return {};
    const Device& device = *profile.device;
    const Bytes needed = device.modelStateBytes + peakBytes;
    DeviceFit fit;
    fit.fits = needed <= device.memoryBytes;
    fit.text = *fit.fits ? Headline::tr("fits in %1").arg(formatBytes(device.memoryBytes))
                         : Headline::tr("over by %1").arg(formatBytes(needed - device.memoryBytes));
    fit.tip =
        Headline::tr(
            "Weights, their gradients and optimizer state take %1, activations, gradients and workspaces "
            "%2 at their peak: %3 of the %4 of %5. Fragmentation is not modelled.")
            .arg(formatBytes(device.modelStateBytes), formatBytes(peakBytes), formatBytes(needed),
                 formatBytes(device.memoryBytes), QString::fromStdString(device.name));
    return fit;
}

QString boundText(const Plan& plan, Nanoseconds lowerBoundNs) {
    if (!plan.feasible() || lowerBoundNs <= 0)
        return {};
    if (plan.stepNs() <= lowerBoundNs)
        return Headline::tr("no plan can be faster");
    const double above =
        static_cast<double>(plan.stepNs() - lowerBoundNs) / static_cast<double>(lowerBoundNs);
    // Rounded up: "at most" must stay true.
    const double shown = std::ceil(above * 1000) / 1000;
    return Headline::tr("at most %1 from the best possible").arg(formatPercent(shown));
}

Headline::Headline(SessionController& controller, QWidget* parent)
    : QWidget(parent), controller_(controller), figure_(label(TextRole::Figure)),
      unit_(label(TextRole::FigureUnit)), figureCaption_(label(TextRole::Caption)),
      bound_(label(TextRole::Good)), pages_(new QStackedWidget),
      step_(new Metric(tr("step"), QStringLiteral("999.9 ms"))),
      tokens_(new Metric(tr("tokens / s"), QStringLiteral("99.9 k"))),
      peak_(new Metric(tr("peak"), QStringLiteral("99.9 of 99.9 GiB"))),
      offloaded_(new Metric(tr("offloaded"), QStringLiteral("9.99 GiB"))),
      recomputed_(new Metric(tr("recomputed"), QStringLiteral("99.9 ms"))),
      stalled_(new Metric(tr("stalled"), QStringLiteral("99.9 ms"))),
      strategy_(new Metric(tr("strategy"), QStringLiteral("SlackSwap"))), blocked_(label(TextRole::Value)),
      smallest_(label(TextRole::Caption)), useMinimum_(new QPushButton), chip_(new QLabel),
      fit_(label(TextRole::Good)), progress_(new QProgressBar(this)), cancel_(new QPushButton(tr("Cancel"))) {
    setObjectName(QStringLiteral("headline"));
    setAttribute(Qt::WA_StyledBackground);
    setMinimumHeight(64); // the same with and without a plan
    setAccessibleName(tr("Headline"));

    auto* figureRow = new QHBoxLayout;
    figureRow->setSpacing(4);
    figureRow->addWidget(figure_, 0, Qt::AlignBaseline);
    figureRow->addWidget(unit_, 0, Qt::AlignBaseline);
    auto* words = new QVBoxLayout;
    words->setSpacing(3);
    words->addStretch();
    words->addWidget(figureCaption_);
    words->addWidget(bound_);
    words->addStretch();

    auto* metrics = new QWidget;
    auto* metricRow = new QHBoxLayout(metrics);
    metricRow->setContentsMargins(0, 0, 0, 0);
    metricRow->setSpacing(gap);
    for (Metric* metric : {step_, tokens_, peak_, offloaded_, recomputed_, stalled_, strategy_}) {
        metricRow->addWidget(metric, 0, Qt::AlignVCenter);
        metricRow->addStretch(1);
    }
    auto* blockedPage = new QWidget;
    auto* blockedRow = new QHBoxLayout(blockedPage);
    blockedRow->setContentsMargins(0, 0, 0, 0);
    blockedRow->setSpacing(20);
    auto* blockedWords = new QVBoxLayout;
    blockedWords->setSpacing(3);
    blockedWords->addStretch();
    blockedWords->addWidget(blocked_);
    blockedWords->addWidget(smallest_);
    blockedWords->addStretch();
    blocked_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    useMinimum_->setObjectName(QStringLiteral("primary"));
    blockedRow->addLayout(blockedWords, 1);
    blockedRow->addWidget(useMinimum_, 0, Qt::AlignVCenter);
    pages_->addWidget(metrics);
    pages_->addWidget(blockedPage);

    chip_->setObjectName(QStringLiteral("chip"));
    chip_->setAlignment(Qt::AlignCenter);
    fit_->setAlignment(Qt::AlignCenter);
    auto* right = new QVBoxLayout;
    right->setSpacing(4);
    right->addStretch();
    right->addWidget(chip_);
    right->addWidget(fit_);
    right->addStretch();

    cancel_->hide();
    progress_->setRange(0, 0);
    chip_->setTextFormat(Qt::PlainText);
    progress_->setTextVisible(false);
    progress_->setAccessibleName(tr("Planning"));
    progress_->hide();

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(24, 6, 20, 6);
    row->setSpacing(12);
    row->addLayout(figureRow);
    row->addLayout(words);
    row->addSpacing(14);
    row->addWidget(pages_, 1);
    row->addWidget(cancel_, 0, Qt::AlignVCenter);
    row->addLayout(right);

    connect(useMinimum_, &QPushButton::clicked, this, [this] {
        if (const PlannedStepPtr& planned = controller_.session().planned())
            controller_.setBudgetBytes(planned->plan->minimumBudgetBytes, controller_.nextGesture());
    });
    connect(cancel_, &QPushButton::clicked, &controller_, &SessionController::cancel);
    connect(&controller_.session(), &Session::planChanged, this, &Headline::showPlan);
    connect(&controller_.session(), &Session::lowerBoundChanged, this,
            [this] { showBound(*controller_.session().planned()->plan); });
    connect(&controller_, &SessionController::showsBusyChanged, this, &Headline::showBusy);
    showPlan();
}

void Headline::showBusy() {
    const bool busy = controller_.showsBusy();
    progress_->setGeometry(0, height() - 4, width(), 3);
    progress_->setVisible(busy);
    progress_->raise();
    cancel_->setVisible(busy);
}

void Headline::showPlan() {
    const PlannedStepPtr& planned = controller_.session().planned();
    if (!planned) {
        figure_->setText(QStringLiteral("\u2013"));
        unit_->clear();
        figureCaption_->setText(tr("of ideal throughput"));
        chip_->hide();
        return;
    }
    const Profile& profile = planned->plan->graph->profile();
    const QString link = QString::fromStdString(profile.link.name);
    const QString device = profile.device ? QString::fromStdString(profile.device->name) : QString();
    // Short here, in full in the tool tip: "A100-SXM4-80GB" is an A100, "PCIe 4.0 x16" is PCIe 4.0.
    const QString shortLink = link.section(QLatin1Char(' '), 0, 1);
    chip_->setText(device.isEmpty()
                       ? tr("simulated, %1").arg(shortLink)
                       : tr("simulated, %1 + %2").arg(device.section(QLatin1Char('-'), 0, 0), shortLink));
    chip_->setToolTip(
        (device.isEmpty() ? link : tr("%1 and %2.").arg(device, link)) + QLatin1Char(' ') +

        tr("Everything shown is simulated, not measured on a GPU. Kernel times do not change when copies "
           "run beside them, and fragmentation is not part of the memory shown."));
    chip_->show();
    if (planned->plan->feasible())
        showFeasible(*planned->plan);
    else
        showInfeasible(*planned->plan);
}

void Headline::showFeasible(const Plan& plan) {
    const Profile& profile = plan.graph->profile();
    const Timeline& timeline = plan.simulated->timeline;
    const auto stepNs = static_cast<double>(plan.stepNs());

    setRole(figure_, TextRole::Figure);
    bound_->show();
    figure_->setText(QString::number(plan.throughputOfIdeal() * 100, 'f', 1));
    figure_->setAccessibleName(tr("Throughput of ideal: %1").arg(formatPercent(plan.throughputOfIdeal())));
    figure_->setToolTip(
        tr("Ideal time %1, which is every forward and backward without recompute or stall, divided by the "
           "simulated step time %2")
            .arg(formatTime(plan.graph->idealNs()), formatTime(plan.stepNs())));
    unit_->setText(tr("%"));
    figureCaption_->setText(tr("of ideal throughput"));
    setRole(bound_, TextRole::Good);
    showBound(plan);

    step_->setValue(formatTime(plan.stepNs()), tr("Simulated time of one training step"));
    const bool hasTokens = profile.tokensPerStep.has_value() && stepNs > 0;
    tokens_->setValue(hasTokens ? formatCount(static_cast<double>(*profile.tokensPerStep) * 1e9 / stepNs)
                                : QStringLiteral("\u2013"),
                      hasTokens ? tr("%L1 tokens a step").arg(*profile.tokensPerStep)
                                : tr("The profile does not say how many tokens a step has"));
    // "3.24 of 3.24 GiB": one unit where it is the same.
    QString peak = formatBytes(timeline.peakBytes);
    const QString budget = formatBytes(plan.budgetBytes);
    if (peak.section(QLatin1Char(' '), 1) == budget.section(QLatin1Char(' '), 1))
        peak = peak.section(QLatin1Char(' '), 0, 0);
    peak_->setValue(tr("%1 of %2").arg(peak, budget),
                    tr("Most bytes resident at any instant, and the budget"));
    offloaded_->setValue(formatBytes(plan.offloadedBytes), tr("Bytes copied to the host and back"));
    recomputed_->setValue(formatTime(timeline.recomputedNs), tr("Time spent running forwards again"));
    stalled_->setValue(
        formatTime(timeline.memoryStallNs + timeline.transferStallNs),
        tr("Computation idle inside the step\nwaiting for room: %1\nwaiting for a prefetch: %2")
            .arg(formatTime(timeline.memoryStallNs), formatTime(timeline.transferStallNs)));
    strategy_->setValue(strategyLabel(plan.strategy), strategySummary(plan.strategy));

    const DeviceFit fit = deviceFit(profile, timeline.peakBytes);
    setRole(fit_, fit.fits.value_or(true) ? TextRole::Good : TextRole::Bad);
    fit_->setText(fit.text);
    fit_->setToolTip(fit.tip);
    fit_->setVisible(!fit.text.isEmpty());
    pages_->setCurrentIndex(0);
}

void Headline::showBound(const Plan& plan) {
    const Nanoseconds lowerBoundNs = controller_.session().lowerBoundNs();
    bound_->setText(boundText(plan, lowerBoundNs));
    bound_->setToolTip(tr("No plan can take less than %1 at this budget, this one takes %2.")
                           .arg(formatTime(lowerBoundNs), formatTime(plan.stepNs())));
}

void Headline::showInfeasible(const Plan& plan) {
    setRole(figure_, TextRole::Verdict);
    figure_->setText(tr("infeasible"));
    figure_->setAccessibleName(tr("Infeasible"));
    figure_->setToolTip({});
    unit_->clear();
    figureCaption_->setText(tr("%1 at %2").arg(strategyLabel(plan.strategy), formatBytes(plan.budgetBytes)));
    bound_->hide();
    if (plan.blocked && plan.blocked->op != none) {
        blocked_->setText(tr("%1 needs %2 with this strategy, the budget is %3")
                              .arg(QString::fromStdString(plan.graph->op(plan.blocked->op).id),
                                   formatBytes(plan.blocked->needsBytes), formatBytes(plan.budgetBytes)));
    } else {
        blocked_->setText(tr("The budget of %1 is too small").arg(formatBytes(plan.budgetBytes)));
    }
    blocked_->setToolTip(blocked_->text());
    const double fraction = plan.unlimitedPeakBytes > 0 ? static_cast<double>(plan.minimumBudgetBytes) /
                                                              static_cast<double>(plan.unlimitedPeakBytes)
                                                        : 0;
    const bool reachable = fraction <= 1;
    smallest_->setText(tr("Smallest budget that works with this strategy: %1, %2 of the unlimited peak")
                           .arg(formatBytes(plan.minimumBudgetBytes), formatPercent(fraction)));
    useMinimum_->setText(tr("Use %1").arg(formatBytes(plan.minimumBudgetBytes)));
    useMinimum_->setEnabled(reachable);
    fit_->hide();
    pages_->setCurrentIndex(1);
}

} // namespace slackscope
