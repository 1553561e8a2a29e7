#include "ui/inspector/decision_mark.h"

#include "ui/figures/marks.h"
#include "ui/look/look.h"

#include <QPainter>

namespace slackscope {

DecisionMark::DecisionMark(const Look& look, Decision decision, QWidget* parent)
    : QWidget(parent), look_(look), decision_(decision) {
    setFixedSize(sizeHint());
    connect(&look, &Look::themeChanged, this, qOverload<>(&QWidget::update));
}

void DecisionMark::paintEvent(QPaintEvent*) {
    const figures::Theme& theme = look_.theme();
    QPainter painter(this);
    figures::paintSwatch(painter, rect(), figures::decisionEntry(theme, decision_, {}), theme);
}

DecisionChip::DecisionChip(const Look& look, QWidget* parent) : QWidget(parent), look_(look) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&look, &Look::themeChanged, this, qOverload<>(&QWidget::update));
}

void DecisionChip::setDecision(Decision decision, bool isPinned) {
    decision_ = decision;
    isPinned_ = isPinned;
    setAccessibleName(tr("Decision: %1").arg(text()));
    updateGeometry();
    update();
}

QString DecisionChip::text() const {
    const QString word =
        figures::decisionLetter(decision_) + QLatin1Char(' ') + figures::decisionWord(decision_);
    return isPinned_ ? tr("%1, pinned").arg(word) : word;
}

QSize DecisionChip::sizeHint() const {
    const QFontMetrics metrics(figures::productFont(12, QFont::DemiBold));
    return {metrics.horizontalAdvance(text()) + 22, 24};
}

void DecisionChip::paintEvent(QPaintEvent*) {
    const figures::Theme& theme = look_.theme();
    const QColor color = figures::decisionColor(theme, decision_);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRoundedRect(rect(), height() / 2.0, height() / 2.0);
    painter.setPen(theme.inkOn(color));
    painter.setFont(figures::productFont(12, QFont::DemiBold));
    painter.drawText(rect(), Qt::AlignCenter, text());
}

} // namespace slackscope
