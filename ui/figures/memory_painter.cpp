#include "ui/figures/memory_painter.h"

#include "ui/figures/format.h"
#include "ui/figures/marks.h"
#include "ui/figures/pixel_columns.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace slackscope::figures {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(MemoryFigure)
};

// Columns in units of the area: x of a column's left edge.
struct ColumnEdges {
    double left;
    double width;
    double operator()(int column) const { return left + column * width; }
};

ColumnEdges edgesOf(const Scene& scene, int count) {
    return {scene.area.left(), scene.area.width() / std::max(count, 1)};
}

// Area between two heights per column. Rectangles on screens (large polygons are what Qt's rasteriser is
// slow at), one path in vector files (no seams).
void fillBetween(QPainter& painter, const MemoryScene& scene,
                 const std::vector<std::pair<Bytes, Bytes>>& spans, const QColor& color) {
    const ColumnEdges x = edgesOf(scene, static_cast<int>(spans.size()));
    const auto y = [&](Bytes bytes) {
        return std::clamp(scene.y(static_cast<double>(bytes)), scene.area.top(), scene.area.bottom());
    };
    if (!scene.vector) {
        for (const ColumnRun<std::pair<Bytes, Bytes>>& run : joined(spans)) {
            const double top = y(run.value.second);
            const double bottom = y(run.value.first);
            if (bottom > top)
                painter.fillRect(QRectF(x(run.from), top, x(run.to) - x(run.from), bottom - top), color);
        }
        return;
    }
    QPolygonF outline;
    QPolygonF back;
    for (const ColumnRun<std::pair<Bytes, Bytes>>& run : joined(spans)) {
        outline << QPointF(x(run.from), y(run.value.second)) << QPointF(x(run.to), y(run.value.second));
        back << QPointF(x(run.from), y(run.value.first)) << QPointF(x(run.to), y(run.value.first));
    }
    std::reverse(back.begin(), back.end());
    painter.save();
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawPolygon(outline + back);
    painter.restore();
}

// The step line through the columns, `dash` columns drawn and as many left out (0 = unbroken).
void strokeColumns(QPainter& painter, const MemoryScene& scene, const std::vector<ValueColumn>& columns,
                   const QColor& color, double width, int dash) {
    const ColumnEdges x = edgesOf(scene, static_cast<int>(columns.size()));
    const QRectF& area = scene.area;
    for (const ColumnRun<ValueColumn>& run : joined(columns)) {
        double top = scene.y(static_cast<double>(run.value.high)) - width / 2;
        double bottom = scene.y(static_cast<double>(run.value.low)) + width / 2;
        top = std::max(top, area.top());
        bottom = std::min(bottom, area.bottom());
        if (bottom <= top)
            continue;
        if (dash == 0) {
            painter.fillRect(QRectF(x(run.from), top, x(run.to) - x(run.from), bottom - top), color);
            continue;
        }
        for (int column = run.from; column < run.to;) {
            const int phase = column % (2 * dash);
            const int next = std::min(run.to, column + (phase < dash ? dash - phase : 2 * dash - phase));
            if (phase < dash)
                painter.fillRect(QRectF(x(column), top, x(next) - x(column), bottom - top), color);
            column = next;
        }
    }
}

// Nothing is resident once the step has ended.
template <typename Column>
void endAt(Nanoseconds stepNs, const ColumnGrid& grid, std::vector<Column>& columns) {
    const double end = std::ceil((static_cast<double>(stepNs) - grid.range.fromNs) * grid.columnsPerNs());
    const auto kept = static_cast<std::size_t>(std::clamp(end, 0.0, static_cast<double>(columns.size())));
    std::fill(columns.begin() + static_cast<std::ptrdiff_t>(kept), columns.end(), Column{});
}

std::vector<ValueColumn> curveColumns(std::span<const MemoryPoint> points, Nanoseconds stepNs,
                                      const ColumnGrid& grid) {
    std::vector<ValueColumn> columns = valueColumns(points, grid);
    endAt(stepNs, grid, columns);
    return columns;
}

void paintStack(QPainter& painter, const MemoryScene& scene, const ColumnGrid& grid) {
    std::vector<MemoryParts> columns = stackColumns(scene.picture->memoryParts(), grid);
    endAt(scene.picture->stepNs(), grid, columns);
    std::vector<std::pair<Bytes, Bytes>> spans(columns.size());
    const auto fill = [&](auto&& bottom, auto&& top, const QColor& color) {
        std::transform(columns.begin(), columns.end(), spans.begin(),
                       [&](const MemoryParts& parts) { return std::pair(bottom(parts), top(parts)); });
        fillBetween(painter, scene, spans, color);
    };
    const auto nothing = [](const MemoryParts&) { return Bytes{0}; };
    const auto first = [](const MemoryParts& parts) { return parts.activations; };
    const auto second = [](const MemoryParts& parts) { return parts.activations + parts.gradients; };
    const auto third = [](const MemoryParts& parts) { return parts.sum(); };
    fill(nothing, first, scene.theme->activations);
    fill(first, second, scene.theme->gradients);
    fill(second, third, scene.theme->workspaces);
}

// A label on a patch of the card's colour, so that no line runs through it.
void paintLabel(QPainter& painter, const MemoryScene& scene, const QRectF& rect, const QString& text,
                const QFont& font, const QColor& color) {
    QColor patch = scene.theme->card;
    patch.setAlphaF(0.86F);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(patch);
    painter.drawRoundedRect(rect, 3, 3);
    painter.restore();
    paintText(painter, rect, Qt::AlignCenter, text, font, color);
}

class MarkPainter {
public:
    MarkPainter(QPainter& painter, const MemoryScene& scene)
        : painter_(painter), scene_(scene), placer_(scene.area.adjusted(2, 1, -2, -1)) {}

    void budgetLine();
    void minimumLine();
    void peak();
    void unlimited();

private:
    QSizeF sizeOf(const QString& text, const QFont& font) const {
        const QFontMetricsF metrics(font);
        return {std::ceil(metrics.horizontalAdvance(text)) + 9, std::ceil(metrics.height()) + 1};
    }
    void dashes(double y, const QColor& color, double thickness);
    void label(const std::vector<QPointF>& topLefts, const QString& text, const QFont& font,
               const QColor& color);

    QPainter& painter_;
    const MemoryScene& scene_;
    LabelPlacer placer_;
};

void MarkPainter::dashes(double y, const QColor& color, double thickness) {
    const QRectF& area = scene_.area;
    const double top = std::clamp(y - thickness / 2, area.top(), area.bottom() - thickness);
    const int count = static_cast<int>(std::ceil(area.width() / 9));
    for (int i = 0; i < count; ++i) {
        const double x = area.left() + 9.0 * i;
        painter_.fillRect(QRectF(x, top, std::min(6.0, area.right() - x), thickness), color);
    }
    placer_.block(QRectF(area.left(), top - 1, area.width(), thickness + 2));
}

void MarkPainter::label(const std::vector<QPointF>& topLefts, const QString& text, const QFont& font,
                        const QColor& color) {
    const QSizeF size = sizeOf(text, font);
    std::vector<QRectF> candidates;
    candidates.reserve(topLefts.size());
    for (const QPointF& topLeft : topLefts)
        candidates.emplace_back(topLeft, size);
    const QRectF place = placer_.place(candidates);
    if (!place.isNull())
        paintLabel(painter_, scene_, place, text, font, color);
}

void MarkPainter::budgetLine() {
    if (scene_.budget == unlimitedBudget)
        return;
    const Theme& theme = *scene_.theme;
    const QRectF& area = scene_.area;
    const bool isAbove = static_cast<double>(scene_.budget) > scene_.topBytes;
    const double y = isAbove ? area.top() : scene_.y(static_cast<double>(scene_.budget));
    if (!isAbove)
        dashes(y, theme.budget, 2);
    if (scene_.hasHandle && !isAbove) {
        const QRectF grip(area.right() - 20, std::clamp(y - 5, area.top(), area.bottom() - 10), 18, 10);
        painter_.save();
        painter_.setRenderHint(QPainter::Antialiasing, true);
        painter_.setPen(QPen(theme.card, 1.5));
        painter_.setBrush(theme.budget);
        painter_.drawRoundedRect(grip, 5, 5);
        painter_.restore();
        placer_.block(grip);
    }
    const QFont font = productFont(12, QFont::DemiBold);
    const Bytes whole = scene_.picture->plan().unlimitedPeakBytes;
    QString text = Words::tr("budget %1").arg(formatBytes(scene_.budget));
    if (whole > 0)
        text += QStringLiteral(" · ") +
                formatPercent(static_cast<double>(scene_.budget) / static_cast<double>(whole));
    if (isAbove)
        text += QStringLiteral(" ↑");
    const QSizeF size = sizeOf(text, font);
    const double right = area.right() - size.width() - (scene_.hasHandle ? 26 : 2);
    label({{right, y - size.height() - 3},
           {right, y + 4},
           {area.left() + 4, y - size.height() - 3},
           {right, y - 2 * size.height() - 6},
           {right, y + size.height() + 7}},
          text, font, theme.budgetText);
}

void MarkPainter::minimumLine() {
    const Bytes minimum = scene_.picture->plan().minimumBudgetBytes;
    const double y = scene_.y(static_cast<double>(minimum));
    dashes(y, scene_.theme->bad, 1);
    const QFont font = productFont(12, QFont::DemiBold);
    const QString text = Words::tr("needs at least %1").arg(formatBytes(minimum));
    const QSizeF size = sizeOf(text, font);
    const double left = scene_.area.left() + 6;
    label({{left, y - size.height() - 3}, {left, y + 4}, {left + size.width(), y - size.height() - 3}}, text,
          font, scene_.theme->bad);
}

void MarkPainter::peak() {
    const StepPicture& picture = *scene_.picture;
    const auto atNs = static_cast<double>(picture.peakNs());
    if (atNs < scene_.range.fromNs || atNs > scene_.range.toNs || picture.peakBytes() == 0)
        return;
    const Theme& theme = *scene_.theme;
    const double x = scene_.map().pixel(atNs);
    const double y = scene_.y(static_cast<double>(picture.peakBytes()));
    painter_.save();
    painter_.setRenderHint(QPainter::Antialiasing, true);
    painter_.setPen(QPen(theme.card, 1.5));
    painter_.setBrush(theme.memory);
    constexpr double radius = 4.5;
    const QPointF center(std::clamp(x, scene_.area.left() + radius, scene_.area.right() - radius),
                         std::clamp(y, scene_.area.top() + radius, scene_.area.bottom() - radius));
    painter_.drawEllipse(center, radius, radius);
    painter_.restore();
    placer_.block(QRectF(center.x() - radius, center.y() - radius, 2 * radius, 2 * radius));
    const QFont font = productFont(12, QFont::DemiBold);
    const QString text = Words::tr("peak %1").arg(formatBytes(picture.peakBytes()));
    const QSizeF size = sizeOf(text, font);
    label({{x + 7, y - size.height() - 3},
           {x - size.width() - 7, y - size.height() - 3},
           {x - size.width() / 2, y + 8},
           {x + 9, y + 6},
           {x - size.width() / 2, y - 2 * size.height() - 6}},
          text, font, theme.text);
}

void MarkPainter::unlimited() {
    const std::span<const MemoryPoint> points = scene_.picture->unlimitedMemory();
    const auto peak =
        std::max_element(points.begin(), points.end(), [](const MemoryPoint& a, const MemoryPoint& b) {
            return a.residentBytes < b.residentBytes;
        });
    if (peak == points.end() || peak->residentBytes == 0)
        return;
    const auto atNs = static_cast<double>(peak->atNs);
    if (atNs < scene_.range.fromNs || atNs > scene_.range.toNs)
        return;
    const double x = scene_.map().pixel(atNs);
    const double y = scene_.y(static_cast<double>(peak->residentBytes));
    const QFont font = productFont(12);
    const QString text = Words::tr("unlimited %1").arg(formatBytes(peak->residentBytes));
    const QSizeF size = sizeOf(text, font);
    label({{x + 8, y - size.height() / 2},
           {x - size.width() - 8, y - size.height() / 2},
           {x - size.width() / 2, y - size.height() - 2},
           {x + 8, y + size.height()}},
          text, font, scene_.theme->secondaryText);
}

} // namespace

double topOfMemory(const StepPicture& picture, const StepPicture* baseline) {
    const Plan& plan = picture.plan();
    Bytes highest = std::max(picture.peakBytes(), plan.unlimitedPeakBytes);
    if (!picture.feasible())
        highest = std::max(highest, plan.minimumBudgetBytes);
    if (baseline)
        highest = std::max(highest, baseline->peakBytes());
    const auto reach = static_cast<double>(highest);
    const auto budget = static_cast<double>(plan.budgetBytes);
    return std::max(1.0, (budget <= reach * 1.25 ? std::max(reach, budget) : reach) * 1.12);
}

double bytesTickStep(double topBytes, int count) {
    double step = 1;
    while (topBytes / step > count)
        step *= 2;
    return step;
}

void paintMemory(QPainter& painter, const MemoryScene& scene) {
    if (scene.area.width() < 1 || scene.area.height() < 8)
        return;
    const Theme& theme = *scene.theme;
    const ColumnGrid grid{scene.range, scene.columnCount()};
    const int dash = std::max(1, static_cast<int>(std::lround(2 * grid.count / scene.area.width())));
    const StepPicture& picture = *scene.picture;
    std::vector<ValueColumn> columns;
    if (picture.feasible()) {
        columns = curveColumns(picture.memory(), picture.stepNs(), grid);
        if (scene.stacked) {
            paintStack(painter, scene, grid);
        } else {
            std::vector<std::pair<Bytes, Bytes>> spans(columns.size());
            std::transform(columns.begin(), columns.end(), spans.begin(),
                           [](const ValueColumn& column) { return std::pair(Bytes{0}, column.high); });
            fillBetween(painter, scene, spans, theme.memoryFill);
        }
    }
    // The ghosts lie over the area and under the curve.
    strokeColumns(painter, scene, curveColumns(picture.unlimitedMemory(), picture.unlimitedStepNs(), grid),
                  theme.ghost, 1.5, dash);
    if (scene.baseline && scene.baseline->feasible())
        strokeColumns(painter, scene, curveColumns(scene.baseline->memory(), scene.baseline->stepNs(), grid),
                      theme.baseline, 1.5, 2 * dash);
    strokeColumns(painter, scene, columns, theme.memory, 1.5, 0);
}

void paintMemoryMarks(QPainter& painter, const MemoryScene& scene) {
    if (scene.area.width() < 1 || scene.area.height() < 8)
        return;
    MarkPainter marks(painter, scene);
    if (!scene.picture->feasible())
        marks.minimumLine();
    marks.budgetLine();
    if (scene.picture->feasible())
        marks.peak();
    marks.unlimited();
}

} // namespace slackscope::figures
