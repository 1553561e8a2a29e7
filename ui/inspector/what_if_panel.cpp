#include "ui/inspector/what_if_panel.h"

#include "ui/figures/format.h"
#include "ui/figures/marks.h"
#include "ui/inspector/decision_mark.h"
#include "ui/inspector/reason.h"
#include "ui/look/look.h"

#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QStyleOptionToolButton>
#include <QStylePainter>
#include <QToolButton>

#include <algorithm>

namespace slackscope {

using figures::decisionWord;
using figures::formatBytes;
using figures::formatTime;

namespace {

constexpr std::array<Rest, 2> bothRests{Rest::Held, Rest::Replanned};

// A pin: an outline, filled where it holds.
class PinButton : public QToolButton {
public:
    explicit PinButton(const Look& look) : look_(look) {
        setCheckable(true);
        setFixedSize(22, 24);
        setFocusPolicy(Qt::StrongFocus);
        connect(&look, &Look::themeChanged, this, qOverload<>(&QWidget::update));
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QStylePainter painter(this);
        QStyleOptionToolButton option;
        initStyleOption(&option);
        painter.drawComplexControl(QStyle::CC_ToolButton, option);
        const figures::Theme& theme = look_.theme();
        const QColor color = !isEnabled() ? theme.axis : isChecked() ? theme.accent : theme.secondaryText;
        painter.setRenderHint(QPainter::Antialiasing);
        painter.translate(width() / 2.0, height() / 2.0);
        painter.setPen(QPen(color, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(isChecked() ? QBrush(color) : QBrush(Qt::NoBrush));
        painter.drawPolygon(QPolygonF({{-3, -7}, {3, -7}, {3, -2}, {5, 1.5}, {-5, 1.5}, {-3, -2}}));
        painter.drawLine(QPointF(0, 1.5), QPointF(0, 7));
    }

private:
    const Look& look_;
};

QString differenceOf(Nanoseconds ns) {
    if (ns == 0)
        return WhatIfPanel::tr("same");
    return (ns > 0 ? QStringLiteral("+") : QStringLiteral("−")) + formatTime(std::abs(ns));
}

QString captionOf(Rest rest, bool isOld) {
    if (isOld)
        return WhatIfPanel::tr("updating…");
    return rest == Rest::Held ? WhatIfPanel::tr("rest held") : WhatIfPanel::tr("re-planned");
}

// Two short lines for a cell, and the whole sentence for its tool tip.
struct AnswerText {
    QString first;
    QString second;
    QString sentence;
};

AnswerText textOf(const WhatIf& answer, Nanoseconds nowNs) {
    switch (answer.outcome) {
    case WhatIf::Outcome::Runs: {
        const QString step = formatTime(answer.stepNs);
        if (nowNs == 0)
            return {step, {}, WhatIfPanel::tr("Simulated step of %1").arg(step)};
        const Nanoseconds difference = answer.stepNs - nowNs;
        return {step, differenceOf(difference),
                difference == 0  ? WhatIfPanel::tr("Simulated step of %1, the same as now").arg(step)
                : difference < 0 ? WhatIfPanel::tr("Simulated step of %1, %2 faster than now")
                                       .arg(step, formatTime(-difference))
                                 : WhatIfPanel::tr("Simulated step of %1, %2 slower than now")
                                       .arg(step, formatTime(difference))};
    }
    case WhatIf::Outcome::OverBudget: {
        const QString bytes = formatBytes(answer.missingBytes);
        return {WhatIfPanel::tr("over by"), bytes,
                WhatIfPanel::tr("The budget is %1 too small for this").arg(bytes)};
    }
    case WhatIf::Outcome::HostFull: {
        const QString bytes = formatBytes(answer.missingBytes);
        return {
            WhatIfPanel::tr("host full"), bytes,
            WhatIfPanel::tr("The host memory is %1 too small for this beside the other offloads").arg(bytes)};
    }
    case WhatIf::Outcome::Endless:
        return {WhatIfPanel::tr("no"), {}, WhatIfPanel::tr("It would recompute without end")};
    case WhatIf::Outcome::Impossible:
        return {WhatIfPanel::tr("no"),
                {},
                WhatIfPanel::tr("Not possible: %1").arg(obstacleWords(answer.obstacle))};
    }
    return {};
}

} // namespace

WhatIfPanel::WhatIfPanel(SessionController& controller, const Look& look, QWidget* parent)
    : QWidget(parent), controller_(controller), unpin_(new QPushButton(tr("Unpin"))) {
    setAccessibleName(tr("What if"));
    auto* title = new QLabel(tr("What if, simulated"));
    setRole(title, TextRole::Title);
    unpin_->setObjectName(QStringLiteral("small"));
    unpin_->setToolTip(tr("Leave the decision to the strategy again"));
    QSizePolicy keepsRoom = unpin_->sizePolicy();
    keepsRoom.setRetainSizeWhenHidden(true); // so that nothing jumps
    unpin_->setSizePolicy(keepsRoom);
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(4);
    grid->setVerticalSpacing(0);
    grid->setColumnStretch(1, 1);
    grid->addWidget(title, 0, 0, 1, 3);
    grid->addWidget(unpin_, 0, 3, 1, 2, Qt::AlignRight);
    const std::array<QString, bothRests.size()> tips{
        tr("All other decisions stay as they are"),
        tr("The strategy plans again around this decision and all pins")};
    for (const Rest rest : bothRests) {
        const int column = static_cast<int>(rest);
        auto* caption = new QLabel(captionOf(rest, false));
        caption->setToolTip(tips[static_cast<std::size_t>(rest)]);
        caption->setAlignment(Qt::AlignRight);
        setRole(caption, TextRole::Caption);
        grid->addWidget(caption, 1, 2 + column);
        captions_[static_cast<std::size_t>(rest)] = caption;
    }
    for (const Decision decision : allDecisions)
        addRow(*grid, look, decision);
    connect(unpin_, &QPushButton::clicked, this, [this] { controller_.setPin(tensor_, std::nullopt); });
    connect(&controller_.session(), &Session::pinsChanged, this, &WhatIfPanel::showPins);
    for (const auto changed : {&Session::stepChanged, &Session::strategyChanged, &Session::budgetChanged,
                               &Session::pinsChanged, &Session::planChanged})
        connect(&controller_.session(), changed, this, &WhatIfPanel::showAge);
    connect(&service_, &WhatIfService::answered, this, &WhatIfPanel::takeAnswers);
    hide();
}

void WhatIfPanel::addRow(QGridLayout& grid, const Look& look, Decision decision) {
    Row& made = row(decision);
    const int top = 2 + 3 * static_cast<int>(decision);
    grid.setRowMinimumHeight(top, 5); // air between the rows
    QString word = decisionWord(decision);
    word[0] = word[0].toUpper();
    made.name = new QLabel(word);
    made.state = new QLabel;
    setRole(made.state, TextRole::Caption);
    made.pin = new PinButton(look);
    grid.addWidget(new DecisionMark(look, decision), top + 1, 0);
    grid.addWidget(made.name, top + 1, 1);
    grid.addWidget(made.state, top + 2, 1);
    grid.addWidget(made.pin, top + 1, 4, 2, 1, Qt::AlignVCenter);
    for (const Rest rest : bothRests) {
        Cell& cell = made.cells[static_cast<std::size_t>(rest)];
        cell = {new QLabel, new QLabel};
        setRole(cell.difference, TextRole::Caption);
        const int column = 2 + static_cast<int>(rest);
        for (QLabel* label : {cell.step, cell.difference})
            label->setAlignment(Qt::AlignRight);
        grid.addWidget(cell.step, top + 1, column);
        grid.addWidget(cell.difference, top + 2, column);
    }
    connect(made.pin, &QToolButton::clicked, this, [this, decision] {
        controller_.setPin(tensor_, row(decision).pin->isChecked() ? std::optional(decision) : std::nullopt);
        showPins(); // a refused pin is none
    });
}

void WhatIfPanel::showTensor(const PlannedStepPtr& planned, TensorIndex t) {
    const bool sameTensor = planned_ && planned_->request.step == planned->request.step && tensor_ == t;
    planned_ = planned;
    tensor_ = t;
    if (!sameTensor)
        clearCells(QStringLiteral("…"), Rest::Replanned);
    if (!planned->plan->feasible())
        clearCells(QStringLiteral("–"), Rest::Held);
    else if (!sameTensor)
        clearCells(QStringLiteral("…"), Rest::Held);
    showPins();
    showAge();
    show();
    service_.request(planned, t);
}

void WhatIfPanel::showNothing() {
    service_.cancel();
    planned_.reset();
    answered_ = {};
    tensor_ = none;
    hide();
}

void WhatIfPanel::clearCells(const QString& text, Rest rest) {
    answered_[static_cast<std::size_t>(rest)].reset();
    for (const Decision decision : allDecisions) {
        const Cell& cell = row(decision).cells[static_cast<std::size_t>(rest)];
        cell.step->setText(text);
        cell.difference->clear();
        cell.step->setToolTip({});
        cell.difference->setToolTip({});
    }
}

void WhatIfPanel::takeAnswers(const PlannedStepPtr& planned, TensorIndex t, Rest rest,
                              const WhatIfs& answers) {
    if (planned != planned_ || t != tensor_)
        return;
    answered_[static_cast<std::size_t>(rest)] = planned;
    for (const Decision decision : allDecisions)
        showAnswer(decision, rest, answers[static_cast<std::size_t>(decision)], planned->plan->stepNs());
    showAge();
}

// As soon as another plan is wanted, what is on show answers an old question.
void WhatIfPanel::showAge() {
    const bool isCurrent = controller_.session().isCurrent();
    for (const Rest rest : bothRests) {
        const auto i = static_cast<std::size_t>(rest);
        const PlannedStepPtr& answered = answered_[i];
        const bool isOld = answered && (!isCurrent || answered != controller_.session().planned());
        if (isOld == isOld_[i])
            continue;
        isOld_[i] = isOld;
        captions_[i]->setText(captionOf(rest, isOld));
        for (const Decision decision : allDecisions) {
            const Cell& cell = row(decision).cells[i];
            for (QLabel* label : {cell.step, cell.difference})
                label->setEnabled(!isOld);
        }
    }
}

void WhatIfPanel::showAnswer(Decision decision, Rest rest, const WhatIf& answer, Nanoseconds nowNs) {
    const Cell& cell = row(decision).cells[static_cast<std::size_t>(rest)];
    const AnswerText text = textOf(answer, nowNs);
    cell.step->setText(text.first);
    cell.difference->setText(text.second);
    cell.step->setToolTip(text.sentence);
    cell.difference->setToolTip(text.sentence);
    cell.step->setAccessibleDescription(text.sentence);
}

void WhatIfPanel::showPins() {
    if (!planned_)
        return;
    const Session& session = controller_.session();
    const Plan& plan = *planned_->plan;
    const bool current = planned_->request.step == session.step(); // pins are of that step's tensors
    const auto pin = std::find_if(session.pins().begin(), session.pins().end(),
                                  [&](const Pin& each) { return each.tensor == tensor_; });
    const bool isPinned = current && pin != session.pins().end();
    unpin_->setVisible(isPinned);
    for (const Decision decision : allDecisions) {
        Row& shown = row(decision);
        const bool isNow = plan.feasible() && plan.decisions[static_cast<std::size_t>(tensor_)] == decision;
        const bool isPin = isPinned && pin->decision == decision;
        const auto obstacle = obstacleTo(*plan.graph, tensor_, decision);
        shown.state->setText(isNow && isPin ? tr("now, pinned")
                             : isNow        ? tr("now")
                             : isPin        ? tr("pinned")
                                            : QString());
        QFont font = shown.name->font();
        font.setBold(isNow);
        shown.name->setFont(font);
        shown.pin->setChecked(isPin);
        shown.pin->setEnabled(current && (!obstacle || isPin));
        const QString word = decisionWord(decision);
        const QString what = isPin      ? tr("Unpin: leave the decision to the strategy")
                             : obstacle ? tr("Cannot %1: %2").arg(word, obstacleWords(*obstacle))
                                        : tr("Pin to %1").arg(word);
        shown.pin->setToolTip(what);
        shown.pin->setAccessibleName(what);
    }
}

QString WhatIfPanel::stepText(Decision decision, Rest rest) const {
    return row(decision).cells[static_cast<std::size_t>(rest)].step->text();
}

QString WhatIfPanel::differenceText(Decision decision, Rest rest) const {
    return row(decision).cells[static_cast<std::size_t>(rest)].difference->text();
}

QString WhatIfPanel::state(Decision decision) const {
    return row(decision).state->text();
}

} // namespace slackscope
