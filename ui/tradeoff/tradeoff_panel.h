// The tradeoff: throughput against budget of every strategy, swept in the background and refined as it comes,
// with a progress bar and a cancel. Its marker is the budget.
#pragma once

#include "ui/session/session_controller.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QToolButton;

namespace slackscope {

class Look;

namespace figures {
struct TradeoffCurves;
class TradeoffPlot;
} // namespace figures

class TradeoffPanel : public QWidget {
    Q_OBJECT
public:
    TradeoffPanel(SessionController& controller, const Look& look, QWidget* parent = nullptr);

    figures::TradeoffPlot& plot() { return *plot_; }
    QProgressBar& progressBar() { return *progress_; }
    // Cancels the sweep that runs, and resumes one that was cancelled.
    QToolButton& sweepButton() { return *button_; }
    // Of the profile on show; nullptr while nothing is known of it.
    std::shared_ptr<const figures::TradeoffCurves> curves() const;

signals:
    void curvesChanged();

private:
    void showSweep();
    void showMarker();
    void showTheme();

    SessionController& controller_;
    const Look& look_;
    figures::TradeoffPlot* plot_;
    QProgressBar* progress_;
    QLabel* words_;
    QToolButton* button_;
    int gesture_ = 0;
};

} // namespace slackscope
