// The decision map in any rectangle of any painter, and where its cells lie.
#pragma once

#include "ui/figures/step_picture.h"
#include "ui/figures/theme.h"

#include <QPainter>
#include <QRectF>
#include <QRegion>

#include <vector>

namespace slackscope::figures {

// Slots of equal size in a rectangle, with room for row labels at the left and column labels below.
class DecisionLayout {
public:
    DecisionLayout() = default;
    DecisionLayout(const DecisionGrid& grid, const QRectF& area);

    QRectF cells() const { return cells_; } // all slots
    QRectF cellRect(const DecisionCell& cell) const;
    std::int32_t cellAt(const DecisionGrid& grid, QPointF position) const; // none: no cell there
    std::vector<std::int32_t> cellsIn(const DecisionGrid& grid, const QRectF& band) const;
    double slotWidth() const { return slotWidth_; }
    double slotHeight() const { return slotHeight_; }
    QRectF rowLabel(std::int32_t row) const;
    // Every how many rows or columns a label has room.
    int rowLabelStep() const { return rowLabelStep_; }
    int columnLabelStep() const { return columnLabelStep_; }

private:
    QRectF area_;
    QRectF cells_;
    double slotWidth_ = 0;
    double slotHeight_ = 0;
    double gap_ = 0;
    int rowLabelStep_ = 1;
    int columnLabelStep_ = 1;
};

inline constexpr double decisionHeaderHeight = 36;
// Where the cells and labels go in a panel of this size, below its header.
QRectF decisionArea(const QRectF& panel);
// Height of a panel at which rows are easy to read.
double wantedDecisionHeight(const DecisionGrid& grid);

struct DecisionScene {
    const StepPicture* picture = nullptr; // may be null: an empty panel
    const Theme* theme = nullptr;
    QRectF panel;
    bool bytes = false; // cells filled in proportion to their bytes
    QRegion only;       // paint what lies in here only; the painter is clipped to it. Empty: all
};

// Where the scene differs from the same scene of another plan of the same profile; empty: anywhere.
QRegion decisionChanges(const DecisionScene& scene, const StepPicture& before);

// Ground, header with legend, labels, cells.
void paintDecisions(QPainter& painter, const DecisionScene& scene);

} // namespace slackscope::figures
