// Timeline and memory of a step on one shared time axis.
//
// Wheel zooms at the cursor, drag pans, Shift+drag selects a stretch of time, click selects the tensor,
// double click or F fits the selection, Home or 0 fits all, W/S zoom, A/D pan, + and - zoom, Alt+Left/Right
// walk the zoom history, Escape clears the stretch and the selection.
#pragma once

#include "ui/figures/step_picture.h"
#include "ui/figures/theme.h"
#include "ui/figures/time_view.h"

#include <QWidget>

#include <memory>
#include <optional>

namespace slackscope::figures {

class StepPlot : public QWidget {
    Q_OBJECT
public:
    explicit StepPlot(QWidget* parent = nullptr);
    ~StepPlot() override;

    // The next picture, or nullptr for none. The view stays where the new step allows it: a view of the
    // whole step shows the whole new step.
    void setPicture(std::shared_ptr<const StepPicture> picture);
    const std::shared_ptr<const StepPicture>& picture() const;
    // A pinned plan, as ghost outlines; nullptr = none.
    void setBaseline(std::shared_ptr<const StepPicture> baseline);
    void setTheme(const Theme& theme);
    // Shows a selection made elsewhere; emits nothing.
    void setSelection(const Selection& selection);
    const Selection& selection() const;
    void setStacked(bool stacked);
    bool isStacked() const;
    // Where the budget line stands while the next plan is on its way; absent = the picture's own budget.
    void setBudget(std::optional<Bytes> budget);
    // Budgets outside are not reached by dragging.
    void setBudgetLimits(Bytes smallest, Bytes largest);
    void setPlayhead(std::optional<Nanoseconds> at);
    std::optional<Nanoseconds> playhead() const;

    TimeRange viewRange() const;
    void setViewRange(TimeRange range); // enters the zoom history
    std::optional<RangeReadout> rangeReadout() const;
    bool canGoBack() const;
    bool canGoForward() const;

    // Where things are, in this widget's coordinates; for tests, lessons that point, and accessibility.
    QRectF laneRect(Lane lane) const;
    QRectF memoryRect() const;
    double pixelOf(double ns) const;
    double pixelOfBytes(Bytes bytes) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

public slots:
    void zoomIn();
    void zoomOut();
    void panLeft();
    void panRight();
    void fitAll();
    void fitSelection();
    void viewBack();
    void viewForward();
    void clearRange();

signals:
    void selectionChanged(const slackscope::figures::Selection& selection); // by the user
    void hovered(const slackscope::figures::HoverInfo& info);
    void viewRangeChanged(slackscope::figures::TimeRange range);
    void rangeSelected(const std::optional<slackscope::figures::RangeReadout>& readout);
    void budgetDragged(slackscope::Bytes bytes);
    void budgetDragFinished(slackscope::Bytes bytes);
    void playheadDragged(slackscope::Nanoseconds at);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace slackscope::figures
