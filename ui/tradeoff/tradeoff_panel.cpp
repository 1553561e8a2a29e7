#include "ui/tradeoff/tradeoff_panel.h"

#include "ui/figures/tradeoff_plot.h"
#include "ui/look/look.h"
#include "ui/tradeoff/tradeoff_of_sweep.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

#include <cmath>

namespace slackscope {

namespace {

constexpr int footHeight = 20;
constexpr int progressSteps = 1000;

} // namespace

TradeoffPanel::TradeoffPanel(SessionController& controller, const Look& look, QWidget* parent)
    : QWidget(parent), controller_(controller), look_(look), plot_(new figures::TradeoffPlot),
      progress_(new QProgressBar), words_(new QLabel), button_(new QToolButton) {
    setAccessibleName(tr("Tradeoff"));
    progress_->setTextVisible(false);
    progress_->setRange(0, progressSteps);
    progress_->setAccessibleName(tr("Budgets swept"));
    setRole(words_, TextRole::Caption);
    button_->setFixedHeight(footHeight - 2);

    auto* foot = new QWidget; // keeps its place, so that the figure does not jump when the sweep ends
    foot->setFixedHeight(footHeight);
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(cardPadding, 0, 10, 2);
    row->setSpacing(8);
    row->addWidget(progress_, 1);
    row->addWidget(words_, 1);
    row->addWidget(button_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 0, 1, 6);
    layout->setSpacing(0);
    layout->addWidget(plot_, 1);
    layout->addWidget(foot);

    plot_->setSmallestBudget(smallestBudgetFraction);
    connect(plot_, &figures::TradeoffPlot::budgetMoved, this, [this](double fraction, bool newGesture) {
        if (newGesture)
            gesture_ = controller_.nextGesture();
        controller_.setBudgetFraction(fraction, gesture_);
    });
    connect(plot_, &figures::TradeoffPlot::strategyChosen, this,
            [this](const QString& id) { controller_.setStrategy(id.toStdString()); });
    connect(button_, &QToolButton::clicked, this, [this] {
        if (controller_.sweep().isRunning)
            controller_.cancelSweep();
        else
            controller_.resumeSweep();
    });
    Session& session = controller_.session();
    connect(&controller_, &SessionController::sweepChanged, this, &TradeoffPanel::showSweep);
    connect(&session, &Session::stepChanged, this, &TradeoffPanel::showMarker);
    connect(&session, &Session::budgetChanged, this, &TradeoffPanel::showMarker);
    connect(&session, &Session::planChanged, this, &TradeoffPanel::showMarker);
    connect(&session, &Session::strategyChanged, this, &TradeoffPanel::showMarker);
    connect(&look_, &Look::themeChanged, this, &TradeoffPanel::showTheme);
    showTheme();
    showSweep();
}

std::shared_ptr<const figures::TradeoffCurves> TradeoffPanel::curves() const {
    return plot_->isStale() ? nullptr : plot_->curves();
}

void TradeoffPanel::showSweep() {
    const SweepProgress& sweep = controller_.sweep();
    std::shared_ptr<const figures::TradeoffCurves> found = sweep.step ? tradeoffOf(sweep.sweep) : nullptr;
    // What was there stays, greyed, until there is something of the new profile.
    if (found && !found->isEmpty())
        plot_->setCurves(std::move(found), false);
    else
        plot_->setCurves(plot_->curves(), plot_->curves() != nullptr);
    const bool isWaiting = sweep.step && !sweep.isRunning && !sweep.isComplete();
    const bool hasFailed = !sweep.failure.isEmpty();
    plot_->setMessage(hasFailed   ? tr("The sweep failed.")
                      : isWaiting ? tr("Cancelled before anything was found.")
                                  : tr("Sweeping the budgets…"));
    progress_->setVisible(sweep.isRunning);
    progress_->setValue(static_cast<int>(std::lround(sweep.fraction * progressSteps)));
    words_->setVisible(!sweep.isRunning);
    const long percent = std::lround(sweep.fraction * 100);
    words_->setText(hasFailed   ? tr("Failed at %1 %").arg(percent)
                    : isWaiting ? tr("Cancelled at %1 %").arg(percent)
                                : QString());
    words_->setToolTip(sweep.failure);
    button_->setVisible(sweep.isRunning || isWaiting);
    button_->setText(sweep.isRunning ? tr("Cancel") : hasFailed ? tr("Try again") : tr("Resume"));
    button_->setToolTip(sweep.isRunning ? tr("Stop the sweep over the budgets; what it has found stays")
                                        : tr("Go on with the sweep over the budgets"));
    showMarker();
    emit curvesChanged();
}

void TradeoffPanel::showMarker() {
    const Session& session = controller_.session();
    plot_->setStrategy(session.strategy());
    if (!session.step() || !plot_->curves()) {
        plot_->setMarker(std::nullopt);
        return;
    }
    figures::TradeoffMarker marker;
    if (plot_->isStale()) {
        // On the axis of what is on show still.
        marker.budget =
            std::llround(session.budgetFraction() * static_cast<double>(plot_->curves()->unlimitedPeak));
    } else {
        marker.budget = session.budgetBytes();
        const PlannedStepPtr& planned = session.planned();
        if (planned && planned->request.step == session.step() &&
            planned->request.strategy == session.strategy()) {
            const Plan& plan = *planned->plan;
            marker.isInfeasible = !plan.feasible();
            if (plan.feasible())
                marker.plan = figures::TradeoffPoint{plan.budgetBytes, plan.throughputOfIdeal()};
        }
    }
    plot_->setMarker(marker);
}

void TradeoffPanel::showTheme() {
    plot_->setTheme(look_.theme());
}

} // namespace slackscope
