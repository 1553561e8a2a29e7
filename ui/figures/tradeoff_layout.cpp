#include "ui/figures/tradeoff_layout.h"

#include "ui/figures/theme.h"
#include "ui/figures/tradeoff_labels.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>
#include <array>
#include <cmath>

namespace slackscope::figures {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Tradeoff)
};

constexpr double readoutHeight = 20; // above the area: what the marker says
constexpr double titleHeight = 16;   // of an axis
constexpr double tickLabelHeight = 16;
constexpr double tickLabelWidth = 30;
constexpr double airAbove = 5;         // over the ideal: its line is drawn whole
constexpr double bytesFromWidth = 430; // of the area
constexpr double titlesFromHeight = 130;

// The first of some steps that keeps ticks `least` pixels apart.
template <std::size_t Count>
double tickStep(const std::array<double, Count>& steps, double pixelsPerUnit, double least) {
    for (const double step : steps) {
        if (step * pixelsPerUnit >= least)
            return step;
    }
    return steps.back();
}

} // namespace

QStringList boundText(int lines) {
    const QString text = Words::tr("no program\ncan be here");
    return lines == 1 ? QStringList{QString(text).replace(QLatin1Char('\n'), QLatin1Char(' '))}
                      : text.split(QLatin1Char('\n'));
}

QFont tradeoffLabelFont(bool isEmphasized) {
    return productFont(12, isEmphasized ? QFont::DemiBold : QFont::Normal);
}

TradeoffLayout::TradeoffLayout(const TradeoffCurves& curves, std::string_view emphasized, const QRectF& frame,
                               const TradeoffLayout* previous)
    : frame_(frame), lowest_(lowestShown(curves, emphasized)), peak_(curves.unlimitedPeak) {
    showsTitles_ = frame.height() >= titlesFromHeight;
    const double title = showsTitles_ ? titleHeight : 0;
    const double left = title + tickLabelWidth;
    showsBytes_ = frame.width() - left >= bytesFromWidth;
    const double below = tickLabelHeight * (showsBytes_ ? 2 : 1) + title;
    area_ = frame.adjusted(left, readoutHeight, showsBytes_ ? -22 : -14, -below - 2);
    area_.setWidth(std::max(area_.width(), 1.0));
    area_.setHeight(std::max(area_.height(), airAbove + 1));
    cutLines(curves);
    fillBound(curves);
    placeBoundLabel();
    placeLabels(curves, emphasized, previous);
}

double TradeoffLayout::x(Bytes budget) const {
    const double fraction = peak_ > 0 ? static_cast<double>(budget) / static_cast<double>(peak_) : 0;
    return area_.left() + std::clamp(fraction, 0.0, 1.0) * area_.width();
}

double TradeoffLayout::y(double throughput) const {
    return area_.top() + airAbove + (1 - throughput) / (1 - lowest_) * (area_.height() - airAbove);
}

Bytes TradeoffLayout::budgetAt(double x) const {
    const double fraction = std::clamp((x - area_.left()) / area_.width(), 0.0, 1.0);
    return std::llround(fraction * static_cast<double>(peak_));
}

void TradeoffLayout::cutLines(const TradeoffCurves& curves) {
    lines_.resize(curves.curves.size());
    exits_.resize(curves.curves.size());
    const double bottom = area_.bottom();
    for (std::size_t i = 0; i < curves.curves.size(); ++i) {
        const std::vector<TradeoffPoint>& points = curves.curves[i].points;
        QPolygonF piece;
        const auto finish = [&] {
            if (!piece.isEmpty())
                lines_[i].push_back(piece);
            piece.clear();
        };
        for (std::size_t k = 0; k < points.size(); ++k) {
            const QPointF at(x(points[k].budget), y(points[k].throughput));
            const bool isBelow = at.y() > bottom;
            if (k > 0) {
                const double before = y(points[k - 1].throughput);
                if (before <= bottom) {
                    piece << QPointF(at.x(), before) << QPointF(at.x(), std::min(at.y(), bottom));
                } else if (!isBelow) {
                    exits_[i] = exits_[i].value_or(QPointF(at.x(), bottom));
                    piece << QPointF(at.x(), bottom) << at;
                }
            } else if (!isBelow) {
                piece << at;
            }
            if (isBelow)
                finish();
        }
        finish();
    }
}

void TradeoffLayout::fillBound(const TradeoffCurves& curves) {
    if (curves.bound.empty())
        return;
    // What no program beats at a budget, none beats with less: left of the first sample too, and where a
    // smaller budget's bound claims less, as bounds of very small ones do.
    std::vector<double> heights;
    double least = 1;
    for (auto point = curves.bound.rbegin(); point != curves.bound.rend(); ++point) {
        least = std::min(least, point->throughput);
        heights.push_back(std::clamp(y(least), area_.top(), area_.bottom()));
    }
    std::reverse(heights.begin(), heights.end());
    boundRegion_ << area_.topLeft() << QPointF(area_.left(), heights.front());
    for (std::size_t i = 0; i < heights.size(); ++i) {
        const double at = x(curves.bound[i].budget);
        boundRegion_ << QPointF(at, heights[i]);
        if (i + 1 < heights.size())
            boundRegion_ << QPointF(at, heights[i + 1]);
    }
    boundRegion_ << QPointF(boundRegion_.last().x(), area_.top());
}

void TradeoffLayout::placeBoundLabel() {
    // At the left the region is highest: in one line where that fits, else in two.
    for (const auto& [pixels, lines] : {std::pair(11, 1), std::pair(11, 2), std::pair(10, 2)}) {
        const QFontMetricsF metrics(productFont(pixels));
        const QStringList text = boundText(lines);
        double width = 0;
        for (const QString& line : text)
            width = std::max(width, std::ceil(metrics.horizontalAdvance(line)) + 1);
        const QRectF rect(area_.left() + 5, area_.top() + 3, width, std::ceil(metrics.height()) * lines);
        double reach = area_.left();
        for (qsizetype i = 1; i + 1 < boundRegion_.size() && boundRegion_[i].y() >= rect.bottom() + 2; ++i)
            reach = boundRegion_[i].x();
        if (reach >= rect.right() + 2) {
            boundLabel_ = {rect, pixels, lines};
            return;
        }
    }
}

void TradeoffLayout::placeLabels(const TradeoffCurves& curves, std::string_view emphasized,
                                 const TradeoffLayout* previous) {
    LabelFinder finder(area_, lines_, boundRegion_);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        if (lines_[i].empty())
            continue;
        const bool isEmphasized = curves.curves[i].id == emphasized;
        const QFontMetricsF metrics(tradeoffLabelFont(isEmphasized));
        const QSizeF size(std::ceil(metrics.horizontalAdvance(curves.curves[i].label)) + 5,
                          std::ceil(metrics.height()));
        std::optional<QPointF> before;
        if (previous && previous->frame_ == frame_ && previous->lines_.size() == lines_.size()) {
            for (const TradeoffLabel& label : previous->labels_) {
                if (label.curve == static_cast<std::int32_t>(i))
                    before = label.rect.topLeft();
            }
        }
        finder.want(static_cast<std::int32_t>(i), size, isEmphasized, before);
    }
    if (boundLabel_.lines > 0)
        finder.block(boundLabel_.rect);
    labels_ = finder.place();
}

std::vector<double> TradeoffLayout::throughputTicks() const {
    static constexpr std::array<double, 6> steps{0.01, 0.02, 0.05, 0.1, 0.2, 0.25};
    const double step = tickStep(steps, (area_.height() - airAbove) / (1 - lowest_),
                                 std::clamp(area_.height() / 9, 26.0, 60.0));
    std::vector<double> ticks;
    for (int i = 0; 1 - i * step >= lowest_ - 1e-9; ++i)
        ticks.push_back(1 - i * step);
    return ticks;
}

std::vector<double> TradeoffLayout::budgetTicks() const {
    static constexpr std::array<double, 4> steps{0.1, 0.2, 0.25, 0.5};
    const double step = tickStep(steps, area_.width(), showsBytes_ ? 62 : 34);
    std::vector<double> ticks;
    for (int i = 0; i * step <= 1 + 1e-9; ++i)
        ticks.push_back(i * step);
    return ticks;
}

std::int32_t TradeoffLayout::labelAt(QPointF position) const {
    for (const TradeoffLabel& label : labels_) {
        if (label.rect.contains(position))
            return label.curve;
    }
    return -1;
}

} // namespace slackscope::figures
