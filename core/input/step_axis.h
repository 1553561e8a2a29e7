// The same input with one figure changed: what a sweep along another axis than the budget is made of.
#pragma once

#include "core/input/input.h"

#include <string_view>

namespace slackscope {

enum class StepAxis {
    Bandwidth, // of the link, bytes per second in each direction
    Batch,     // samples per step
    Sequence   // tokens per sample
};
std::string_view axisName(StepAxis axis); // "bandwidth"

// `input` as it was loaded with `options`, but for `value` on the axis. Refuses what analyticProfile and
// chosenLink refuse, and on a profile file every axis but the bandwidth: its times and sizes are what they
// are. `name`: of the input, for the error.
tl::expected<Profile, InputError> profileAt(const LoadedInput& input, const AnalyticOptions& options,
                                            StepAxis axis, std::int64_t value, const std::string& name);

} // namespace slackscope
