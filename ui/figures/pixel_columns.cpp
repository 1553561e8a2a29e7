#include "ui/figures/pixel_columns.h"

#include <algorithm>
#include <cmath>

namespace slackscope::figures {

BarWindow visibleBars(std::span<const Bar> bars, TimeRange range) {
    // Without overlap, ends ascend as starts do.
    const auto first =
        std::lower_bound(bars.begin(), bars.end(), range.fromNs,
                         [](const Bar& bar, double ns) { return static_cast<double>(bar.toNs) < ns; });
    const auto last = std::upper_bound(first, bars.end(), range.toNs, [](double ns, const Bar& bar) {
        return ns < static_cast<double>(bar.fromNs);
    });
    return {static_cast<std::size_t>(first - bars.begin()), static_cast<std::size_t>(last - bars.begin())};
}

void coverColumns(std::span<const Bar> bars, const ColumnGrid& grid, double widest,
                  std::vector<LaneColumn>& columns) {
    if (grid.count <= 0)
        return;
    columns.resize(static_cast<std::size_t>(grid.count));
    const double scale = grid.columnsPerNs();
    const double end = grid.count;
    const BarWindow window = visibleBars(bars, grid.range);
    for (std::size_t i = window.first; i < window.last; ++i) {
        const Bar& bar = bars[i];
        double from = (static_cast<double>(bar.fromNs) - grid.range.fromNs) * scale;
        double to = (static_cast<double>(bar.toNs) - grid.range.fromNs) * scale;
        if (to - from >= widest)
            continue;
        // One that ends just where the range starts is not in it.
        if (to <= 0 && from < 0)
            continue;
        from = std::clamp(from, 0.0, end);
        to = std::clamp(to, 0.0, end);
        const auto kind = static_cast<std::size_t>(bar.kind);
        const int firstColumn = std::min(static_cast<int>(from), grid.count - 1);
        const int lastColumn = std::min(static_cast<int>(to), grid.count - 1);
        const auto add = [&](int column, double covered) {
            LaneColumn& target = columns[static_cast<std::size_t>(column)];
            target.covered[kind] += static_cast<float>(covered);
            target.touched |= static_cast<std::uint8_t>(1U << kind);
        };
        if (firstColumn == lastColumn) {
            add(firstColumn, to - from);
            continue;
        }
        add(firstColumn, firstColumn + 1 - from);
        for (int column = firstColumn + 1; column < lastColumn; ++column)
            add(column, 1);
        if (to > lastColumn)
            add(lastColumn, to - lastColumn);
    }
}

BarColors barColors(const Theme& theme) {
    return {theme.forward,  theme.backward,    theme.recompute,    theme.offload,
            theme.prefetch, theme.memoryStall, theme.transferStall};
}

std::vector<QRgb> blendColumns(const std::vector<LaneColumn>& columns, const BarColors& colors,
                               const QColor& ground) {
    std::array<std::array<float, 3>, barKindCount> inks{};
    for (std::size_t kind = 0; kind < barKindCount; ++kind)
        inks[kind] = {static_cast<float>(colors[kind].red()), static_cast<float>(colors[kind].green()),
                      static_cast<float>(colors[kind].blue())};
    const std::array<float, 3> base{static_cast<float>(ground.red()), static_cast<float>(ground.green()),
                                    static_cast<float>(ground.blue())};
    std::vector<QRgb> blended(columns.size(), ground.rgb());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const LaneColumn& column = columns[i];
        if (column.touched == 0)
            continue;
        const bool lone = (i == 0 || columns[i - 1].touched == 0) &&
                          (i + 1 == columns.size() || columns[i + 1].touched == 0);
        const float least = lone ? loneTrace : faintestTrace;
        std::array<float, barKindCount> shown{};
        float sum = 0;
        for (std::size_t kind = 0; kind < barKindCount; ++kind) {
            if ((column.touched >> kind) & 1U)
                shown[kind] = std::max(column.covered[kind], least);
            sum += shown[kind];
        }
        const float fit = sum > 1 ? 1 / sum : 1;
        const float rest = std::max(0.0F, 1 - sum * fit);
        std::array<float, 3> mix{base[0] * rest, base[1] * rest, base[2] * rest};
        for (std::size_t kind = 0; kind < barKindCount; ++kind) {
            for (std::size_t channel = 0; channel < 3; ++channel)
                mix[channel] += inks[kind][channel] * shown[kind] * fit;
        }
        blended[i] = qRgb(static_cast<int>(std::lround(mix[0])), static_cast<int>(std::lround(mix[1])),
                          static_cast<int>(std::lround(mix[2])));
    }
    return blended;
}

namespace {

// Calls visit(column, point) for every value that the step function takes in a column, the one it enters
// with included; point = nullptr before the first point.
template <typename Point, typename Visit>
void walkColumns(std::span<const Point> points, const ColumnGrid& grid, const Visit& visit) {
    auto next =
        std::lower_bound(points.begin(), points.end(), grid.range.fromNs,
                         [](const Point& point, double ns) { return static_cast<double>(point.atNs) < ns; });
    const double width = grid.range.width() / std::max(grid.count, 1);
    const Point* entering = next == points.begin() ? nullptr : &*std::prev(next);
    // A value that ends at the very start of the range is not in it.
    bool isIn = next == points.end() || static_cast<double>(next->atNs) > grid.range.fromNs;
    for (int column = 0; column < grid.count; ++column) {
        const double end =
            column + 1 == grid.count ? grid.range.toNs : grid.range.fromNs + (column + 1) * width;
        if (isIn)
            visit(column, entering);
        isIn = true;
        while (next != points.end() &&
               (static_cast<double>(next->atNs) < end ||
                (column + 1 == grid.count && static_cast<double>(next->atNs) <= end))) {
            entering = &*next;
            visit(column, entering);
            ++next;
        }
    }
}

} // namespace

std::vector<ValueColumn> valueColumns(std::span<const MemoryPoint> points, const ColumnGrid& grid) {
    std::vector<ValueColumn> columns(static_cast<std::size_t>(std::max(grid.count, 0)));
    int seen = -1;
    walkColumns(points, grid, [&](int column, const MemoryPoint* point) {
        const Bytes value = point ? point->residentBytes : 0;
        ValueColumn& target = columns[static_cast<std::size_t>(column)];
        if (column != seen)
            target = {value, value, value};
        seen = column;
        target.low = std::min(target.low, value);
        target.high = std::max(target.high, value);
        target.last = value;
    });
    return columns;
}

std::vector<MemoryParts> stackColumns(std::span<const MemoryParts> points, const ColumnGrid& grid) {
    std::vector<MemoryParts> columns(static_cast<std::size_t>(std::max(grid.count, 0)));
    walkColumns(points, grid, [&](int column, const MemoryParts* point) {
        MemoryParts& target = columns[static_cast<std::size_t>(column)];
        if (point && point->sum() >= target.sum())
            target = *point;
    });
    return columns;
}

} // namespace slackscope::figures
