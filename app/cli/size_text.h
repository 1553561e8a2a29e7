// Sizes and budgets as people type them: "12GiB", "5394000000", "50%", "1.5 GB".
#pragma once

#include "core/profile/units.h"

#include <tl/expected.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace slackscope::cli {

// A whole or decimal number and a unit, in any case: B, KB MB GB TB are powers of 1000, KiB MiB GiB TiB of
// 1024; a number alone is bytes. Fractions of a byte are cut off. Errors are sentences that name the text and
// say what can be written instead.
tl::expected<Bytes, std::string> parseSize(std::string_view text);

// A budget: a size, or a percentage of the unlimited peak.
struct Budget {
    std::optional<std::int64_t> percentMillionths; // 50 % = 50,000,000; absent: `bytes` counts
    Bytes bytes = 0;

    Bytes resolve(Bytes unlimitedPeakBytes) const; // whole bytes, rounded down
    bool operator==(const Budget&) const = default;
};

inline constexpr Budget defaultBudget{50'000'000, 0};
inline constexpr std::int64_t largestPercent = 1000;

tl::expected<Budget, std::string> parseBudget(std::string_view text);

} // namespace slackscope::cli
