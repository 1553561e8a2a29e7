#include "core/input/step_axis.h"

namespace slackscope {

std::string_view axisName(StepAxis axis) {
    switch (axis) {
    case StepAxis::Bandwidth:
        return "bandwidth";
    case StepAxis::Batch:
        return "batch";
    case StepAxis::Sequence:
        return "sequence";
    }
    return {};
}

tl::expected<Profile, InputError> profileAt(const LoadedInput& input, const AnalyticOptions& options,
                                            StepAxis axis, std::int64_t value, const std::string& name) {
    AnalyticOptions changed = options;
    switch (axis) {
    case StepAxis::Bandwidth:
        changed.deviceToHostBytesPerS = value;
        changed.hostToDeviceBytesPerS = value;
        break;
    case StepAxis::Batch:
        changed.batch = value;
        break;
    case StepAxis::Sequence:
        changed.sequence = value;
        break;
    }
    if (input.config) {
        auto profile = analyticProfile(*input.config, changed);
        if (!profile)
            return tl::unexpected(InputError{name, profile.error().pointer, profile.error().reason});
        return profile;
    }
    if (axis != StepAxis::Bandwidth)
        return tl::unexpected(InputError{name, "",
                                         "is a finished profile: its " + std::string(axisName(axis)) +
                                             " cannot be changed; sweep its bandwidth or its budget, or "
                                             "start from a model"});
    Profile profile = input.profile;
    auto link = chosenLink(changed, profile.link);
    if (!link)
        return tl::unexpected(InputError{name, link.error().pointer, link.error().reason});
    profile.link = std::move(*link);
    if (const auto broken = validate(profile))
        return tl::unexpected(InputError{name, broken->pointer, broken->reason});
    return profile;
}

} // namespace slackscope
