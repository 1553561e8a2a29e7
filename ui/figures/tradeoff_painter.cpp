#include "ui/figures/tradeoff_painter.h"

#include "ui/figures/format.h"
#include "ui/figures/marks.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>
#include <array>
#include <cmath>

namespace slackscope::figures {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Tradeoff)
};

constexpr double headerHeight = 36;
constexpr double padding = 16;
constexpr double quietWidth = 1.5;
constexpr double strongWidth = 2.4;
constexpr double legible = 4.5; // contrast of text
constexpr double staleOpacity = 0.35;

// Named strategies keep their looks whatever else is registered.
struct KnownLook {
    std::string_view id;
    std::size_t color; // index into Theme::strategies
};
constexpr std::array<KnownLook, 7> looks{{{"keep-all", 0},
                                          {"recompute-all", 1},
                                          {"sqrt-n", 2},
                                          {"recompute-only", 3},
                                          {"offload-only", 4},
                                          {"slackswap", 5},
                                          {"optimized", 6}}};

// The colour, moved towards the text colour until it can be read.
QColor inkFor(const QColor& color, const QColor& ground, const Theme& theme) {
    for (int i = 0; i < 10; ++i) {
        const QColor ink = mixed(color, theme.text, i / 10.0);
        if (contrast(ink, ground) >= legible)
            return ink;
    }
    return theme.text;
}

class TradeoffPainter {
public:
    TradeoffPainter(QPainter& painter, const TradeoffScene& scene)
        : painter_(painter), scene_(scene), theme_(*scene.theme), layout_(*scene.layout),
          curves_(*scene.curves), area_(layout_.area()) {}

    void paint() {
        painter_.save();
        painter_.setRenderHint(QPainter::Antialiasing, true);
        fade(true);
        region();
        fade(false);
        axes();
        fade(true);
        edge();
        fade(false);
        markerLine();
        fade(true);
        // The strategy in use lies over the others.
        for (std::int32_t i = 0; i < layout_.curveCount(); ++i) {
            if (!isStrong(i))
                line(i);
        }
        for (std::int32_t i = 0; i < layout_.curveCount(); ++i) {
            if (isStrong(i))
                line(i);
        }
        for (const TradeoffLabel& each : layout_.labels())
            label(each);
        fade(false);
        crosshair();
        markerDot();
        painter_.restore();
    }

private:
    const TradeoffCurve& curve(std::int32_t i) const { return curves_.curves[static_cast<std::size_t>(i)]; }
    bool isStrong(std::int32_t i) const { return curve(i).id == scene_.emphasized || i == scene_.pointed; }
    void fade(bool fades) { painter_.setOpacity(fades && scene_.isStale ? staleOpacity : 1.0); }
    void hairline(QPointF from, QPointF to, const QColor& color, double width = 1) {
        // Filled, not stroked: sharp on screens and cut exactly in files.
        if (from.x() == to.x())
            painter_.fillRect(
                QRectF(std::round(from.x()) - width / 2 + 0.5, from.y(), width, to.y() - from.y()), color);
        else
            painter_.fillRect(
                QRectF(from.x(), std::round(from.y()) - width / 2 + 0.5, to.x() - from.x(), width), color);
    }
    void region();
    void edge();
    void axes();
    void breakMark();
    void line(std::int32_t i);
    void label(const TradeoffLabel& label);
    void markerLine();
    void markerDot();
    void crosshair();

    QPainter& painter_;
    const TradeoffScene& scene_;
    const Theme& theme_;
    const TradeoffLayout& layout_;
    const TradeoffCurves& curves_;
    QRectF area_;
};

void TradeoffPainter::region() {
    if (layout_.boundRegion().isEmpty())
        return;
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(theme_.bound);
    painter_.drawPolygon(layout_.boundRegion());
    const BoundLabel& label = layout_.boundLabel();
    const QStringList lines = boundText(label.lines);
    const double height = label.rect.height() / std::max(label.lines, 1);
    for (int i = 0; i < label.lines; ++i)
        paintText(
            painter_, QRectF(label.rect.left(), label.rect.top() + i * height, label.rect.width(), height),
            Qt::AlignLeft | Qt::AlignVCenter, lines[i], productFont(label.pixels), theme_.secondaryText);
}

// Of the region: the bound itself.
void TradeoffPainter::edge() {
    if (layout_.boundRegion().isEmpty())
        return;
    QPolygonF edge = layout_.boundRegion();
    edge.removeFirst();
    edge.removeLast();
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(QPen(theme_.ghost, 1));
    painter_.drawPolyline(edge);
}

void TradeoffPainter::axes() {
    const QFont font = productFont(11);
    for (const double tick : layout_.throughputTicks()) {
        const double y = layout_.y(tick);
        hairline({area_.left(), y}, {area_.right(), y}, theme_.grid);
        paintText(painter_, QRectF(area_.left() - 36, y - 8, 30, 16), Qt::AlignRight | Qt::AlignVCenter,
                  QString::number(tick * 100, 'f', 0), font, theme_.secondaryText);
    }
    hairline(area_.bottomLeft(), area_.bottomRight(), theme_.axis);
    hairline(area_.topLeft(), area_.bottomLeft(), theme_.axis);
    if (layout_.lowest() > 0)
        breakMark();
    const double below = area_.bottom() + 4;
    for (const double tick : layout_.budgetTicks()) {
        const double x = area_.left() + tick * area_.width();
        hairline({x, area_.bottom()}, {x, area_.bottom() + 4}, theme_.axis);
        paintText(painter_, QRectF(x - 30, below, 60, 15), Qt::AlignCenter,
                  QString::number(tick * 100, 'f', 0), font, theme_.secondaryText);
        if (layout_.showsBytes() && tick > 0)
            paintText(painter_, QRectF(x - 40, below + 14, 80, 15), Qt::AlignCenter,
                      formatBytes(std::llround(tick * static_cast<double>(curves_.unlimitedPeak))),
                      productFont(10), theme_.secondaryText);
    }
    if (!layout_.showsTitles())
        return;
    const QRectF frame = layout_.frame();
    QString budget = Words::tr("budget, % of the unlimited peak");
    if (!layout_.showsBytes() && curves_.unlimitedPeak > 0)
        budget = Words::tr("budget, % of %1").arg(formatBytes(curves_.unlimitedPeak));
    paintText(painter_, QRectF(area_.left() - 30, frame.bottom() - 16, area_.width() + 44, 16),
              Qt::AlignCenter, budget, font, theme_.secondaryText);
    painter_.save();
    painter_.translate(frame.left(), area_.center().y());
    painter_.rotate(-90);
    const double length = area_.height() + 20;
    const QString whole = Words::tr("simulated throughput, % of ideal");
    const QString title =
        QFontMetricsF(font).horizontalAdvance(whole) <= length ? whole : Words::tr("% of ideal, simulated");
    paintText(painter_, QRectF(-length / 2, 0, length, 15), Qt::AlignCenter, title, font,
              theme_.secondaryText);
    painter_.restore();
}

// The axis does not start at zero: two strokes across its foot.
void TradeoffPainter::breakMark() {
    const double x = area_.left() + 0.5;
    const double y = area_.bottom() - 7;
    painter_.fillRect(QRectF(x - 2, y - 1.5, 4, 3), theme_.card);
    painter_.setPen(QPen(theme_.secondaryText, 1));
    painter_.drawLine(QPointF(x - 3.5, y), QPointF(x + 3.5, y - 3));
    painter_.drawLine(QPointF(x - 3.5, y + 3), QPointF(x + 3.5, y));
}

void TradeoffPainter::line(std::int32_t i) {
    if (layout_.lines(i).empty())
        return;
    const StrategyStyle style = strategyStyle(curve(i).id, theme_);
    const double width = isStrong(i) ? strongWidth : quietWidth;
    QPen pen(style.color, width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    if (!style.dashes.isEmpty()) {
        QList<double> pattern = style.dashes;
        for (double& each : pattern)
            each /= width; // Qt counts dashes in pen widths
        pen.setDashPattern(pattern);
    }
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(pen);
    for (const QPolygonF& piece : layout_.lines(i)) {
        if (piece.size() > 1)
            painter_.drawPolyline(piece);
    }
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(style.color);
    const TradeoffPoint& first = curve(i).points.front();
    const QPointF start(layout_.x(first.budget), layout_.y(first.throughput));
    if (curve(i).minimumBudget == first.budget && start.y() <= area_.bottom())
        painter_.drawRect(QRectF(start.x() - width / 2, start.y() - 5, width, 10));
    else if (layout_.lines(i).front().size() == 1)
        painter_.drawEllipse(start, 3, 3);
    if (const std::optional<QPointF> exit = layout_.exit(i)) {
        // It goes on below.
        painter_.drawPolygon(QPolygonF{*exit + QPointF(-4, -7), *exit + QPointF(4, -7), *exit});
    }
}

void TradeoffPainter::label(const TradeoffLabel& label) {
    const TradeoffCurve& named = curve(label.curve);
    const StrategyStyle style = strategyStyle(named.id, theme_);
    if (!label.leader.isNull()) {
        painter_.setPen(QPen(style.color, 0.8));
        painter_.drawLine(label.leader);
    }
    const QColor ground = label.isInRegion ? theme_.bound : theme_.card;
    const QColor ink = inkFor(style.color, ground, theme_);
    QColor patch = ground;
    patch.setAlphaF(0.82F);
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(patch);
    painter_.drawRoundedRect(label.rect, 3, 3);
    paintText(painter_, label.rect, Qt::AlignCenter, named.label,
              tradeoffLabelFont(named.id == scene_.emphasized), ink);
    if (label.curve == scene_.pointed && named.id != scene_.emphasized)
        hairline(label.rect.bottomLeft() + QPointF(2, -1), label.rect.bottomRight() + QPointF(-2, -1), ink);
}

void TradeoffPainter::markerLine() {
    if (!scene_.marker)
        return;
    const double x = layout_.x(scene_.marker->budget);
    painter_.fillRect(QRectF(x - 1, area_.top(), 2, area_.height()), theme_.budget);
    if (scene_.hasHandle) {
        painter_.setPen(QPen(theme_.card, 1.5));
        painter_.setBrush(theme_.budget);
        painter_.drawRoundedRect(QRectF(x - 5, area_.bottom() - 9, 10, 18), 5, 5);
    }
    QString text = formatPercent(curves_.fractionOf(scene_.marker->budget)) + QStringLiteral(" · ");
    if (scene_.marker->isInfeasible)
        text += Words::tr("infeasible");
    else if (scene_.marker->plan)
        text += formatPercent(scene_.marker->plan->throughput);
    else
        text += QStringLiteral("…");
    const QFont font = tabularFont(12, QFont::DemiBold);
    const double width = std::ceil(QFontMetricsF(font).horizontalAdvance(text)) + 4;
    const double left = std::clamp(x - width / 2, layout_.frame().left(),
                                   std::max(layout_.frame().left(), layout_.frame().right() - width));
    paintText(painter_, QRectF(left, area_.top() - 19, width, 16), Qt::AlignCenter, text, font,
              theme_.budgetText);
}

void TradeoffPainter::markerDot() {
    if (!scene_.marker || !scene_.marker->plan)
        return;
    const TradeoffPoint& plan = *scene_.marker->plan;
    const QPointF at(layout_.x(plan.budget), layout_.y(plan.throughput));
    painter_.setPen(QPen(theme_.card, 1.5));
    painter_.setBrush(strategyStyle(scene_.emphasized, theme_).color);
    if (at.y() <= area_.bottom()) {
        painter_.drawEllipse(at, 5, 5);
        return;
    }
    // Below what the axis shows.
    const QPointF foot(at.x(), area_.bottom() - 1);
    painter_.drawPolygon(QPolygonF{foot + QPointF(-6, -10), foot + QPointF(6, -10), foot});
}

void TradeoffPainter::crosshair() {
    if (!scene_.readout)
        return;
    const double x = layout_.x(scene_.readout->budget);
    hairline({x, area_.top()}, {x, area_.bottom()}, theme_.secondaryText);
    painter_.setPen(QPen(theme_.card, 1));
    for (const TradeoffReadout::Row& row : scene_.readout->rows) {
        if (!row.point || layout_.y(row.point->throughput) > area_.bottom())
            continue;
        painter_.setBrush(row.curve < 0 ? theme_.ghost : strategyStyle(curve(row.curve).id, theme_).color);
        painter_.drawEllipse(QPointF(layout_.x(row.point->budget), layout_.y(row.point->throughput)), 3.5,
                             3.5);
    }
}

} // namespace

StrategyStyle strategyStyle(std::string_view id, const Theme& theme) {
    static const std::array<QList<double>, looks.size()> dashes{
        QList<double>{2, 2}, {10, 3, 2, 3, 2, 3}, {8, 3, 2, 3}, {5, 3}, {2, 2.5}, {12, 3}, {}};
    const auto* const known =
        std::find_if(looks.begin(), looks.end(), [&](const KnownLook& look) { return look.id == id; });
    const std::size_t i = known == looks.end() ? 0 : known->color;
    return {theme.strategies[i], dashes[i]};
}

void paintTradeoff(QPainter& painter, const TradeoffScene& scene) {
    if (scene.layout->area().width() < 20 || scene.layout->area().height() < 20)
        return;
    TradeoffPainter(painter, scene).paint();
}

void paintTradeoffPanel(QPainter& painter, const QRectF& panel, TradeoffScene scene) {
    const Theme& theme = *scene.theme;
    paintCard(painter, panel, theme);
    const QRectF header(panel.left() + padding, panel.top() + 2, panel.width() - 2 * padding, headerHeight);
    const TradeoffLayout layout(*scene.curves, scene.emphasized,
                                panel.adjusted(padding - 4, headerHeight + 2, -padding + 8, -8));
    scene.layout = &layout;
    std::vector<LegendEntry> legend;
    if (!layout.boundRegion().isEmpty() && layout.boundLabel().lines == 0)
        legend.push_back({theme.bound, QString(), Hatch::None, boundText(1).first()});
    paintHeader(painter, header, Words::tr("Tradeoff"), Words::tr("throughput against budget"), legend,
                theme);
    paintTradeoff(painter, scene);
}

} // namespace slackscope::figures
