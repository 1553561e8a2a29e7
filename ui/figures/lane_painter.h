// The timeline: three lanes of bars with stalls, in any rectangle of any painter.
#pragma once

#include "ui/figures/step_picture.h"
#include "ui/figures/theme.h"
#include "ui/figures/time_view.h"

#include <QPainter>
#include <QRectF>

#include <cmath>

namespace slackscope::figures {

// What the painters of lanes and memory have in common.
struct Scene {
    const StepPicture* picture = nullptr;  // never null where something is painted
    const StepPicture* baseline = nullptr; // may be null
    const Theme* theme = nullptr;
    TimeRange range;
    QRectF area;         // the plot area; nothing is painted outside
    bool vector = false; // SVG or PDF: rectangles and paths, no images
    double ratio = 1;    // device pixels per unit, for images
    TimeMap map() const { return {range, area.left(), area.width()}; }
    // Columns of level of detail: device pixels, or half a unit in vector files.
    int columnCount() const { return static_cast<int>(std::lround(area.width() * (vector ? 2.0 : ratio))); }
};

// Where a lane lies in the plot area. Above the first lane is a strip for the names of the passes.
QRectF laneRect(const QRectF& area, Lane lane);
QRectF passStrip(const QRectF& area);
QString laneName(Lane lane);
QString barLetter(BarKind kind);

void paintLanes(QPainter& painter, const Scene& scene);
// One bar with its letter, name and hatch, cut at the lane's ends; `minimumWidth` keeps thin ones visible.
void paintBar(QPainter& painter, const Scene& scene, Lane lane, const Bar& bar, double minimumWidth);
// The bar's rectangle, cut at the lane's ends.
QRectF barRect(const Scene& scene, Lane lane, const Bar& bar);

} // namespace slackscope::figures
