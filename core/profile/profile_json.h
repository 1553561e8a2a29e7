// Profile version 1 as JSON text (`*.profile.json`): reading and writing.
//
// Sizes are whole bytes, times whole nanoseconds, rates bytes per second. May be absent: device,
// tokens_per_step, samples_per_step, layer, kind, host_memory_bytes; with a default: gradient_bytes (=
// bytes), workspaces (0), recomputable and full_duplex (true). Everything else is required; unknown keys are
// ignored.
#pragma once

#include "core/profile/input_error.h"
#include "core/profile/profile.h"

#include <tl/expected.hpp>

#include <string>
#include <string_view>

namespace slackscope {

inline constexpr std::string_view profileFormat = "slackscope-profile";
inline constexpr std::int64_t profileVersion = 1;

// The profile, already validated, or the first thing that is wrong with it. `file` is named in errors only.
// Linear in the text; the tree takes about seven times the text's size while reading.
tl::expected<Profile, InputError> readProfile(std::string_view text, const std::string& file);

// Text that readProfile reads back as an equal profile, if `profile` is valid. One tensor or operator a line.
// Strings that are not UTF-8 get replacement characters.
std::string writeProfile(const Profile& profile);

} // namespace slackscope
