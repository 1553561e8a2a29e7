// The visible stretch of the time axis: pixel maths, zoom, pan and history, without a window.
#pragma once

#include "core/profile/units.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace slackscope::figures {

// Nanoseconds since the start of the step, fractions allowed while zooming.
struct TimeRange {
    double fromNs = 0;
    double toNs = 0;
    double width() const { return toNs - fromNs; }
    bool operator==(const TimeRange&) const = default;
};

// Linear map between time and horizontal pixels.
class TimeMap {
public:
    TimeMap(TimeRange range, double leftPx, double widthPx)
        : range_(range), left_(leftPx), pixelsPerNs_(range.width() > 0 ? widthPx / range.width() : 0) {}
    double pixel(double ns) const { return left_ + (ns - range_.fromNs) * pixelsPerNs_; }
    double time(double px) const {
        return pixelsPerNs_ > 0 ? range_.fromNs + (px - left_) / pixelsPerNs_ : range_.fromNs;
    }
    double pixelsPerNs() const { return pixelsPerNs_; }

private:
    TimeRange range_;
    double left_;
    double pixelsPerNs_;
};

// Shortest stretch that can be shown.
inline constexpr double shortestViewNs = 20;

// The whole step with a little air on both sides; a step of no time still has a width.
TimeRange wholeStep(Nanoseconds stepNs);
// `range` moved and cut so that it lies inside `whole` and is not too short.
TimeRange confined(TimeRange range, TimeRange whole);
// `factor` > 1 shows less; the time `anchorNs` keeps its pixel.
TimeRange zoomed(TimeRange range, double anchorNs, double factor, TimeRange whole);
TimeRange panned(TimeRange range, double byNs, TimeRange whole);
// `inner` with air around it.
TimeRange framed(TimeRange inner, TimeRange whole);

// Views one can go back to. A new view forgets the ones that were undone.
class ViewHistory {
public:
    void visit(TimeRange range);
    std::optional<TimeRange> back();
    std::optional<TimeRange> forward();
    void clear();
    bool canGoBack() const { return position_ > 0; }
    bool canGoForward() const { return position_ + 1 < views_.size(); }

private:
    std::vector<TimeRange> views_;
    std::size_t position_ = 0;
};

} // namespace slackscope::figures
