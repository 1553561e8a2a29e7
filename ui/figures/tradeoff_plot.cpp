#include "ui/figures/tradeoff_plot.h"

#include "ui/figures/budget_keys.h"
#include "ui/figures/marks.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace slackscope::figures {

namespace {

constexpr double grabReach = 7; // px to either side of the marker

} // namespace

class TradeoffPlot::Impl {
public:
    explicit Impl(TradeoffPlot& owner) : owner_(owner) {}

    bool hasFigure() const { return curves_ && curves_->unlimitedPeak > 0; }
    double fraction() const { return marker_ ? curves_->fractionOf(marker_->budget) : 0; }
    double fractionAt(double x) const {
        const QRectF area = layout_.area();
        return std::round((x - area.left()) / area.width() / budgetDragSnap) * budgetDragSnap;
    }
    bool isOnMarker(QPointF at) const {
        return hasFigure() && marker_ && std::abs(at.x() - layout_.x(marker_->budget)) <= grabReach &&
               at.y() >= layout_.area().top() && at.y() <= layout_.area().bottom() + 12;
    }
    std::int32_t nameAt(QPointF at) const {
        return hasFigure() && !isStale_ && !isOnMarker(at) ? layout_.labelAt(at) : -1;
    }
    void arrange() {
        const QRectF frame = QRectF(owner_.rect()).adjusted(8, 0, -2, -6);
        if (hasFigure())
            layout_ = TradeoffLayout(*curves_, strategy_, frame, &layout_);
        unread();
        owner_.update();
    }
    void moveTo(double fraction, bool newGesture) {
        fraction = std::clamp(fraction, smallest_, 1.0);
        const Bytes budget = std::llround(fraction * static_cast<double>(curves_->unlimitedPeak));
        if (!marker_ || budget == marker_->budget)
            return;
        marker_->budget = budget;
        owner_.update();
        emit owner_.budgetMoved(fraction, newGesture);
    }
    void unread() {
        readout_.reset();
        pointed_ = -1;
    }
    void point(QPointF at, QPoint global);
    QString readoutText() const;

private:
    friend class TradeoffPlot;
    TradeoffPlot& owner_;
    std::shared_ptr<const TradeoffCurves> curves_;
    bool isStale_ = false;
    std::string strategy_;
    std::optional<TradeoffMarker> marker_;
    double smallest_ = 0;
    Theme theme_ = Theme::light();
    QString message_;
    TradeoffLayout layout_;
    std::optional<TradeoffReadout> readout_;
    std::int32_t pointed_ = -1;
    std::int32_t pressedName_ = -1;
    bool isDragging_ = false;
    double grabOffset_ = 0; // from the pointer to the marker
};

void TradeoffPlot::Impl::point(QPointF at, QPoint global) {
    unread();
    pointed_ = nameAt(at);
    owner_.setCursor(pointed_ >= 0    ? Qt::PointingHandCursor
                     : isOnMarker(at) ? Qt::SizeHorCursor
                                      : Qt::ArrowCursor);
    if (pointed_ >= 0) {
        const TradeoffCurve& curve = curves_->curves[static_cast<std::size_t>(pointed_)];
        QToolTip::showText(global + QPoint(12, 14),
                           curve.id == strategy_ ? tr("%1: the strategy in use").arg(curve.label)
                                                 : tr("Click to plan with %1").arg(curve.label),
                           &owner_);
    } else if (hasFigure() && !isStale_ && layout_.area().contains(at)) {
        readout_ = readTradeoff(*curves_, layout_.budgetAt(at.x()));
        if (readout_)
            QToolTip::showText(global + QPoint(14, 16), readoutText(), &owner_);
    } else {
        QToolTip::hideText();
    }
    owner_.update();
}

QString TradeoffPlot::Impl::readoutText() const {
    QString text = QStringLiteral("<b>%1</b><table>").arg(readout_->title.toHtmlEscaped());
    for (const TradeoffReadout::Row& row : readout_->rows) {
        const bool isCurrent =
            row.curve >= 0 && curves_->curves[static_cast<std::size_t>(row.curve)].id == strategy_;
        const QString cell = isCurrent ? QStringLiteral("<td><b>%1</b></td>") : QStringLiteral("<td>%1</td>");
        text += QStringLiteral("<tr>") +
                cell.arg(row.label.toHtmlEscaped() + QStringLiteral("&nbsp;&nbsp;")) +
                QString(cell)
                    .replace(QStringLiteral("<td>"), QStringLiteral("<td align=\"right\">"))
                    .arg(row.value.toHtmlEscaped()) +
                QStringLiteral("</tr>");
    }
    return text + QStringLiteral("</table>") + tr("Simulated. Click to set the budget.").toHtmlEscaped();
}

TradeoffPlot::TradeoffPlot(QWidget* parent) : QWidget(parent), impl_(std::make_unique<Impl>(*this)) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Throughput against budget"));
}

TradeoffPlot::~TradeoffPlot() = default;

void TradeoffPlot::setCurves(std::shared_ptr<const TradeoffCurves> curves, bool isStale) {
    if (curves == impl_->curves_ && isStale == impl_->isStale_)
        return;
    impl_->curves_ = std::move(curves);
    impl_->isStale_ = isStale;
    impl_->arrange();
}

const std::shared_ptr<const TradeoffCurves>& TradeoffPlot::curves() const {
    return impl_->curves_;
}

bool TradeoffPlot::isStale() const {
    return impl_->isStale_;
}

void TradeoffPlot::setStrategy(const std::string& id) {
    if (id == impl_->strategy_)
        return;
    impl_->strategy_ = id;
    impl_->arrange();
}

void TradeoffPlot::setMarker(std::optional<TradeoffMarker> marker) {
    impl_->marker_ = marker;
    if (impl_->curves_)
        setAccessibleDescription(marker ? tradeoffSummary(*impl_->curves_, marker->budget) : QString());
    update();
}

void TradeoffPlot::setSmallestBudget(double fraction) {
    impl_->smallest_ = fraction;
}

void TradeoffPlot::setTheme(const Theme& theme) {
    impl_->theme_ = theme;
    update();
}

void TradeoffPlot::setMessage(const QString& message) {
    impl_->message_ = message;
    update();
}

const TradeoffLayout& TradeoffPlot::places() const {
    return impl_->layout_;
}

QPointF TradeoffPlot::markerPosition() const {
    if (!impl_->hasFigure() || !impl_->marker_)
        return {};
    return {impl_->layout_.x(impl_->marker_->budget), impl_->layout_.area().bottom()};
}

QSize TradeoffPlot::sizeHint() const {
    return {284, 300};
}

QSize TradeoffPlot::minimumSizeHint() const {
    return {200, 150};
}

void TradeoffPlot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Impl& impl = *impl_;
    if (impl.hasFigure()) {
        TradeoffScene scene;
        scene.curves = impl.curves_.get();
        scene.layout = &impl.layout_;
        scene.theme = &impl.theme_;
        scene.emphasized = impl.strategy_;
        scene.marker = impl.marker_;
        scene.readout = impl.readout_ ? &*impl.readout_ : nullptr;
        scene.pointed = impl.pointed_;
        scene.hasHandle = true;
        scene.isStale = impl.isStale_;
        paintTradeoff(painter, scene);
    }
    if ((!impl.hasFigure() || impl.curves_->isEmpty()) && !impl.message_.isEmpty())
        paintText(painter, QRectF(rect()).adjusted(12, 0, -12, 0), Qt::AlignCenter, impl.message_,
                  productFont(12), impl.theme_.secondaryText);
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(QPen(impl.theme_.accent, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(3, 1, -3, -3), 6, 6);
    }
}

void TradeoffPlot::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    impl_->arrange();
}

void TradeoffPlot::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !impl_->hasFigure() || !impl_->marker_)
        return;
    const QPointF at = event->position();
    QToolTip::hideText();
    impl_->pressedName_ = impl_->nameAt(at);
    if (impl_->pressedName_ >= 0)
        return;
    const QRectF area = impl_->layout_.area();
    const bool isOnMarker = impl_->isOnMarker(at);
    if (!isOnMarker && !area.adjusted(-4, 0, 4, 14).contains(at))
        return;
    impl_->unread();
    impl_->isDragging_ = true;
    impl_->grabOffset_ = isOnMarker ? impl_->layout_.x(impl_->marker_->budget) - at.x() : 0;
    // The press opens the gesture even where it does not move the marker yet.
    emit budgetMoved(impl_->fraction(), true);
    if (!isOnMarker)
        impl_->moveTo(impl_->fractionAt(at.x()), false);
    setCursor(Qt::SizeHorCursor);
    update();
}

void TradeoffPlot::mouseMoveEvent(QMouseEvent* event) {
    if (impl_->isDragging_)
        impl_->moveTo(impl_->fractionAt(event->position().x() + impl_->grabOffset_), false);
    else if (event->buttons() == Qt::NoButton)
        impl_->point(event->position(), event->globalPosition().toPoint());
}

void TradeoffPlot::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    impl_->isDragging_ = false;
    const std::int32_t pressed = std::exchange(impl_->pressedName_, -1);
    if (pressed >= 0 && pressed == impl_->nameAt(event->position()))
        emit strategyChosen(
            QString::fromStdString(impl_->curves_->curves[static_cast<std::size_t>(pressed)].id));
}

void TradeoffPlot::leaveEvent(QEvent* event) {
    impl_->unread();
    update();
    QWidget::leaveEvent(event);
}

void TradeoffPlot::keyPressEvent(QKeyEvent* event) {
    const std::optional<double> next =
        impl_->hasFigure() && impl_->marker_ && event->modifiers() == Qt::NoModifier
            ? budgetAfterKey(impl_->fraction(), event->key())
            : std::nullopt;
    if (next)
        impl_->moveTo(*next, !event->isAutoRepeat());
    else
        QWidget::keyPressEvent(event);
}

} // namespace slackscope::figures
