// Finds places for the names of lines: near their own line, clear of every line and of each other.
#pragma once

#include "ui/figures/tradeoff_layout.h"

namespace slackscope::figures {

class LabelFinder {
public:
    // The lines must outlive this; names stay out of `forbidden` where they can.
    LabelFinder(const QRectF& area, const std::vector<std::vector<QPolygonF>>& lines,
                const QPolygonF& forbidden);

    // A line's name of this size; `before`: where it stood last.
    void want(std::int32_t line, QSizeF size, bool isFirst, std::optional<QPointF> before);
    void block(const QRectF& rect) { taken_.push_back(rect); }
    // Every name for which there is a place.
    std::vector<TradeoffLabel> place();

private:
    struct Place {
        QRectF rect;
        double cost = 0;
    };
    struct Wish {
        std::int32_t line = -1;
        bool isFirst = false;
        QSizeF size;
        std::vector<Place> places; // cheapest first
        bool isSearched = false;   // false: the place before alone, than which none is cheaper
    };
    // The points of a line, in runs that a distance can be ruled out for as a whole.
    struct Run {
        QRectF bounds;
        std::vector<QPointF> points;
    };
    void search(Wish& wish) const;
    Place rate(std::int32_t line, const QRectF& rect) const;
    // Of a line to a rectangle, at most `limit`; `at`: where on the line, if nearer than that.
    double nearest(std::int32_t line, const QRectF& rect, double limit, QPointF* at = nullptr) const;
    int crossings(const QRectF& rect) const; // cells of the raster that lines run through
    int crossings(const QLineF& leader) const;
    QLineF leader(std::int32_t line, const QRectF& rect) const;

    QRectF area_;
    const std::vector<std::vector<QPolygonF>>& lines_;
    const QPolygonF& forbidden_;
    std::vector<std::vector<Run>> samples_; // by line, evenly along it
    int columns_ = 0;
    int rows_ = 0;
    std::vector<int> sums_; // of occupied cells left of and above
    std::vector<Wish> wishes_;
    std::vector<QRectF> taken_;
};

} // namespace slackscope::figures
