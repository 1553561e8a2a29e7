#include "ui/budget/budget_track.h"

#include "ui/figures/budget_keys.h"
#include "ui/figures/format.h"
#include "ui/look/look.h"
#include "ui/session/session.h"

#include <QAccessibleWidget>
#include <QDateTime>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace slackscope {

namespace {

constexpr double handleRadius = 11;
constexpr double trackHeight = 12;
constexpr double sidePadding = handleRadius + 3;
constexpr double labelHeight = 18;
constexpr qint64 wheelPauseMs = 600; // wheel steps closer together are one gesture
// Neighbouring points of a sweep speak for what lies between them up to this distance.
constexpr double widestGap = 1.0 / 15;
constexpr double oldStrength = 0.35; // of the colours of the sweep before

class TrackAccessible : public QAccessibleWidget, public QAccessibleValueInterface {
public:
    explicit TrackAccessible(BudgetTrack* track) : QAccessibleWidget(track, QAccessible::Slider) {}

    void* interface_cast(QAccessible::InterfaceType type) override { // NOLINT(readability-identifier-naming)
        if (type == QAccessible::ValueInterface)
            return static_cast<QAccessibleValueInterface*>(this);
        return QAccessibleWidget::interface_cast(type);
    }
    QString text(QAccessible::Text kind) const override {
        return kind == QAccessible::Value ? track()->valueText() : QAccessibleWidget::text(kind);
    }
    // In percent, as the slider shows it.
    QVariant currentValue() const override { return track()->fraction() * 100; }
    void setCurrentValue(const QVariant& value) override { track()->enter(value.toDouble() / 100); }
    QVariant maximumValue() const override { return 100.0; }
    QVariant minimumValue() const override { return smallestBudgetFraction * 100; }
    QVariant minimumStepSize() const override { return figures::budgetKeyStep * 100; }

private:
    BudgetTrack* track() const { return static_cast<BudgetTrack*>(widget()); }
};

QAccessibleInterface* makeAccessible(const QString&, QObject* object) {
    auto* track = qobject_cast<BudgetTrack*>(object);
    return track ? new TrackAccessible(track) : nullptr;
}

} // namespace

std::vector<TrackRegion> trackRegions(std::span<const EffectPoint> points, std::optional<double> minimum) {
    std::vector<TrackRegion> regions;
    const auto add = [&](double from, double to, std::optional<BudgetEffect> effect) {
        if (to <= from)
            return;
        if (!regions.empty() && regions.back().effect == effect)
            regions.back().to = to;
        else
            regions.push_back({from, to, effect});
    };
    const double feasibleFrom = std::clamp(minimum.value_or(0), 0.0, 1.0);
    add(0, feasibleFrom, BudgetEffect::Infeasible);
    double before = feasibleFrom;
    std::optional<BudgetEffect> effectBefore;
    for (const EffectPoint& point : points) {
        if (minimum && point.fraction < feasibleFrom)
            continue;
        const bool near = point.fraction - before <= widestGap;
        if (!near) {
            add(before, point.fraction, std::nullopt);
        } else if (!effectBefore) {
            add(before, point.fraction, point.effect);
        } else {
            const double border = (before + point.fraction) / 2;
            add(before, border, effectBefore);
            add(border, point.fraction, point.effect);
        }
        before = point.fraction;
        effectBefore = point.effect;
    }
    add(before, 1, std::nullopt);
    return regions;
}

BudgetTrack::BudgetTrack(const Look& look, QWidget* parent) : QWidget(parent), look_(look) {
    static const bool installed = (QAccessible::installFactory(makeAccessible), true);
    Q_UNUSED(installed)
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setAccessibleName(tr("Activation budget in percent of the unlimited peak"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    regions_ = trackRegions(effects_.points, std::nullopt);
    connect(&look_, &Look::themeChanged, this, qOverload<>(&QWidget::update));
}

void BudgetTrack::setFraction(double fraction) {
    if (fraction == fraction_)
        return;
    fraction_ = fraction;
    update();
    QAccessibleValueChangeEvent changed(this, fraction * 100);
    QAccessible::updateAccessibility(&changed);
}

void BudgetTrack::setPeak(std::optional<Bytes> peak) {
    peak_ = peak;
    update();
}

void BudgetTrack::setMinimum(std::optional<Bytes> minimum) {
    if (minimum == minimum_)
        return;
    minimum_ = minimum;
    showRegions();
}

void BudgetTrack::setEffects(Effects effects) {
    if (effects == effects_)
        return;
    effects_ = std::move(effects);
    showRegions();
}

void BudgetTrack::showRegions() {
    std::optional<double> minimum;
    if (minimum_ && peak_ && *peak_ > 0)
        minimum = static_cast<double>(*minimum_) / static_cast<double>(*peak_);
    regions_ = trackRegions(effects_.points, minimum);
    update();
}

QString BudgetTrack::valueText() const {
    QString text = figures::formatPercent(fraction_);
    if (peak_)
        text += QStringLiteral(", ") +
                figures::formatBytes(std::llround(fraction_ * static_cast<double>(*peak_)));
    return text;
}

void BudgetTrack::enter(double fraction) {
    moveTo(fraction, true);
}

QRectF BudgetTrack::trackRect() const {
    return {sidePadding, (height() - trackHeight) / 2.0, width() - 2 * sidePadding, trackHeight};
}

QPointF BudgetTrack::positionOf(double fraction) const {
    const QRectF track = trackRect();
    return {track.left() + fraction * track.width(), track.center().y()};
}

QPointF BudgetTrack::handlePosition() const {
    return positionOf(fraction_);
}

double BudgetTrack::fractionAt(double x) const {
    const QRectF track = trackRect();
    return track.width() > 0 ? (x - track.left()) / track.width() : fraction_;
}

QSize BudgetTrack::sizeHint() const {
    return {600, minimumSizeHint().height()};
}

QSize BudgetTrack::minimumSizeHint() const {
    return {240, static_cast<int>(2 * (labelHeight + handleRadius) + 4)};
}

void BudgetTrack::moveTo(double fraction, bool newGesture) {
    fraction = std::clamp(fraction, smallestBudgetFraction, 1.0);
    if (fraction == fraction_)
        return;
    setFraction(fraction);
    emit moved(fraction, newGesture);
}

void BudgetTrack::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    dragging_ = true;
    const QPointF offset = handlePosition() - event->position();
    const bool onHandle = std::hypot(offset.x(), offset.y()) <= handleRadius + 2;
    grabOffset_ = onHandle ? offset.x() : 0;
    // The press opens the gesture even where it does not move the handle yet.
    emit moved(fraction_, true);
    if (!onHandle)
        mouseMoveEvent(event);
    update();
}

void BudgetTrack::mouseMoveEvent(QMouseEvent* event) {
    if (dragging_)
        moveTo(std::round(fractionAt(event->position().x() + grabOffset_) / figures::budgetDragSnap) *
                   figures::budgetDragSnap,
               false);
}

void BudgetTrack::mouseReleaseEvent(QMouseEvent*) {
    dragging_ = false;
    update();
}

void BudgetTrack::keyPressEvent(QKeyEvent* event) {
    if (const std::optional<double> next = figures::budgetAfterKey(fraction_, event->key()))
        moveTo(*next, !event->isAutoRepeat());
    else
        QWidget::keyPressEvent(event);
}

void BudgetTrack::wheelEvent(QWheelEvent* event) {
    constexpr int notch = 120; // eighths of a degree
    wheelRest_ += event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
    const int notches = wheelRest_ / notch;
    wheelRest_ -= notches * notch;
    event->accept();
    if (notches == 0)
        return;
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    const bool fresh = now - lastWheelMs_ > wheelPauseMs;
    lastWheelMs_ = now;
    const int direction = notches > 0 ? 1 : -1;
    moveTo(figures::steppedBudget(fraction_, direction) +
               (std::abs(notches) - 1) * figures::budgetKeyStep * direction,
           fresh);
}

QString BudgetTrack::regionText(BudgetEffect effect) const {
    switch (effect) {
    case BudgetEffect::Infeasible:
        return tr("infeasible");
    case BudgetEffect::Stalls:
        return tr("stalls");
    case BudgetEffect::Recomputes:
        return tr("recomputes");
    case BudgetEffect::Free:
        return tr("free");
    }
    return {};
}

bool BudgetTrack::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const double fraction = fractionAt(help->pos().x());
    for (const TrackRegion& region : regions_) {
        if (fraction < region.from || fraction >= region.to)
            continue;
        QString text = tr("Not swept yet.");
        if (region.effect) {
            switch (*region.effect) {
            case BudgetEffect::Infeasible:
                text = tr("Infeasible: this strategy finds no program here.");
                break;
            case BudgetEffect::Stalls:
                text = tr("Stalls: most of the time lost here is waiting, for room or for the link.");
                break;
            case BudgetEffect::Recomputes:
                text = tr("Recomputes: most of the time lost here is spent running forwards again.");
                break;
            case BudgetEffect::Free:
                text = tr("Free: the step takes at most 0.05 % longer than ideal.");
                break;
            }
        }
        QToolTip::showText(help->globalPos(),
                           text + QLatin1Char('\n') +
                               (effects_.isOld
                                    ? tr("From the sweep before; the new one has not come here yet.")
                                    : tr("From a sweep over budgets with this strategy.")),
                           this);
        return true;
    }
    QToolTip::hideText();
    return true;
}

void BudgetTrack::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const figures::Theme& theme = look_.theme();
    const QRectF track = trackRect();

    QPainterPath outline;
    outline.addRoundedRect(track, trackHeight / 2, trackHeight / 2);
    painter.save();
    painter.setClipPath(outline);
    for (const TrackRegion& region : regions_) {
        QColor color = theme.field;
        if (region.effect) {
            switch (*region.effect) {
            case BudgetEffect::Infeasible:
                color = theme.trackInfeasible;
                break;
            case BudgetEffect::Stalls:
                color = theme.trackStall;
                break;
            case BudgetEffect::Recomputes:
                color = theme.trackRecompute;
                break;
            case BudgetEffect::Free:
                color = theme.trackFree;
                break;
            }
            if (effects_.isOld)
                color = figures::mixed(theme.field, color, oldStrength);
        }
        const double left = track.left() + region.from * track.width();
        painter.fillRect(QRectF(left, track.top(), (region.to - region.from) * track.width(), track.height()),
                         color);
    }
    painter.restore();
    painter.setPen(QPen(theme.frame, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(outline);

    paintLabels(painter);

    const QPointF centre = handlePosition();
    if (hasFocus()) {
        painter.setPen(QPen(figures::mixed(theme.card, theme.accent, 0.45), 3));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(centre, handleRadius + 1.5, handleRadius + 1.5);
    }
    painter.setPen(QPen(theme.accent, dragging_ ? 4 : 3));
    painter.setBrush(theme.card);
    painter.drawEllipse(centre, handleRadius - 1.5, handleRadius - 1.5);
}

void BudgetTrack::paintLabels(QPainter& painter) {
    const figures::Theme& theme = look_.theme();
    const QRectF track = trackRect();
    const double above = track.center().y() - handleRadius - 2 - labelHeight;
    const double below = track.center().y() + handleRadius + 1;
    const auto place = [&](double centre, double width) {
        return std::clamp(centre - width / 2, 0.0, std::max(0.0, this->width() - width));
    };

    const QFont strong = figures::tabularFont(15, QFont::Bold);
    const QString value = figures::formatPercent(fraction_);
    const double valueWidth = QFontMetricsF(strong).horizontalAdvance(value) + 4;
    const QRectF valueRect(place(handlePosition().x(), valueWidth), above, valueWidth, labelHeight);
    painter.setFont(strong);
    painter.setPen(theme.text);
    painter.drawText(valueRect, Qt::AlignCenter, value);

    const QFont plain = figures::productFont(12);
    const QFontMetricsF metrics(plain);
    painter.setFont(plain);
    painter.setPen(theme.secondaryText);
    const QRectF keepClear = valueRect.adjusted(-10, 0, 10, 0);
    const auto drawAbove = [&](double centre, const QString& text) {
        const double width = metrics.horizontalAdvance(text) + 2;
        const QRectF rect(place(centre, width), above, width, labelHeight);
        if (!rect.intersects(keepClear))
            painter.drawText(rect, Qt::AlignCenter, text);
        return rect;
    };
    if (peak_) {
        const QRectF peakRect = drawAbove(width(), tr("peak %1").arg(figures::formatBytes(*peak_)));
        if (minimum_ && *peak_ > 0) {
            const QString text = tr("min %1").arg(figures::formatBytes(*minimum_));
            const double x = positionOf(static_cast<double>(*minimum_) / static_cast<double>(*peak_)).x();
            if (x + metrics.horizontalAdvance(text) < peakRect.left())
                drawAbove(x, text);
        }
    }

    if (effects_.isOld)
        return; // what was true before is hinted at, not said
    double drawnTo = 0;
    for (const TrackRegion& region : regions_) {
        if (!region.effect)
            continue;
        const QString text = regionText(*region.effect);
        const double width = metrics.horizontalAdvance(text) + 2;
        if ((region.to - region.from) * track.width() < width + 4)
            continue;
        const double left = place(positionOf((region.from + region.to) / 2).x(), width);
        if (left < drawnTo)
            continue;
        painter.drawText(QRectF(left, below, width, labelHeight), Qt::AlignCenter, text);
        drawnTo = left + width + 8;
    }
}

} // namespace slackscope
