// The tradeoff figure in any rectangle of any painter.
#pragma once

#include "ui/figures/theme.h"
#include "ui/figures/tradeoff_layout.h"

#include <QPainter>

namespace slackscope::figures {

// Today's budget, and the newest plan of the strategy in use: while the budget moves, that may be of the one
// before.
struct TradeoffMarker {
    Bytes budget = 0;
    std::optional<TradeoffPoint> plan; // absent: infeasible, or not there yet
    bool isInfeasible = false;
};

// How the line of a strategy looks: it is told from the others by colour, by dashes and by its name.
struct StrategyStyle {
    QColor color;
    QList<double> dashes; // px drawn and left out, in turn; empty = unbroken
};
StrategyStyle strategyStyle(std::string_view id, const Theme& theme);

struct TradeoffScene {
    const TradeoffCurves* curves = nullptr;
    const TradeoffLayout* layout = nullptr;
    const Theme* theme = nullptr;
    std::string_view emphasized; // id of the strategy in use
    std::optional<TradeoffMarker> marker;
    const TradeoffReadout* readout = nullptr; // what the pointer reads
    std::int32_t pointed = -1;                // the curve that a click would choose
    bool hasHandle = false;                   // the marker shows that it can be dragged
    bool isStale = false;                     // of what was on show before
};

// Axes, region, lines, names and marker.
void paintTradeoff(QPainter& painter, const TradeoffScene& scene);

// As a panel of a page: a card with its header around the figure.
void paintTradeoffPanel(QPainter& painter, const QRectF& panel, TradeoffScene scene);

} // namespace slackscope::figures
