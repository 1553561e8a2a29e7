// Throughput against budget, live: the marker is the budget and can be dragged.
//
// A click or a drag sets the budget; arrows step half a percent, Page keys five, Home and End go to the ends.
// A click on the name of a line chooses its strategy. The pointer reads what was computed at the nearest
// budget.
#pragma once

#include "ui/figures/tradeoff_painter.h"

#include <QWidget>

#include <memory>

namespace slackscope::figures {

class TradeoffPlot : public QWidget {
    Q_OBJECT
public:
    explicit TradeoffPlot(QWidget* parent = nullptr);
    ~TradeoffPlot() override;

    // Greyed when `isStale`: of a profile or a plan that is no longer wanted. nullptr: nothing to show.
    void setCurves(std::shared_ptr<const TradeoffCurves> curves, bool isStale);
    const std::shared_ptr<const TradeoffCurves>& curves() const;
    bool isStale() const;
    // The id of the strategy in use.
    void setStrategy(const std::string& id);
    // Where the budget stands, and what the plan there gives; absent: there is no budget.
    void setMarker(std::optional<TradeoffMarker> marker);
    void setSmallestBudget(double fraction);
    void setTheme(const Theme& theme);
    // In place of the figure while there is none.
    void setMessage(const QString& message);

    // Where things are, in this widget's coordinates.
    const TradeoffLayout& places() const;
    QPointF markerPosition() const; // on the budget axis

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void budgetMoved(double fraction, bool newGesture); // by the user
    void strategyChosen(const QString& id);             // likewise

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace slackscope::figures
