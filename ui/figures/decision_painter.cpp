#include "ui/figures/decision_painter.h"

#include "ui/figures/format.h"
#include "ui/figures/marks.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace slackscope::figures {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(DecisionMap)
};

constexpr double padding = 16;
constexpr double widestSlot = 120;
constexpr double highestSlot = 34;
constexpr double columnLabelHeight = 18;
constexpr double rowLabelHeight = 10; // closer rows share a label
constexpr double leastLettered = 8;   // width and height of a cell with a letter

QFont labelFont(double slotHeight = highestSlot) {
    return productFont(std::clamp(slotHeight, 10.0, 11.0));
}

// Hatch and letter of a cell, or what stands for them where it is too small.
void paintCellMarks(QPainter& painter, const QRectF& cell, const QRectF& filled, Decision decision,
                    const Theme& theme) {
    if (cell.width() < leastLettered || cell.height() < leastLettered) {
        paintSmallDecision(painter, filled, decision, theme);
        return;
    }
    const QColor& color = decisionColor(theme, decision);
    if (filled.width() >= 5 && filled.height() >= 5)
        paintHatch(painter, filled, decisionHatch(decision), theme.hatchOn(color), 7, 1.4);
    const double size = std::clamp(std::min(cell.height() - 2, cell.width() * 1.2), 7.0, 11.0);
    const QFont font = productFont(size, QFont::DemiBold);
    const QString letter = decisionLetter(decision);
    // A cell that is only partly filled carries its letter on the card.
    if (filled.height() <= cell.height() * 0.75)
        paintText(painter, cell, Qt::AlignCenter, letter, font, theme.text);
    else if (decisionHatch(decision) != Hatch::None)
        paintLetter(painter, cell, letter, font, color, theme);
    else
        paintText(painter, cell, Qt::AlignCenter, letter, font, theme.inkOn(color));
}

void paintCell(QPainter& painter, const DecisionScene& scene, const DecisionLayout& layout,
               const DecisionCell& cell) {
    const Theme& theme = *scene.theme;
    const QRectF rect = layout.cellRect(cell);
    const std::optional<Decision> decision = scene.picture->decision(cell.tensor);
    const QColor& color = decisionColor(theme, decision);
    QRectF filled = rect;
    if (scene.bytes) {
        painter.fillRect(rect, mixed(theme.card, color, theme.isDark ? 0.16 : 0.2));
        const Bytes largest = std::max<Bytes>(scene.picture->grid().largestBytes, 1);
        const double share = static_cast<double>(scene.picture->graph().tensor(cell.tensor).bytes) /
                             static_cast<double>(largest);
        const double height = std::max(rect.height() * share, std::min(1.5, rect.height()));
        filled = QRectF(rect.left(), rect.bottom() - height, rect.width(), height);
    }
    const bool isRounded = rect.width() >= 9 && rect.height() >= 9 && !scene.bytes;
    if (isRounded) {
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawRoundedRect(filled, 2.5, 2.5);
        painter.restore();
    } else {
        painter.fillRect(filled, color);
    }
    if (decision)
        paintCellMarks(painter, rect, isRounded ? filled.adjusted(1, 1, -1, -1) : filled, *decision, theme);
}

// Pinned: the upper right corner turned down, or, in cells too small for that, a dot.
void paintPinMark(QPainter& painter, const QRectF& cell, const Theme& theme) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(theme.card, 1));
    painter.setBrush(theme.text);
    const double size = std::min(cell.width(), cell.height());
    if (size >= 7) {
        const double fold = std::clamp(size * 0.5, 5.0, 8.0);
        painter.drawPolygon(QPolygonF(
            {cell.topRight() - QPointF(fold, 0), cell.topRight(), cell.topRight() + QPointF(0, fold)}));
    } else {
        // On whole pixels, or so small a dot would be a blur.
        const double side = std::max(std::floor(size * 0.5), 2.0);
        const QPointF corner(std::round(cell.center().x() - side / 2),
                             std::round(cell.center().y() - side / 2));
        painter.fillRect(QRectF(corner, QSizeF(side, side)).adjusted(-1, -1, 1, 1), theme.card);
        painter.fillRect(QRectF(corner, QSizeF(side, side)), theme.text);
    }
    painter.restore();
}

QString subtitleOf(const DecisionScene& scene) {
    QStringList parts;
    if (scene.bytes)
        parts += Words::tr("cells filled by bytes");
    if (scene.picture && !scene.picture->plan().pins.empty())
        parts += Words::tr("%1 pinned, marked at the corner").arg(scene.picture->plan().pins.size());
    return parts.join(QStringLiteral(" · "));
}

std::vector<LegendEntry> legendOf(const StepPicture& picture, const Theme& theme) {
    std::array<Bytes, allDecisions.size()> bytes{};
    std::array<int, allDecisions.size()> counts{};
    for (const DecisionCell& cell : picture.grid().cells) {
        if (const std::optional<Decision> decision = picture.decision(cell.tensor)) {
            bytes[static_cast<std::size_t>(*decision)] += picture.graph().tensor(cell.tensor).bytes;
            ++counts[static_cast<std::size_t>(*decision)];
        }
    }
    if (!picture.feasible())
        return {{theme.undecided, QString(), Hatch::None, Words::tr("undecided: infeasible")}};
    const auto entry = [&](Decision decision) {
        const auto i = static_cast<std::size_t>(decision);
        return decisionEntry(
            theme, decision,
            Words::tr("%1 %2 · %3").arg(decisionWord(decision)).arg(counts[i]).arg(formatBytes(bytes[i])));
    };
    return {entry(Decision::Keep), entry(Decision::Offload), entry(Decision::Recompute)};
}

// The pixels that a cell may touch.
QRect spotOf(const QRectF& cell) {
    return cell.toAlignedRect().adjusted(-1, -1, 1, 1);
}

void paintLabels(QPainter& painter, const DecisionGrid& grid, const DecisionLayout& layout,
                 const Theme& theme) {
    const QFont font = labelFont();
    const QFont rowFont = labelFont(layout.slotHeight());
    const auto rows = static_cast<std::int32_t>(grid.rows.size());
    for (std::int32_t row = 0; row < rows; row += layout.rowLabelStep())
        paintText(painter, layout.rowLabel(row), Qt::AlignRight | Qt::AlignVCenter,
                  grid.rows[static_cast<std::size_t>(row)], rowFont, theme.secondaryText);
    const QRectF cells = layout.cells();
    const auto columns = static_cast<std::int32_t>(grid.columns.size());
    const QFontMetricsF metrics(font);
    // "in" and "out" are never left out; a number that would touch them is.
    double taken = cells.left() - 100;
    const auto label = [&](std::int32_t column, double limit) {
        QString text = grid.columns[static_cast<std::size_t>(column)];
        if (text.isEmpty())
            return;
        if (grid.shape == DecisionGrid::Shape::Layers && text == QStringLiteral("0"))
            text = Words::tr("layer 0");
        const double width = std::ceil(metrics.horizontalAdvance(text)) + 2;
        const double center = cells.left() + (column + 0.5) * layout.slotWidth();
        const double left = std::clamp(center - width / 2, cells.left() - 20, cells.right() + 12 - width);
        if (left < taken + 6 || left + width > limit)
            return;
        taken = left + width;
        paintText(painter, QRectF(left, cells.bottom() + 3, width, columnLabelHeight - 3),
                  Qt::AlignHCenter | Qt::AlignTop, text, font, theme.secondaryText);
    };
    if (columns == 0)
        return;
    const bool lastIsWord =
        grid.shape == DecisionGrid::Shape::Layers && columns > 1 && !grid.columns.back().front().isDigit();
    const double limit = lastIsWord ? cells.right() - std::max(layout.slotWidth(), 26.0) : cells.right() + 12;
    // Labelled columns start at layer 0, also where a column "in" stands before it.
    const std::int32_t first =
        grid.shape == DecisionGrid::Shape::Layers && !grid.columns.front().front().isDigit() ? 1 : 0;
    if (first == 1)
        label(0, cells.right() + 12);
    for (std::int32_t column = first; column < columns - (lastIsWord ? 1 : 0);
         column += layout.columnLabelStep())
        label(column, limit);
    if (lastIsWord)
        label(columns - 1, cells.right() + 12);
}

} // namespace

DecisionLayout::DecisionLayout(const DecisionGrid& grid, const QRectF& area) : area_(area) {
    const auto rows = static_cast<double>(std::max<std::size_t>(grid.rows.size(), 1));
    const auto columns = static_cast<double>(std::max<std::size_t>(grid.columns.size(), 1));
    const QFontMetricsF metrics(labelFont());
    double widest = 0;
    for (const QString& row : grid.rows)
        widest = std::max(widest, std::ceil(metrics.horizontalAdvance(row)) + 1);
    widest = std::min(widest, area.width() * 0.3);
    double left = area.left() + widest + 12;
    double width = std::max(area.right() - left, 1.0);
    slotWidth_ = std::min(width / columns, widestSlot);
    slotHeight_ = std::min(std::max(area.height() - columnLabelHeight, 1.0) / rows, highestSlot);
    // Whole pixels where that costs little, so that all cells look alike.
    if (slotWidth_ >= 8)
        slotWidth_ = std::floor(slotWidth_ * 2) / 2;
    if (slotHeight_ >= 8)
        slotHeight_ = std::floor(slotHeight_);
    gap_ = std::min({slotWidth_, slotHeight_}) >= 8 ? 2 : (std::min(slotWidth_, slotHeight_) >= 4 ? 1 : 0);
    left = std::round(left);
    cells_ = QRectF(left, area.top(), slotWidth_ * columns, slotHeight_ * rows);
    rowLabelStep_ = std::max(1, static_cast<int>(std::ceil(rowLabelHeight / slotHeight_)));
    // A column label takes about 30 units.
    static constexpr std::array<int, 10> steps{1, 2, 4, 5, 8, 10, 16, 20, 50, 100};
    columnLabelStep_ = steps.back();
    for (const int step : steps) {
        if (step * slotWidth_ >= 30) {
            columnLabelStep_ = step;
            break;
        }
    }
}

QRectF DecisionLayout::cellRect(const DecisionCell& cell) const {
    const double left = cells_.left() + cell.column * slotWidth_;
    const double inner = std::max(slotWidth_ - gap_, slotWidth_ * 0.5);
    const double part = inner / cell.parts;
    const double partGap = cell.parts > 1 && part >= 4 && cell.part + 1 < cell.parts ? 1 : 0;
    return {left + cell.part * part, cells_.top() + cell.row * slotHeight_, part - partGap,
            std::max(slotHeight_ - gap_, slotHeight_ * 0.5)};
}

std::int32_t DecisionLayout::cellAt(const DecisionGrid& grid, QPointF position) const {
    if (grid.cells.empty() || !cells_.contains(position))
        return none;
    const auto columns = static_cast<int>(grid.columns.size());
    const int column =
        std::clamp(static_cast<int>((position.x() - cells_.left()) / slotWidth_), 0, columns - 1);
    const int row = std::clamp(static_cast<int>((position.y() - cells_.top()) / slotHeight_), 0,
                               static_cast<int>(grid.rows.size()) - 1);
    const std::size_t slot =
        static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
    const std::int32_t first = grid.firstCell[slot];
    const std::int32_t count = grid.firstCell[slot + 1] - first;
    if (count == 0)
        return none;
    const double within = position.x() - cells_.left() - column * slotWidth_;
    const double inner = std::max(slotWidth_ - gap_, slotWidth_ * 0.5);
    return first + std::clamp(static_cast<int>(within / inner * count), 0, count - 1);
}

std::vector<std::int32_t> DecisionLayout::cellsIn(const DecisionGrid& grid, const QRectF& band) const {
    std::vector<std::int32_t> found;
    for (std::size_t i = 0; i < grid.cells.size(); ++i) {
        if (cellRect(grid.cells[i]).intersects(band))
            found.push_back(static_cast<std::int32_t>(i));
    }
    return found;
}

QRectF DecisionLayout::rowLabel(std::int32_t row) const {
    const double height = std::max(slotHeight_, rowLabelHeight);
    const double center = cells_.top() + (row + 0.5) * slotHeight_ - gap_ / 2;
    return {area_.left(), center - height / 2, cells_.left() - 10 - area_.left(), height};
}

double wantedDecisionHeight(const DecisionGrid& grid) {
    constexpr double comfortableSlot = 17;
    return decisionHeaderHeight + 12 + columnLabelHeight +
           comfortableSlot * static_cast<double>(grid.rows.size());
}

QRectF decisionArea(const QRectF& panel) {
    return panel.adjusted(padding, decisionHeaderHeight + 4, -padding, -8);
}

QRegion decisionChanges(const DecisionScene& scene, const StepPicture& before) {
    const StepPicture& now = *scene.picture;
    if (&now.grid() != &before.grid() || now.plan().pins != before.plan().pins)
        return {};
    const DecisionLayout layout(now.grid(), decisionArea(scene.panel));
    // The header counts the decisions.
    QRegion changes(
        QRectF(scene.panel.topLeft(), QSizeF(scene.panel.width(), decisionHeaderHeight + 2)).toAlignedRect());
    for (const DecisionCell& cell : now.grid().cells) {
        if (now.decision(cell.tensor) != before.decision(cell.tensor))
            changes += spotOf(layout.cellRect(cell));
    }
    return changes;
}

void paintDecisions(QPainter& painter, const DecisionScene& scene) {
    const Theme& theme = *scene.theme;
    paintCard(painter, scene.panel, theme);
    const QRectF header(scene.panel.left() + padding, scene.panel.top() + 2,
                        scene.panel.width() - 2 * padding, decisionHeaderHeight);
    paintHeader(painter, header, Words::tr("Decisions"), subtitleOf(scene),
                scene.picture ? legendOf(*scene.picture, theme) : std::vector<LegendEntry>{}, theme);
    if (!scene.picture)
        return;
    const DecisionGrid& grid = scene.picture->grid();
    const QRectF area = decisionArea(scene.panel);
    if (area.width() < 40 || area.height() < 20)
        return;
    if (grid.cells.empty()) {
        paintText(painter, area, Qt::AlignCenter,
                  Words::tr("No backward pass reads any tensor of this profile."), productFont(13),
                  theme.secondaryText);
        return;
    }
    const DecisionLayout layout(grid, area);
    paintLabels(painter, grid, layout, theme);
    const auto isWanted = [&](const DecisionCell& cell) {
        return scene.only.isEmpty() || scene.only.intersects(spotOf(layout.cellRect(cell)));
    };
    for (const DecisionCell& cell : grid.cells) {
        if (isWanted(cell))
            paintCell(painter, scene, layout, cell);
    }
    for (const Pin& pin : scene.picture->plan().pins) {
        const std::int32_t cell = grid.cellOfTensor[static_cast<std::size_t>(pin.tensor)];
        if (cell != none)
            paintPinMark(painter, layout.cellRect(grid.cells[static_cast<std::size_t>(cell)]), theme);
    }
}

} // namespace slackscope::figures
