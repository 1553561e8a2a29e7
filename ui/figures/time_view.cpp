#include "ui/figures/time_view.h"

#include <algorithm>

namespace slackscope::figures {

TimeRange wholeStep(Nanoseconds stepNs) {
    return {0, std::max(static_cast<double>(stepNs), shortestViewNs)};
}

TimeRange confined(TimeRange range, TimeRange whole) {
    const double width = std::clamp(range.width(), std::min(shortestViewNs, whole.width()), whole.width());
    const double middle = (range.fromNs + range.toNs) / 2;
    const double from = std::clamp(middle - width / 2, whole.fromNs, whole.toNs - width);
    return {from, from + width};
}

TimeRange zoomed(TimeRange range, double anchorNs, double factor, TimeRange whole) {
    const double width =
        std::clamp(range.width() / factor, std::min(shortestViewNs, whole.width()), whole.width());
    const double share = range.width() > 0 ? (anchorNs - range.fromNs) / range.width() : 0.5;
    const double from = anchorNs - share * width;
    return confined({from, from + width}, whole);
}

TimeRange panned(TimeRange range, double byNs, TimeRange whole) {
    return confined({range.fromNs + byNs, range.toNs + byNs}, whole);
}

TimeRange framed(TimeRange inner, TimeRange whole) {
    const double air = std::max(inner.width() * 0.08, shortestViewNs);
    return confined({std::max(inner.fromNs - air, whole.fromNs), std::min(inner.toNs + air, whole.toNs)},
                    whole);
}

void ViewHistory::visit(TimeRange range) {
    if (!views_.empty()) {
        if (views_[position_] == range)
            return;
        views_.resize(position_ + 1);
    }
    constexpr std::size_t longest = 200;
    if (views_.size() == longest)
        views_.erase(views_.begin());
    views_.push_back(range);
    position_ = views_.size() - 1;
}

std::optional<TimeRange> ViewHistory::back() {
    if (!canGoBack())
        return std::nullopt;
    return views_[--position_];
}

std::optional<TimeRange> ViewHistory::forward() {
    if (!canGoForward())
        return std::nullopt;
    return views_[++position_];
}

void ViewHistory::clear() {
    views_.clear();
    position_ = 0;
}

} // namespace slackscope::figures
