// Resident memory over time: the simulated step function, what fills it, budget line, peak, ghosts.
#pragma once

#include "ui/figures/lane_painter.h"

namespace slackscope::figures {

struct MemoryScene : Scene {
    Bytes budget = 0;    // where the line stands
    double topBytes = 0; // at the upper edge of the area
    bool stacked = false;
    bool hasHandle = false; // a grip on the budget line: it can be dragged
    double y(double bytes) const { return area.bottom() - bytes / topBytes * area.height(); }
};

// The upper edge that shows everything worth showing: the peaks, and a budget that is not far above them.
double topOfMemory(const StepPicture& picture, const StepPicture* baseline);
// Ticks at round powers of two: the step for about `count` ticks up to `topBytes`.
double bytesTickStep(double topBytes, int count);

void paintMemory(QPainter& painter, const MemoryScene& scene);
// Drawn over the rest: budget line, peak and labels.
void paintMemoryMarks(QPainter& painter, const MemoryScene& scene);

} // namespace slackscope::figures
