// Level of detail: what a stretch of time looks like in pixel columns. Plain functions, tested without a
// window against a naive oracle.
#pragma once

#include "ui/figures/step_picture.h"
#include "ui/figures/theme.h"
#include "ui/figures/time_view.h"

#include <QRgb>

#include <array>
#include <span>
#include <vector>

namespace slackscope::figures {

// `count` columns of equal width over a time range.
struct ColumnGrid {
    TimeRange range;
    int count = 0;
    double columnsPerNs() const { return range.width() > 0 ? count / range.width() : 0; }
};

// How much of one column each kind covers, 0 to 1; together at most 1 for bars that do not overlap.
struct LaneColumn {
    std::array<float, barKindCount> covered{};
    std::uint8_t touched = 0; // bit per kind: some bar of it is here, however thin, even of no time at all
    bool operator==(const LaneColumn&) const = default;
};

// Bars that can be seen in the range: indices [first, last).
struct BarWindow {
    std::size_t first = 0;
    std::size_t last = 0;
};
BarWindow visibleBars(std::span<const Bar> bars, TimeRange range);

// Adds bars narrower than `widest` columns to `columns` (grid.count of them); wider ones are left to be drawn
// one by one. O(visible bars + columns).
void coverColumns(std::span<const Bar> bars, const ColumnGrid& grid, double widest,
                  std::vector<LaneColumn>& columns);

// Colours by kind.
using BarColors = std::array<QColor, barKindCount>;
BarColors barColors(const Theme& theme);

// The colour of each column over `ground`: the kinds blended by what they cover. What covers too little to be
// seen is lifted to a faint trace (half a column where nothing is beside it), never more.
std::vector<QRgb> blendColumns(const std::vector<LaneColumn>& columns, const BarColors& colors,
                               const QColor& ground);
inline constexpr float faintestTrace = 0.16F;
inline constexpr float loneTrace = 0.5F;

// Equal neighbours joined: [from, to) columns of one value.
template <typename Value>
struct ColumnRun {
    int from = 0;
    int to = 0;
    Value value{};
};
template <typename Value>
std::vector<ColumnRun<Value>> joined(const std::vector<Value>& columns) {
    std::vector<ColumnRun<Value>> runs;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!runs.empty() && runs.back().value == columns[i])
            ++runs.back().to;
        else
            runs.push_back({static_cast<int>(i), static_cast<int>(i) + 1, columns[i]});
    }
    return runs;
}

// A step function in one column: every value it takes there lies in [low, high], both are taken, and it
// leaves with `last`.
struct ValueColumn {
    Bytes low = 0;
    Bytes high = 0;
    Bytes last = 0;
    bool operator==(const ValueColumn&) const = default;
};

// O(points in range + columns). Zero before the first point.
std::vector<ValueColumn> valueColumns(std::span<const MemoryPoint> points, const ColumnGrid& grid);

// The stacked view: per column the parts at the instant of the greatest sum, so that the peak is never lost
// and the parts always add up to something that was resident at one time.
std::vector<MemoryParts> stackColumns(std::span<const MemoryParts> points, const ColumnGrid& grid);

} // namespace slackscope::figures
