// The values that a sweep visits, as people type them.
#pragma once

#include "app/cli/size_text.h"
#include "core/input/step_axis.h"

#include <tl/expected.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slackscope::cli {

// As typed; what is absent has the default of its axis.
struct ValueTexts {
    std::optional<std::string> from, to, values; // --values: separated by commas
    std::optional<std::int64_t> steps;
};

inline constexpr std::int64_t mostSweepSteps = 10'000;

// What an axis other than the budget visits where nothing else is asked for; as --values takes it.
std::string defaultValues(StepAxis axis);

// The errors are sentences that begin with the option.
// The entries between commas, none of them empty.
tl::expected<std::vector<std::string>, std::string> splitList(std::string_view option,
                                                              const std::string& list);
// "8", in GB/s: bytes per second.
tl::expected<std::int64_t, std::string> parseBandwidth(std::string_view option, const std::string& text);
// A whole number from 1 on.
tl::expected<std::int64_t, std::string> parseCount(std::string_view option, const std::string& text);
// Above 0 % and up to 100 %, as a share.
tl::expected<double, std::string> parseKeep(const std::string& text);

// Budgets that are not resolved yet: they may be percentages of a peak that is not known.
struct BudgetRange {
    std::vector<Budget> values; // empty: `steps` of them from `from` to `to`
    Budget from{10'000'000, 0};
    Budget to{100'000'000, 0};
    std::int64_t steps = 91;
};
tl::expected<BudgetRange, std::string> parseBudgets(const ValueTexts& texts, std::int64_t defaultSteps);
// Strictly ascending. Between two percentages, each step is the exact percentage of the peak.
tl::expected<std::vector<Bytes>, std::string> resolve(const BudgetRange& range, Bytes unlimitedPeakBytes);

// In the unit of the axis; strictly ascending, at least one.
tl::expected<std::vector<std::int64_t>, std::string> parseAxisValues(StepAxis axis, const ValueTexts& texts);

} // namespace slackscope::cli
