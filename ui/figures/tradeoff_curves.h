// Throughput against budget: what the tradeoff figure shows, whoever computed it. Every throughput is
// simulated.
//
// A curve is known at its samples only. Between two of them it is drawn at the lower budget's throughput: the
// program that was found there fits every larger budget too. The bound is drawn at the higher budget's: what
// no program can beat there, none can beat with less. So both are true wherever they are drawn.
#pragma once

#include "core/profile/units.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slackscope::figures {

struct TradeoffPoint {
    Bytes budget = 0;
    double throughput = 0; // of ideal, 0 to 1
    bool operator==(const TradeoffPoint&) const = default;
};

struct TradeoffCurve {
    std::string id; // of the strategy
    QString label;
    std::vector<TradeoffPoint> points;  // feasible samples, ascending budget
    std::optional<Bytes> minimumBudget; // nothing is feasible below it; absent: not known yet
};

struct TradeoffCurves {
    std::vector<TradeoffCurve> curves; // in the order of the strategies
    std::vector<TradeoffPoint> bound;  // no program is faster: ascending budget
    Bytes unlimitedPeak = 0;

    const TradeoffCurve* find(std::string_view id) const; // nullptr: no such curve
    bool isEmpty() const;                                 // nothing was sampled yet
    double fractionOf(Bytes budget) const;                // of the unlimited peak
};

// The sample nearest to a budget; nullptr: there is none within `reach`.
const TradeoffPoint* nearestSample(std::span<const TradeoffPoint> points, Bytes budget, Bytes reach);
// The sampled budget, of any curve, that is nearest; absent: none at all.
std::optional<Bytes> nearestBudget(const TradeoffCurves& curves, Bytes budget);

// The lowest throughput that the figure shows, a multiple of 5 %: low enough for the `emphasized` curve but
// for its first steps, and for the upper budgets of every other. A steep start would else leave no room for
// what tells the fast ones apart; what lies below is marked as going on there.
double lowestShown(const TradeoffCurves& curves, std::string_view emphasized);

// What a pointer at `budget` reads: the sampled budget, then one row per curve and the bound.
struct TradeoffReadout {
    struct Row {
        std::int32_t curve = -1; // index, -1 for the bound
        QString label;
        QString value;
        const TradeoffPoint* point = nullptr; // into the curves, where one was sampled
    };
    Bytes budget = 0;
    QString title;
    std::vector<Row> rows;
};
std::optional<TradeoffReadout> readTradeoff(const TradeoffCurves& curves, Bytes budget);

// One or two sentences for screen readers.
QString tradeoffSummary(const TradeoffCurves& curves, Bytes budget);

} // namespace slackscope::figures
