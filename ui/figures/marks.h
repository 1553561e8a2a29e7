// Small things that every figure draws: letters, hatches, legends, labels that keep out of each other's way.
//
// SVG from Qt drops clipping, so nothing here relies on it: lines are cut and texts elided by hand.
#pragma once

#include "core/planner/decision.h"
#include "ui/figures/theme.h"

#include <QLineF>
#include <QList>
#include <QPainter>
#include <QRectF>
#include <QString>

#include <optional>
#include <vector>

namespace slackscope::figures {

enum class Hatch : std::uint8_t { None, Rising, Falling };

// Diagonals inside `rect`, `gap` apart, starting at a multiple of it so that neighbours line up.
QList<QLineF> hatchLines(const QRectF& rect, Hatch hatch, double gap);
void paintHatch(QPainter& painter, const QRectF& rect, Hatch hatch, const QColor& color, double gap = 6,
                double width = 1.6);

struct LegendEntry {
    QColor color;
    QString letter; // in the swatch, may be empty
    Hatch hatch = Hatch::None;
    QString text;
};
// How a decision looks wherever it stands: its colour, its letter, and a hatch for recompute. Absent: an
// infeasible plan decided nothing.
const QColor& decisionColor(const Theme& theme, std::optional<Decision> decision);
QString decisionLetter(Decision decision);
QString decisionWord(Decision decision); // "keep"
Hatch decisionHatch(Decision decision);
LegendEntry decisionEntry(const Theme& theme, Decision decision, const QString& text);
// For cells without room for a letter, so that colour is not alone: keep is plain, offload has one bar across
// the longer side, recompute its hatch or, where that is too small too, two bars. Below three pixels there is
// room for colour only.
void paintSmallDecision(QPainter& painter, const QRectF& cell, Decision decision, const Theme& theme);
// A swatch with its letter or hatch.
void paintSwatch(QPainter& painter, const QRectF& rect, const LegendEntry& entry, const Theme& theme);
// Right-aligned in `area`, as many entries as fit, from the first; returns the width used.
double paintLegend(QPainter& painter, const QRectF& area, const std::vector<LegendEntry>& entries,
                   const Theme& theme);
// A panel's title and subtitle on the left, its legend on the right.
void paintHeader(QPainter& painter, const QRectF& area, const QString& title, const QString& subtitle,
                 const std::vector<LegendEntry>& legend, const Theme& theme);
// The ground of a panel.
void paintCard(QPainter& painter, const QRectF& rect, const Theme& theme);
// A letter in the middle of `rect`, on a patch of `ground` that keeps a hatch away from it.
void paintLetter(QPainter& painter, const QRectF& rect, const QString& letter, const QFont& font,
                 const QColor& ground, const Theme& theme);
// Text in `rect`, elided at its end; Qt::Alignment flags.
void paintText(QPainter& painter, const QRectF& rect, int flags, const QString& text, const QFont& font,
               const QColor& color);

// Places for labels: the first candidate that lies inside the bounds and clear of those placed before.
class LabelPlacer {
public:
    explicit LabelPlacer(const QRectF& bounds) : bounds_(bounds) {}
    // The chosen rectangle (moved sideways into the bounds), or a null one when none is free.
    QRectF place(const std::vector<QRectF>& candidates);
    void block(const QRectF& rect) { taken_.push_back(rect); }

private:
    QRectF bounds_;
    std::vector<QRectF> taken_;
};

} // namespace slackscope::figures
