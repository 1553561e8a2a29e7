#include "ui/figures/overlay_painter.h"

#include "ui/figures/format.h"
#include "ui/figures/marks.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace slackscope::figures {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Overlay)
};

using Role = TensorEvent::Role;

constexpr std::size_t mostLitTensors = 256;

class OverlayPainter {
public:
    OverlayPainter(QPainter& painter, const Scene& lanes, const MemoryScene& memory, const Overlay& overlay)
        : painter_(painter), lanes_(lanes), memory_(memory), overlay_(overlay), theme_(*lanes.theme),
          picture_(*lanes.picture) {}

    void paint() {
        painter_.setRenderHint(QPainter::Antialiasing, false);
        if (picture_.feasible())
            selection();
        stretch();
        cursor();
        playhead();
    }

private:
    void selection();
    void light(const TensorEvent& event);
    void flow(const Flow& flow);
    void stretch();
    void cursor();
    void playhead();
    void tag(QPointF bottomCenter, const QString& text, const QColor& ground, const QColor& ink);
    QRectF across() const { return lanes_.area.united(memory_.area); }
    double pixel(double ns) const { return lanes_.map().pixel(ns); }
    bool isVisible(double x) const { return x >= across().left() && x <= across().right(); }

    QPainter& painter_;
    const Scene& lanes_;
    const MemoryScene& memory_;
    const Overlay& overlay_;
    const Theme& theme_;
    const StepPicture& picture_;
};

void OverlayPainter::light(const TensorEvent& event) {
    const Bar& bar = picture_.bar(event);
    if (static_cast<double>(bar.toNs) < lanes_.range.fromNs ||
        static_cast<double>(bar.fromNs) > lanes_.range.toNs)
        return;
    paintBar(painter_, lanes_, event.lane, bar, 3);
    const QRectF outline = barRect(lanes_, event.lane, bar);
    painter_.save();
    painter_.setRenderHint(QPainter::Antialiasing, true);
    painter_.setPen(QPen(theme_.selection, 1.5));
    painter_.setBrush(Qt::NoBrush);
    const double grow = std::max(0.0, (3 - outline.width()) / 2);
    painter_.drawRoundedRect(outline.adjusted(-grow - 0.5, -1, grow + 0.5, 1), 2, 2);
    painter_.restore();
}

void OverlayPainter::flow(const Flow& flow) {
    // Wholly before or wholly after what is shown: no line along the edge.
    const Bar& first = picture_.bar(flow.from);
    const Bar& second = picture_.bar(flow.to);
    if (static_cast<double>(std::max(first.toNs, second.fromNs)) < lanes_.range.fromNs ||
        static_cast<double>(std::min(first.toNs, second.fromNs)) > lanes_.range.toNs)
        return;
    const QRectF from = barRect(lanes_, flow.from.lane, first);
    const QRectF to = barRect(lanes_, flow.to.lane, second);
    QPainterPath path;
    QPointF end;
    QPointF before;
    if (flow.from.lane == flow.to.lane) {
        // An arch above the lane, through the strip of the passes.
        const QPointF start(from.center().x(), from.top());
        end = QPointF(to.center().x(), to.top());
        const double rise = passStrip(lanes_.area).height() + 4;
        before = QPointF(end.x() - (end.x() - start.x()) * 0.1, end.y() - rise);
        path.moveTo(start);
        path.cubicTo(QPointF(start.x() + (end.x() - start.x()) * 0.1, start.y() - rise), before, end);
    } else {
        const bool isDown = to.top() > from.top();
        const QPointF start(from.right(), isDown ? from.bottom() : from.top());
        end = QPointF(to.left(), isDown ? to.top() : to.bottom());
        const double reach = std::max(std::abs(end.y() - start.y()) * 0.7, 18.0);
        before = QPointF(end.x(), end.y() - (isDown ? reach : -reach));
        path.moveTo(start);
        path.cubicTo(QPointF(start.x(), start.y() + (isDown ? reach : -reach)), before, end);
    }
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(QPen(theme_.card, 4)); // a halo: lines stay legible over bars of any colour
    painter_.drawPath(path);
    painter_.setPen(QPen(theme_.flow, 1.6));
    painter_.drawPath(path);
    const QLineF last(before, end);
    if (last.length() < 1)
        return;
    const double angle = std::atan2(last.dy(), last.dx());
    const auto wing = [&](double turn) {
        return end - 7 * QPointF(std::cos(angle + turn), std::sin(angle + turn));
    };
    painter_.setBrush(theme_.flow);
    painter_.drawPolygon(QPolygonF({end, wing(0.42), wing(-0.42)}));
}

void OverlayPainter::selection() {
    const Selection& chosen = overlay_.selection;
    std::vector<TensorEvent> events;
    for (std::size_t i = 0; i < std::min(chosen.tensors.size(), mostLitTensors); ++i) {
        const std::vector<TensorEvent> more = picture_.events(chosen.tensors[i]);
        events.insert(events.end(), more.begin(), more.end());
    }
    if (events.empty())
        return;
    painter_.save();
    painter_.setClipRect(lanes_.area.adjusted(-2, 0, 2, 0));
    QColor veil = theme_.card;
    veil.setAlphaF(theme_.isDark ? 0.6F : 0.66F);
    for (const Lane lane : allLanes)
        painter_.fillRect(laneRect(lanes_.area, lane), veil);
    for (const TensorEvent& event : events)
        light(event);
    if (const TensorIndex t = chosen.tensor(); t != none) {
        painter_.setRenderHint(QPainter::Antialiasing, true);
        for (const Flow& line : flowsOf(picture_, t))
            flow(line);
    }
    painter_.restore();
}

void OverlayPainter::tag(QPointF bottomCenter, const QString& text, const QColor& ground, const QColor& ink) {
    const QFont font = productFont(11, QFont::Medium);
    const QFontMetricsF metrics(font);
    const double width = std::ceil(metrics.horizontalAdvance(text)) + 12;
    const QRectF bounds = across().adjusted(-8, -20, 8, 0);
    if (width > bounds.width())
        return;
    const double left = std::clamp(bottomCenter.x() - width / 2, bounds.left(), bounds.right() - width);
    const QRectF pill(left, bottomCenter.y() - 18, width, 18);
    painter_.save();
    painter_.setRenderHint(QPainter::Antialiasing, true);
    painter_.setPen(QPen(theme_.frame, 1));
    painter_.setBrush(ground);
    painter_.drawRoundedRect(pill, 4, 4);
    painter_.restore();
    paintText(painter_, pill, Qt::AlignCenter, text, font, ink);
}

void OverlayPainter::stretch() {
    if (!overlay_.stretch)
        return;
    const RangeReadout& readout = *overlay_.stretch;
    const QRectF bounds = across();
    const double left =
        std::clamp(pixel(static_cast<double>(readout.interval.fromNs)), bounds.left(), bounds.right());
    const double right =
        std::clamp(pixel(static_cast<double>(readout.interval.toNs)), bounds.left(), bounds.right());
    if (right <= left)
        return;
    for (const QRectF& area : {lanes_.area, memory_.area}) {
        if (area.isNull())
            continue;
        painter_.fillRect(QRectF(left, area.top(), right - left, area.height()), theme_.rangeBand);
        painter_.fillRect(QRectF(left, area.top(), 1, area.height()), theme_.accent);
        painter_.fillRect(QRectF(right - 1, area.top(), 1, area.height()), theme_.accent);
    }
    const QString text = Words::tr("%1 · out %2 · back %3 · compute %4 busy · peak %5")
                             .arg(formatTime(readout.interval.toNs - readout.interval.fromNs),
                                  formatBytes(readout.toHostBytes), formatBytes(readout.toDeviceBytes),
                                  formatPercent(readout.computeBusy), formatBytes(readout.peakBytes));
    tag(QPointF((left + right) / 2, bounds.top() + 18), text, theme_.tooltip, theme_.text);
}

void OverlayPainter::cursor() {
    if (!overlay_.cursorNs)
        return;
    const double x = std::round(pixel(*overlay_.cursorNs));
    if (!isVisible(x))
        return;
    QColor line = theme_.secondaryText;
    line.setAlpha(150);
    for (const QRectF& area : {lanes_.area, memory_.area}) {
        if (!area.isNull())
            painter_.fillRect(QRectF(x, area.top(), 1, area.height()), line);
    }
    if (!memory_.area.isNull() && !lanes_.area.isNull())
        tag(QPointF(x, memory_.area.top() - 2), formatInstant(static_cast<Nanoseconds>(*overlay_.cursorNs)),
            theme_.tooltip, theme_.text);
}

void OverlayPainter::playhead() {
    if (!overlay_.playhead)
        return;
    const double x = std::round(pixel(static_cast<double>(*overlay_.playhead)));
    if (!isVisible(x))
        return;
    for (const QRectF& area : {lanes_.area, memory_.area}) {
        if (!area.isNull())
            painter_.fillRect(QRectF(x - 1, area.top(), 2, area.height()), theme_.playhead);
    }
    const double top = across().top();
    painter_.save();
    painter_.setRenderHint(QPainter::Antialiasing, true);
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(theme_.playhead);
    painter_.drawPolygon(
        QPolygonF({{x - 6, top - 2}, {x + 6, top - 2}, {x + 6, top + 4}, {x, top + 11}, {x - 6, top + 4}}));
    painter_.restore();
}

} // namespace

std::vector<Flow> flowsOf(const StepPicture& picture, TensorIndex t, std::size_t most) {
    std::vector<Flow> flows;
    const TensorEvent* source = nullptr;  // the latest copy on the device
    const TensorEvent* offload = nullptr; // the copy on the host
    const std::vector<TensorEvent> events = picture.events(t);
    for (const TensorEvent& event : events) {
        if (flows.size() >= most)
            break;
        switch (event.role) {
        case Role::Produced:
        case Role::Recomputed:
            source = &event;
            break;
        case Role::Offload:
            if (source)
                flows.push_back({*source, event});
            offload = &event;
            break;
        case Role::Prefetch:
            if (offload)
                flows.push_back({*offload, event});
            source = &event;
            break;
        case Role::ForwardUse:
        case Role::RecomputeUse:
        case Role::BackwardUse:
            if (source)
                flows.push_back({*source, event});
            break;
        }
    }
    return flows;
}

void paintOverlay(QPainter& painter, const Scene& lanes, const MemoryScene& memory, const Overlay& overlay) {
    OverlayPainter(painter, lanes, memory, overlay).paint();
}

} // namespace slackscope::figures
