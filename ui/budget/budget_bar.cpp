#include "ui/budget/budget_bar.h"

#include "ui/budget/budget_track.h"
#include "ui/look/card.h"
#include "ui/look/fields.h"
#include "ui/look/look.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>

#include <cmath>

namespace slackscope {

namespace {

constexpr double kib = 1024;
constexpr double mib = kib * 1024;
constexpr double gib = mib * 1024;
constexpr double tib = gib * 1024;
constexpr double pib = tib * 1024;

struct Unit {
    double bytes;
    QString name;
};

// The largest in which the peak is at least one, so that a budget has few digits.
Unit unitFor(double peak) {
    for (const Unit& unit : {Unit{pib, BudgetBar::tr("PiB")}, Unit{tib, BudgetBar::tr("TiB")},
                             Unit{gib, BudgetBar::tr("GiB")}, Unit{mib, BudgetBar::tr("MiB")}}) {
        if (peak >= unit.bytes)
            return unit;
    }
    return {kib, BudgetBar::tr("KiB")};
}

} // namespace

BudgetBar::BudgetBar(SessionController& controller, const Look& look, QWidget* parent)
    : QWidget(parent), controller_(controller), look_(look), track_(new BudgetTrack(look)),
      percent_(new NumberField(tr("%"), 1, smallestBudgetFraction * 100, 100)),
      size_(new NumberField(tr("GiB"), 2, 0, 1e9)), unit_(gib) {
    auto* title = new QLabel(tr("Activation budget"));
    setRole(title, TextRole::Title);
    auto* hint = new QLabel(tr("drag, or type a value"));
    setRole(hint, TextRole::Caption);
    auto* words = new QVBoxLayout;
    words->setSpacing(4);
    words->addStretch();
    words->addWidget(title);
    words->addWidget(hint);
    words->addStretch();

    percent_->setObjectName(QStringLiteral("large"));
    percent_->setAccessibleName(tr("Budget in percent of the unlimited peak"));
    percent_->setToolTip(tr("Percent of the unlimited peak"));
    percent_->setSingleStep(0.5);
    percent_->setFixedWidth(96);
    size_->setObjectName(QStringLiteral("large"));
    size_->setAccessibleName(tr("Budget in bytes"));
    size_->setToolTip(tr("Most bytes that activations, gradients and workspaces may take at any instant"));
    size_->setSingleStep(0.05);
    size_->setFixedWidth(118);

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(cardPadding, 6, cardPadding, 6);
    row->setSpacing(gap);
    row->addLayout(words);
    row->addSpacing(gap);
    row->addWidget(track_, 1);
    row->addSpacing(2);
    row->addWidget(percent_);
    row->addWidget(size_);

    connect(track_, &BudgetTrack::moved, this, [this](double fraction, bool newGesture) {
        if (newGesture)
            gesture_ = controller_.nextGesture();
        controller_.setBudgetFraction(fraction, gesture_);
    });
    connect(percent_, &NumberField::entered, this, [this](double percent) {
        controller_.setBudgetFraction(percent / 100, controller_.nextGesture());
    });
    connect(size_, &NumberField::entered, this, [this](double size) {
        controller_.setBudgetBytes(std::llround(size * unit_), controller_.nextGesture());
        showBudget(); // what was typed may lie outside
    });
    Session& session = controller_.session();
    connect(&session, &Session::stepChanged, this, &BudgetBar::showPlan);
    connect(&session, &Session::budgetChanged, this, &BudgetBar::showBudget);
    connect(&session, &Session::strategyChanged, this, &BudgetBar::showPlan);
    connect(&session, &Session::planChanged, this, &BudgetBar::showPlan);
    connect(&controller_, &SessionController::sweepChanged, this,
            [this] { track_->setEffects(controller_.sweepEffects()); });
    showPlan();
}

void BudgetBar::chooseUnit() {
    const auto peak = static_cast<double>(controller_.session().step()->unlimitedPeakBytes);
    const Unit unit = unitFor(peak);
    if (unit.bytes == unit_)
        return;
    unit_ = unit.bytes;
    const QSignalBlocker quiet(size_);
    size_->setUnit(unit.name);
}

void BudgetBar::showBudget() {
    const Session& session = controller_.session();
    track_->setFraction(session.budgetFraction());
    percent_->show(session.budgetFraction() * 100);
    size_->show(static_cast<double>(session.budgetBytes()) / unit_);
}

void BudgetBar::showPlan() {
    const Session& session = controller_.session();
    const PlannedStepPtr& planned = session.planned();
    setEnabled(session.step() != nullptr);
    if (session.step()) {
        track_->setPeak(session.step()->unlimitedPeakBytes);
        chooseUnit();
    }
    // The minimum belongs to one profile and one strategy.
    const bool fits =
        planned && planned->request.step == session.step() && planned->request.strategy == session.strategy();
    track_->setMinimum(fits ? std::optional(planned->plan->minimumBudgetBytes) : std::nullopt);
    showBudget();
}

void BudgetBar::paintEvent(QPaintEvent*) {
    paintCard(*this, look_);
}

} // namespace slackscope
