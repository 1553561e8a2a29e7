// Timeline and memory laid out in one QCustomPlot: what the window and the export share. Only its own source
// and those that paint include qcustomplot.h, which is slow to compile.
#pragma once

#include "ui/figures/lane_painter.h"
#include "ui/figures/memory_painter.h"

#include <functional>
#include <memory>
#include <optional>

class QCustomPlot;

namespace slackscope::figures {

struct StepFigureParts {
    bool timeline = true;
    bool memory = true;
    bool hasHandle = false; // the budget line shows that it can be dragged
};

class StepFigure {
public:
    // Sets up `plot`, which must outlive this.
    StepFigure(QCustomPlot& plot, StepFigureParts parts);
    ~StepFigure();

    void setPicture(std::shared_ptr<const StepPicture> picture);
    void setBaseline(std::shared_ptr<const StepPicture> baseline);
    void setTheme(const Theme& theme);
    void setStacked(bool stacked);
    void setBudget(std::optional<Bytes> budget);
    void setRange(TimeRange range);
    // Painted over everything, buffered on its own: cheap to repaint.
    void setOverlay(std::function<void(QPainter&)> paint);

    const std::shared_ptr<const StepPicture>& picture() const;
    const Theme& theme() const;
    bool isStacked() const;
    Bytes budget() const; // of the line
    TimeRange range() const;
    TimeRange whole() const; // the step, or the longer baseline
    // For screens; the areas are null where the part is not shown.
    Scene laneScene() const;
    MemoryScene memoryScene() const;

    void replot();        // at the next turn of the event loop; many calls make one
    void replotNow();     // at once
    void replotMarks();   // at once, budget line and peak only
    void replotOverlay(); // at once, the overlay only
    // Before painting at a size other than the widget's: ticks follow the size.
    void adaptTicks(int width, int height);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace slackscope::figures
