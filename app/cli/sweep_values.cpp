#include "app/cli/sweep_values.h"

#include "core/planner/sweep.h"
#include "core/profile/input_error.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace slackscope::cli {

namespace {

tl::unexpected<std::string> wrong(std::string_view option, const std::string& reason) {
    return tl::unexpected(std::string(option) + ": " + reason);
}

tl::expected<Budget, std::string> budgetOf(std::string_view option, const std::string& text) {
    auto budget = parseBudget(text);
    if (!budget)
        return wrong(option, budget.error());
    return *budget;
}

tl::expected<std::int64_t, std::string> valueOf(StepAxis axis, std::string_view option,
                                                const std::string& text) {
    return axis == StepAxis::Bandwidth ? parseBandwidth(option, text) : parseCount(option, text);
}

} // namespace

std::string defaultValues(StepAxis axis) {
    switch (axis) {
    case StepAxis::Bandwidth:
        return "5,10,15,20,25,30,35,40,45,50,55,60";
    case StepAxis::Batch:
        return "1,2,4,8,16,32,64";
    case StepAxis::Sequence:
        return "256,512,1024,2048,4096,8192";
    }
    return {};
}

tl::expected<std::vector<std::string>, std::string> splitList(std::string_view option,
                                                              const std::string& list) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (;;) {
        const std::size_t comma = list.find(',', begin);
        parts.push_back(list.substr(begin, comma - begin));
        if (parts.back().empty())
            return wrong(option, quotedText(list) +
                                     " has an empty entry; write one comma between two entries "
                                     "and none at the ends");
        if (comma == std::string::npos)
            return parts;
        begin = comma + 1;
    }
}

tl::expected<std::int64_t, std::string> parseBandwidth(std::string_view option, const std::string& text) {
    std::string size = text;
    for (const std::string_view suffix : {"/s", "/S"}) {
        if (size.ends_with(suffix))
            size.resize(size.size() - suffix.size());
    }
    if (!size.empty() && (size.back() == '.' || (size.back() >= '0' && size.back() <= '9')))
        size += "GB";
    const auto bytes = parseSize(size);
    if (!bytes || *bytes < 1)
        return wrong(option, quotedText(text) +
                                 " is not a bandwidth; write it in GB/s, such as 25 or 12.5, or with its "
                                 "unit, such as 800MB/s");
    return *bytes;
}

tl::expected<std::int64_t, std::string> parseCount(std::string_view option, const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > largestQuantity)
        return wrong(option, quotedText(text) + " is not a whole number from 1 on");
    return value;
}

tl::expected<double, std::string> parseKeep(const std::string& text) {
    const auto share = parseBudget(text);
    if (!share || !share->percentMillionths || *share->percentMillionths < 1 ||
        *share->percentMillionths > 100'000'000)
        return wrong("--keep",
                     quotedText(text) + " is not a percentage above 0% and up to 100%, such as 95%");
    return static_cast<double>(*share->percentMillionths) / 1e8;
}

tl::expected<BudgetRange, std::string> parseBudgets(const ValueTexts& texts, std::int64_t defaultSteps) {
    BudgetRange range;
    range.steps = texts.steps.value_or(defaultSteps);
    if (texts.values) {
        const auto entries = splitList("--values", *texts.values);
        if (!entries)
            return tl::unexpected(entries.error());
        for (const std::string& text : *entries) {
            const auto budget = budgetOf("--values", text);
            if (!budget)
                return tl::unexpected(budget.error());
            range.values.push_back(*budget);
        }
    }
    if (texts.from) {
        const auto budget = budgetOf("--from", *texts.from);
        if (!budget)
            return tl::unexpected(budget.error());
        range.from = *budget;
    }
    if (texts.to) {
        const auto budget = budgetOf("--to", *texts.to);
        if (!budget)
            return tl::unexpected(budget.error());
        range.to = *budget;
    }
    return range;
}

tl::expected<std::vector<Bytes>, std::string> resolve(const BudgetRange& range, Bytes unlimitedPeakBytes) {
    std::vector<Bytes> budgets;
    for (const Budget& budget : range.values)
        budgets.push_back(budget.resolve(unlimitedPeakBytes));
    if (range.values.empty()) {
        const Bytes from = range.from.resolve(unlimitedPeakBytes);
        const Bytes to = range.to.resolve(unlimitedPeakBytes);
        if (from > to)
            return wrong("--from", "is larger than --to; exchange them");
        if (range.from.percentMillionths && range.to.percentMillionths) {
            for (std::int64_t millionths :
                 evenBudgets(*range.from.percentMillionths, *range.to.percentMillionths,
                             static_cast<std::int32_t>(range.steps)))
                budgets.push_back(Budget{millionths, 0}.resolve(unlimitedPeakBytes));
        } else {
            budgets = evenBudgets(from, to, static_cast<std::int32_t>(range.steps));
        }
    }
    std::sort(budgets.begin(), budgets.end());
    budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
    return budgets;
}

tl::expected<std::vector<std::int64_t>, std::string> parseAxisValues(StepAxis axis, const ValueTexts& texts) {
    std::vector<std::int64_t> values;
    if (texts.from || texts.to || texts.steps) {
        if (!texts.from || !texts.to)
            return wrong(texts.from ? "--from"
                         : texts.to ? "--to"
                                    : "--steps",
                         "needs both ends on this axis; give --from and --to, or --values");
        const auto from = valueOf(axis, "--from", *texts.from);
        if (!from)
            return tl::unexpected(from.error());
        const auto to = valueOf(axis, "--to", *texts.to);
        if (!to)
            return tl::unexpected(to.error());
        if (*from > *to)
            return wrong("--from", "is larger than --to; exchange them");
        constexpr std::int64_t defaultSteps = 11;
        values = evenBudgets(*from, *to, static_cast<std::int32_t>(texts.steps.value_or(defaultSteps)));
    } else {
        const auto entries = splitList("--values", texts.values.value_or(defaultValues(axis)));
        if (!entries)
            return tl::unexpected(entries.error());
        for (const std::string& text : *entries) {
            const auto value = valueOf(axis, "--values", text);
            if (!value)
                return tl::unexpected(value.error());
            values.push_back(*value);
        }
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

} // namespace slackscope::cli
