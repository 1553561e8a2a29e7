#include "ui/figures/tradeoff_labels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slackscope::figures {

namespace {

constexpr double cell = 2;          // px of the raster
constexpr double sampleEvery = 5;   // px along a line
constexpr double atLine = 10;       // a name this near needs no leader
constexpr double betweenNames = 2;  // px
constexpr double stayingBonus = 40; // what a new place must be better by
constexpr double unusable = 400;    // a name that hides this much is left out
constexpr double anywhere = 1e6;    // px: farther than any two points of a figure
constexpr int placesAcross = 48;
constexpr int placesDown = 36;
constexpr std::size_t runLength = 12; // points
constexpr double nearEnough = 16;     // px from a name that has a leader to another line

double squaredDistance(const QRectF& rect, QPointF point) {
    const double dx = std::max({rect.left() - point.x(), 0.0, point.x() - rect.right()});
    const double dy = std::max({rect.top() - point.y(), 0.0, point.y() - rect.bottom()});
    return dx * dx + dy * dy;
}

double squaredDistance(const QRectF& a, const QRectF& b) {
    const double dx = std::max({a.left() - b.right(), 0.0, b.left() - a.right()});
    const double dy = std::max({a.top() - b.bottom(), 0.0, b.top() - a.bottom()});
    return dx * dx + dy * dy;
}

// Calls `visit` at most `step` apart along a line, both ends included.
template <typename Visit>
void walk(const QPolygonF& line, double step, const Visit& visit) {
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QLineF part(line[std::max<qsizetype>(i - 1, 0)], line[i]);
        const int count = static_cast<int>(std::ceil(part.length() / step));
        for (int k = i == 0 ? 0 : 1; k <= count; ++k)
            visit(part.pointAt(count > 0 ? static_cast<double>(k) / count : 0));
    }
}

} // namespace

LabelFinder::LabelFinder(const QRectF& area, const std::vector<std::vector<QPolygonF>>& lines,
                         const QPolygonF& forbidden)
    : area_(area), lines_(lines), forbidden_(forbidden), samples_(lines.size()),
      columns_(static_cast<int>(std::ceil(area.width() / cell)) + 1),
      rows_(static_cast<int>(std::ceil(area.height() / cell)) + 1) {
    const int stride = columns_ + 1;
    sums_.assign(static_cast<std::size_t>(stride) * static_cast<std::size_t>(rows_ + 1), 0);
    const auto sum = [&](int column, int row) -> int& {
        return sums_[static_cast<std::size_t>(row) * static_cast<std::size_t>(stride) +
                     static_cast<std::size_t>(column)];
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
        for (const QPolygonF& line : lines[i]) {
            QPointF last(-1e9, -1e9);
            walk(line, cell / 2, [&](QPointF at) {
                const int column =
                    std::clamp(static_cast<int>((at.x() - area_.left()) / cell), 0, columns_ - 1);
                const int row = std::clamp(static_cast<int>((at.y() - area_.top()) / cell), 0, rows_ - 1);
                sum(column + 1, row + 1) = 1;
                // Many lines end in a jump at the right edge: a name there could mean any of them.
                const bool isAtEdge = at.x() > area_.right() - sampleEvery && line.size() > 1;
                if (!isAtEdge && QLineF(last, at).length() >= sampleEvery) {
                    std::vector<Run>& runs = samples_[i];
                    if (runs.empty() || runs.back().points.size() == runLength)
                        runs.push_back({QRectF(at, QSizeF(0, 0)), {}});
                    Run& run = runs.back();
                    run.points.push_back(at);
                    run.bounds.setLeft(std::min(run.bounds.left(), at.x()));
                    run.bounds.setRight(std::max(run.bounds.right(), at.x()));
                    run.bounds.setTop(std::min(run.bounds.top(), at.y()));
                    run.bounds.setBottom(std::max(run.bounds.bottom(), at.y()));
                    last = at;
                }
            });
        }
    }
    for (int row = 1; row <= rows_; ++row) {
        for (int column = 1; column <= columns_; ++column)
            sum(column, row) += sum(column - 1, row) + sum(column, row - 1) - sum(column - 1, row - 1);
    }
}

int LabelFinder::crossings(const QRectF& rect) const {
    const auto column = [&](double x) {
        return std::clamp(static_cast<int>(std::floor((x - area_.left()) / cell)), 0, columns_);
    };
    const auto row = [&](double y) {
        return std::clamp(static_cast<int>(std::floor((y - area_.top()) / cell)), 0, rows_);
    };
    const auto sum = [&](int c, int r) {
        return sums_[static_cast<std::size_t>(r) * static_cast<std::size_t>(columns_ + 1) +
                     static_cast<std::size_t>(c)];
    };
    const int left = column(rect.left());
    const int right = std::max(left, std::min(column(rect.right()) + 1, columns_));
    const int top = row(rect.top());
    const int bottom = std::max(top, std::min(row(rect.bottom()) + 1, rows_));
    return sum(right, bottom) - sum(left, bottom) - sum(right, top) + sum(left, top);
}

int LabelFinder::crossings(const QLineF& leader) const {
    int found = 0;
    const double length = leader.length();
    // The last pixels are at its own line.
    for (double at = cell; at < length - 2 * cell; at += cell)
        found += crossings(QRectF(leader.pointAt(at / length), QSizeF(0, 0))) > 0 ? 1 : 0;
    return found;
}

double LabelFinder::nearest(std::int32_t line, const QRectF& rect, double limit, QPointF* at) const {
    double least = limit * limit;
    for (const Run& run : samples_[static_cast<std::size_t>(line)]) {
        if (squaredDistance(rect, run.bounds) >= least)
            continue;
        for (const QPointF& point : run.points) {
            const double away = squaredDistance(rect, point);
            if (away < least) {
                least = away;
                if (at)
                    *at = point;
            }
        }
    }
    return std::sqrt(least);
}

QLineF LabelFinder::leader(std::int32_t line, const QRectF& rect) const {
    QPointF end;
    nearest(line, rect, anywhere, &end);
    const QPointF start(std::clamp(end.x(), rect.left(), rect.right()),
                        std::clamp(end.y(), rect.top(), rect.bottom()));
    return {start, end};
}

LabelFinder::Place LabelFinder::rate(std::int32_t line, const QRectF& rect) const {
    Place place{rect, 0};
    if (const int hidden = crossings(rect.adjusted(-1, -1, 1, 1)); hidden > 0)
        place.cost += 40 + 3 * hidden;
    if (!forbidden_.isEmpty() && (forbidden_.containsPoint(rect.topLeft(), Qt::OddEvenFill) ||
                                  forbidden_.containsPoint(rect.topRight(), Qt::OddEvenFill)))
        place.cost += 80;
    const double own = nearest(line, rect, anywhere);
    place.cost += std::max(0.0, own - 3);
    // Nearer to another line than to its own, a name misleads, but for a leader.
    const bool hasLeader = own > atLine;
    const double clear = hasLeader ? nearEnough : own + 5;
    const double weight = hasLeader ? 2 : 4;
    for (std::size_t other = 0; other < samples_.size(); ++other) {
        if (static_cast<std::int32_t>(other) != line)
            place.cost += weight * (clear - nearest(static_cast<std::int32_t>(other), rect, clear));
    }
    if (hasLeader)
        place.cost += 12 + 12 * crossings(leader(line, rect));
    return place;
}

void LabelFinder::want(std::int32_t line, QSizeF size, bool isFirst, std::optional<QPointF> before) {
    const QRectF room = area_.adjusted(2, 2, -2 - size.width(), -2 - size.height());
    if (room.width() < 0 || room.height() < 0)
        return;
    Wish wish;
    wish.line = line;
    wish.isFirst = isFirst;
    wish.size = size;
    if (before && room.contains(*before)) {
        Place place = rate(line, QRectF(*before, size));
        place.cost -= stayingBonus;
        wish.places.push_back(place);
    }
    // No place costs less than nothing: while curves grow, most names need no search.
    if (wish.places.empty() || wish.places.front().cost > 0)
        search(wish);
    wishes_.push_back(std::move(wish));
}

void LabelFinder::search(Wish& wish) const {
    const QRectF room = area_.adjusted(2, 2, -2 - wish.size.width(), -2 - wish.size.height());
    const double stepX = std::max(3.0, room.width() / placesAcross);
    const double stepY = std::max(2.0, room.height() / placesDown);
    for (double top = room.top(); top <= room.bottom(); top += stepY) {
        for (double left = room.left(); left <= room.right(); left += stepX)
            wish.places.push_back(
                rate(wish.line, QRectF(QPointF(std::round(left), std::round(top)), wish.size)));
    }
    std::stable_sort(wish.places.begin(), wish.places.end(),
                     [](const Place& a, const Place& b) { return a.cost < b.cost; });
    wish.isSearched = true;
}

std::vector<TradeoffLabel> LabelFinder::place() {
    // The hardest to place come before those that have a choice.
    std::stable_sort(wishes_.begin(), wishes_.end(), [](const Wish& a, const Wish& b) {
        if (a.isFirst != b.isFirst)
            return a.isFirst;
        return a.places.front().cost > b.places.front().cost;
    });
    std::vector<TradeoffLabel> labels;
    std::vector<QLineF> leaders;
    const auto crosses = [](const QRectF& rect, const QLineF& line) {
        if (line.isNull())
            return false;
        const int count = static_cast<int>(std::ceil(line.length() / cell));
        for (int i = 0; i <= count; ++i) {
            if (rect.contains(line.pointAt(static_cast<double>(i) / std::max(count, 1))))
                return true;
        }
        return false;
    };
    for (Wish& wish : wishes_) {
        for (std::size_t i = 0;; ++i) {
            if (i == wish.places.size() && !wish.isSearched)
                search(wish); // what was there before stays the first
            if (i >= wish.places.size() || wish.places[i].cost > unusable)
                break;
            const Place place = wish.places[i];
            const QRectF guarded =
                place.rect.adjusted(-betweenNames, -betweenNames, betweenNames, betweenNames);
            const QLineF line =
                nearest(wish.line, place.rect, anywhere) > atLine ? leader(wish.line, place.rect) : QLineF();
            const bool isFree = std::none_of(taken_.begin(), taken_.end(),
                                             [&](const QRectF& other) {
                                                 return other.intersects(guarded) || crosses(other, line);
                                             }) &&
                                std::none_of(leaders.begin(), leaders.end(),
                                             [&](const QLineF& other) { return crosses(guarded, other); });
            if (!isFree)
                continue;
            taken_.push_back(place.rect);
            leaders.push_back(line);
            labels.push_back({wish.line, place.rect, line,
                              forbidden_.containsPoint(place.rect.center(), Qt::OddEvenFill)});
            break;
        }
    }
    return labels;
}

} // namespace slackscope::figures
