// Where everything of the tradeoff figure lies: axes, lines, the region of the bound, labels at their lines.
#pragma once

#include "ui/figures/tradeoff_curves.h"

#include <QFont>
#include <QLineF>
#include <QPolygonF>
#include <QRectF>

#include <vector>

namespace slackscope::figures {

// The name of a curve, near it.
struct TradeoffLabel {
    std::int32_t curve = -1; // index
    QRectF rect;
    QLineF leader;           // from the label to its line; null where the label lies at it
    bool isInRegion = false; // of the bound
};

// What the region of the bound says, inside it.
struct BoundLabel {
    QRectF rect;
    int pixels = 0; // font size
    int lines = 0;  // 0: no room in the region
};

class TradeoffLayout {
public:
    TradeoffLayout() = default;
    // `frame` holds area, tick labels and axis titles. Labels stay where they were in `previous` as long as
    // that place is about as good as the best.
    TradeoffLayout(const TradeoffCurves& curves, std::string_view emphasized, const QRectF& frame,
                   const TradeoffLayout* previous = nullptr);

    QRectF frame() const { return frame_; }
    QRectF area() const { return area_; } // between the axes
    double lowest() const { return lowest_; }
    double x(Bytes budget) const;
    double y(double throughput) const; // may lie below the area
    Bytes budgetAt(double x) const;    // inside the axis

    // The drawn stretches of a curve, stepped, cut at the lower edge of the area.
    const std::vector<QPolygonF>& lines(std::int32_t curve) const {
        return lines_[static_cast<std::size_t>(curve)];
    }
    std::int32_t curveCount() const { return static_cast<std::int32_t>(lines_.size()); }
    // Where a curve comes from below the area, if it does.
    std::optional<QPointF> exit(std::int32_t curve) const { return exits_[static_cast<std::size_t>(curve)]; }
    // What no program can reach; empty while there is no bound.
    const QPolygonF& boundRegion() const { return boundRegion_; }
    const BoundLabel& boundLabel() const { return boundLabel_; }
    const std::vector<TradeoffLabel>& labels() const { return labels_; }

    std::vector<double> throughputTicks() const;
    std::vector<double> budgetTicks() const; // fractions of the unlimited peak
    // Whether bytes stand below the percentages.
    bool showsBytes() const { return showsBytes_; }
    bool showsTitles() const { return showsTitles_; }

    // The curve whose name is at a place; -1: none.
    std::int32_t labelAt(QPointF position) const;

private:
    void cutLines(const TradeoffCurves& curves);
    void fillBound(const TradeoffCurves& curves);
    void placeBoundLabel();
    void placeLabels(const TradeoffCurves& curves, std::string_view emphasized,
                     const TradeoffLayout* previous);

    QRectF frame_;
    QRectF area_;
    double lowest_ = 0;
    Bytes peak_ = 0;
    bool showsBytes_ = false;
    bool showsTitles_ = true;
    std::vector<std::vector<QPolygonF>> lines_;
    std::vector<std::optional<QPointF>> exits_;
    QPolygonF boundRegion_;
    BoundLabel boundLabel_;
    std::vector<TradeoffLabel> labels_;
};

// The words of the region of the bound, in one line or two.
QStringList boundText(int lines);
QFont tradeoffLabelFont(bool isEmphasized);

} // namespace slackscope::figures
