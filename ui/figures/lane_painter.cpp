#include "ui/figures/lane_painter.h"

#include "ui/figures/marks.h"
#include "ui/figures/pixel_columns.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QImage>

#include <algorithm>
#include <cmath>
#include <limits>

namespace slackscope::figures {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

constexpr double passHeight = 18;
constexpr double widestGap = 12;
constexpr double separatedFrom = 4; // narrowest bar with an edge of its own, in units
constexpr double hatchedFrom = 3.5;
constexpr double hatchGap = 7;
constexpr double letteredFrom = 12;
constexpr double namedFrom = 48;

Hatch hatchOf(BarKind kind) {
    switch (kind) {
    case BarKind::Recompute:
    case BarKind::TransferStall:
        return Hatch::Rising;
    case BarKind::MemoryStall:
        return Hatch::Falling;
    default:
        return Hatch::None;
    }
}

const QColor& colorOf(const Theme& theme, BarKind kind) {
    switch (kind) {
    case BarKind::Forward:
        return theme.forward;
    case BarKind::Backward:
        return theme.backward;
    case BarKind::Recompute:
        return theme.recompute;
    case BarKind::Offload:
        return theme.offload;
    case BarKind::Prefetch:
        return theme.prefetch;
    case BarKind::MemoryStall:
        return theme.memoryStall;
    case BarKind::TransferStall:
        return theme.transferStall;
    }
    return theme.forward;
}

QString nameOf(const StepPicture& picture, const Bar& bar) {
    if (bar.kind == BarKind::MemoryStall || bar.kind == BarKind::TransferStall)
        return Words::tr("stall");
    const bool isCopy = bar.kind == BarKind::Offload || bar.kind == BarKind::Prefetch;
    return QString::fromStdString(isCopy ? picture.graph().tensor(bar.id).id : picture.graph().op(bar.id).id);
}

// Columns of everything in the lane that is narrower than `widest` columns.
std::vector<LaneColumn> laneColumns(const StepPicture& picture, Lane lane, const ColumnGrid& grid,
                                    double widest) {
    std::vector<LaneColumn> columns(static_cast<std::size_t>(grid.count));
    coverColumns(picture.bars(lane), grid, widest, columns);
    if (lane == Lane::Compute)
        coverColumns(picture.stalls(), grid, widest, columns);
    return columns;
}

void paintColumns(QPainter& painter, const Scene& scene, const QRectF& rect,
                  const std::vector<QRgb>& colors) {
    if (colors.empty())
        return;
    if (!scene.vector) {
        const QImage strip(reinterpret_cast<const uchar*>(colors.data()), static_cast<int>(colors.size()), 1,
                           static_cast<qsizetype>(colors.size() * sizeof(QRgb)), QImage::Format_RGB32);
        painter.drawImage(rect, strip);
        return;
    }
    const double width = rect.width() / static_cast<double>(colors.size());
    const QRgb ground = scene.theme->field.rgb();
    for (const ColumnRun<QRgb>& run : joined(colors)) {
        if (run.value == ground)
            continue;
        // Reaching a little under the next one closes the seams that viewers show between neighbours.
        const double right = std::min(rect.left() + run.to * width + 0.2, rect.right());
        const double left = rect.left() + run.from * width;
        painter.fillRect(QRectF(left, rect.top(), right - left, rect.height()), QColor(run.value));
    }
}

// Hatches over stretches where one hatched kind covers most of every column: also where its bars are too thin
// to be hatched one by one.
void paintHatches(QPainter& painter, const Scene& scene, const QRectF& rect,
                  const std::vector<LaneColumn>& columns) {
    const double width = rect.width() / static_cast<double>(std::max<std::size_t>(columns.size(), 1));
    for (const BarKind kind : {BarKind::Recompute, BarKind::MemoryStall, BarKind::TransferStall}) {
        std::vector<bool> isMost(columns.size());
        std::transform(columns.begin(), columns.end(), isMost.begin(), [kind](const LaneColumn& column) {
            return column.covered[static_cast<std::size_t>(kind)] > 0.5F;
        });
        for (const ColumnRun<bool>& run : joined(isMost)) {
            const double wide = (run.to - run.from) * width;
            if (run.value && wide >= hatchedFrom)
                paintHatch(painter, QRectF(rect.left() + run.from * width, rect.top(), wide, rect.height()),
                           hatchOf(kind), scene.theme->hatchOn(colorOf(*scene.theme, kind)), hatchGap, 1.6);
        }
    }
}

// Edge and words of a bar that is wide enough for them.
void paintDetails(QPainter& painter, const Scene& scene, const Bar& bar, const QRectF& shown, bool cutRight) {
    const Theme& theme = *scene.theme;
    const QColor& color = colorOf(theme, bar.kind);
    if (!cutRight) {
        QColor edge = theme.field;
        edge.setAlphaF(static_cast<float>(std::clamp((shown.width() - 2) / 8, 0.3, 1.0)));
        painter.fillRect(QRectF(shown.right() - 1, shown.top(), 1, shown.height()), edge);
    }
    if (shown.width() < letteredFrom || shown.height() < 11)
        return;
    const QColor ink = theme.inkOn(color);
    const QString letter = barLetter(bar.kind);
    if (shown.width() < namedFrom) {
        if (hatchOf(bar.kind) != Hatch::None)
            paintLetter(painter, shown, letter, productFont(11, QFont::DemiBold), color, theme);
        else
            paintText(painter, shown, Qt::AlignCenter, letter, productFont(11, QFont::DemiBold), ink);
        return;
    }
    const QFont bold = productFont(11, QFont::Bold);
    const double letterWidth = std::ceil(QFontMetricsF(bold).horizontalAdvance(letter)) + 1;
    const QRectF inner = shown.adjusted(6, 0, -4, 0);
    const QFont font = productFont(11);
    const QFontMetricsF metrics(font);
    const QRectF rest = inner.adjusted(letterWidth + 5, 0, 0, 0);
    // The end of an id tells more than its middle.
    const QString name = metrics.elidedText(nameOf(*scene.picture, bar), Qt::ElideMiddle, rest.width());
    if (hatchOf(bar.kind) != Hatch::None) {
        const double height = std::min(metrics.height() + 2, shown.height());
        const double right = std::min(rest.left() + metrics.horizontalAdvance(name) + 4, shown.right() - 1);
        painter.fillRect(
            QRectF(inner.left() - 3, shown.center().y() - height / 2, right - inner.left() + 3, height),
            color);
    }
    paintText(painter, QRectF(inner.left(), inner.top(), letterWidth, inner.height()),
              Qt::AlignLeft | Qt::AlignVCenter, letter, bold, ink);
    paintText(painter, rest, Qt::AlignLeft | Qt::AlignVCenter, name, font, ink);
}

// Calls visit(bar, its rectangle) for every visible bar of at least `narrowest` units.
template <typename Visit>
void forWideBars(const Scene& scene, Lane lane, std::span<const Bar> bars, double narrowest,
                 const Visit& visit) {
    const double scale = scene.map().pixelsPerNs();
    const BarWindow window = visibleBars(bars, scene.range);
    for (std::size_t i = window.first; i < window.last; ++i) {
        if (static_cast<double>(bars[i].toNs - bars[i].fromNs) * scale < narrowest)
            continue;
        const QRectF shown = barRect(scene, lane, bars[i]);
        if (shown.width() > 0)
            visit(bars[i], shown);
    }
}

void paintLane(QPainter& painter, const Scene& scene, Lane lane) {
    const Theme& theme = *scene.theme;
    const QRectF rect = laneRect(scene.area, lane);
    const ColumnGrid grid{scene.range, scene.columnCount()};
    const BarColors colors = barColors(theme);
    const std::span<const Bar> bars = scene.picture->bars(lane);
    const std::span<const Bar> stalls =
        lane == Lane::Compute ? scene.picture->stalls() : std::span<const Bar>();
    painter.fillRect(rect, theme.field);
    // On screens the columns carry everything, which gives wide bars soft edges; vector files get exact
    // rectangles from one unit (two columns) on.
    const std::vector<LaneColumn> all =
        laneColumns(*scene.picture, lane, grid, std::numeric_limits<double>::infinity());
    if (!scene.vector) {
        paintColumns(painter, scene, rect, blendColumns(all, colors, theme.field));
    } else {
        paintColumns(painter, scene, rect,
                     blendColumns(laneColumns(*scene.picture, lane, grid, 2), colors, theme.field));
        for (const std::span<const Bar> some : {bars, stalls}) {
            forWideBars(scene, lane, some, 1, [&](const Bar& bar, const QRectF& shown) {
                painter.fillRect(shown, colorOf(theme, bar.kind));
            });
        }
    }
    paintHatches(painter, scene, rect, all);
    for (const std::span<const Bar> some : {bars, stalls}) {
        forWideBars(scene, lane, some, separatedFrom, [&](const Bar& bar, const QRectF& shown) {
            if (shown.width() >= 2)
                paintDetails(painter, scene, bar, shown, static_cast<double>(bar.toNs) > scene.range.toNs);
        });
    }
}

// A pinned plan: the same lane as a thin strip under it.
void paintBaseline(QPainter& painter, const Scene& scene, Lane lane) {
    const QRectF rect = laneRect(scene.area, lane);
    const QRectF strip(rect.left(), rect.bottom() + 2, rect.width(), 3);
    const ColumnGrid grid{scene.range, scene.columnCount()};
    const std::vector<LaneColumn> columns =
        laneColumns(*scene.baseline, lane, grid, std::numeric_limits<double>::infinity());
    painter.fillRect(strip, scene.theme->field);
    paintColumns(painter, scene, strip, blendColumns(columns, barColors(*scene.theme), scene.theme->field));
}

void paintPasses(QPainter& painter, const Scene& scene) {
    const Theme& theme = *scene.theme;
    const QRectF strip = passStrip(scene.area);
    const double border = std::clamp(scene.map().pixel(static_cast<double>(scene.picture->backwardStartNs())),
                                     strip.left(), strip.right());
    const double end = std::clamp(scene.map().pixel(static_cast<double>(scene.picture->stepNs())),
                                  strip.left(), strip.right());
    const QFont font = productFont(11);
    const auto label = [&](double from, double to, const QString& text) {
        const double needed = QFontMetricsF(font).horizontalAdvance(text) + 4;
        if (to - from >= needed)
            paintText(painter, QRectF(from, strip.top(), to - from, strip.height() - 2),
                      Qt::AlignLeft | Qt::AlignVCenter, text, font, theme.secondaryText);
    };
    label(strip.left(), border - 6, Words::tr("forward pass"));
    label(border + (border > strip.left() ? 6 : 0), end, Words::tr("backward pass"));
    if (border <= strip.left() || border >= strip.right())
        return;
    const double x = std::round(border);
    const int dashes = static_cast<int>(std::ceil((scene.area.bottom() - strip.top() - 2) / 6));
    for (int i = 0; i < dashes; ++i) {
        const double y = strip.top() + 2 + 6.0 * i;
        painter.fillRect(QRectF(x, y, 1, std::min(3.0, scene.area.bottom() - y)), theme.secondaryText);
    }
}

void paintRefusal(QPainter& painter, const Scene& scene) {
    for (const Lane lane : allLanes)
        painter.fillRect(laneRect(scene.area, lane), scene.theme->field);
    const QString sentence = scene.picture->infeasibleSentence();
    const QFont font = productFont(13, QFont::Medium);
    const QRectF room = scene.area.adjusted(16, 0, -16, 0);
    QRectF needed = QFontMetricsF(font).boundingRect(room, Qt::AlignCenter | Qt::TextWordWrap, sentence);
    needed = needed.adjusted(-14, -9, 14, 9).intersected(scene.area);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(scene.theme->bad, 1));
    painter.setBrush(scene.theme->badGround);
    painter.drawRoundedRect(needed.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    painter.setFont(font);
    painter.setPen(scene.theme->text);
    painter.drawText(needed.adjusted(12, 4, -12, -4), Qt::AlignCenter | Qt::TextWordWrap, sentence);
    painter.restore();
}

} // namespace

QRectF passStrip(const QRectF& area) {
    return {area.left(), area.top(), area.width(), std::min(passHeight, area.height() / 4)};
}

QRectF laneRect(const QRectF& area, Lane lane) {
    const double top = std::round(passStrip(area).bottom());
    const double room = area.bottom() - top;
    const double gap = std::round(std::min(widestGap, room * 0.08));
    const double lanes = room - 2 * gap - 2;
    const double copies = std::floor(lanes * 0.27);
    const double compute = std::floor(lanes) - 2 * copies;
    switch (lane) {
    case Lane::Compute:
        return {area.left(), top, area.width(), compute};
    case Lane::DeviceToHost:
        return {area.left(), top + compute + gap, area.width(), copies};
    case Lane::HostToDevice:
        return {area.left(), top + compute + copies + 2 * gap, area.width(), copies};
    }
    return {};
}

QString laneName(Lane lane) {
    switch (lane) {
    case Lane::Compute:
        return Words::tr("Compute");
    case Lane::DeviceToHost:
        return Words::tr("Device → host");
    case Lane::HostToDevice:
        return Words::tr("Host → device");
    }
    return {};
}

QString barLetter(BarKind kind) {
    switch (kind) {
    case BarKind::Forward:
        return QStringLiteral("F");
    case BarKind::Backward:
        return QStringLiteral("B");
    case BarKind::Recompute:
        return QStringLiteral("R");
    case BarKind::Offload:
        return QStringLiteral("O");
    case BarKind::Prefetch:
        return QStringLiteral("P");
    case BarKind::MemoryStall:
    case BarKind::TransferStall:
        return QStringLiteral("S");
    }
    return {};
}

QRectF barRect(const Scene& scene, Lane lane, const Bar& bar) {
    const QRectF rect = laneRect(scene.area, lane);
    const TimeMap map = scene.map();
    const double left = std::clamp(map.pixel(static_cast<double>(bar.fromNs)), rect.left(), rect.right());
    const double right = std::clamp(map.pixel(static_cast<double>(bar.toNs)), rect.left(), rect.right());
    return {left, rect.top(), right - left, rect.height()};
}

void paintBar(QPainter& painter, const Scene& scene, Lane lane, const Bar& bar, double minimumWidth) {
    const QRectF whole = laneRect(scene.area, lane);
    QRectF shown = barRect(scene, lane, bar);
    if (shown.width() < minimumWidth) {
        shown.setLeft(
            std::clamp(shown.center().x() - minimumWidth / 2, whole.left(), whole.right() - minimumWidth));
        shown.setWidth(minimumWidth);
    }
    const QColor& color = colorOf(*scene.theme, bar.kind);
    painter.fillRect(shown, color);
    paintHatch(painter, shown, hatchOf(bar.kind), scene.theme->hatchOn(color), hatchGap, 1.6);
    if (shown.width() >= separatedFrom)
        paintDetails(painter, scene, bar, shown, true);
}

void paintLanes(QPainter& painter, const Scene& scene) {
    if (scene.area.width() < 1 || scene.area.height() < 12)
        return;
    if (!scene.picture->feasible()) {
        paintRefusal(painter, scene);
        return;
    }
    for (const Lane lane : allLanes) {
        paintLane(painter, scene, lane);
        if (scene.baseline && scene.baseline->feasible())
            paintBaseline(painter, scene, lane);
    }
    paintPasses(painter, scene);
}

} // namespace slackscope::figures
