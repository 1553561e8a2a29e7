#include "app/cli/size_text.h"

#include "core/profile/input_error.h"

#include <algorithm>
#include <array>

namespace slackscope::cli {

namespace {

constexpr std::string_view howToWrite = "write a percentage of the unlimited peak (50%), a size with its "
                                        "unit (12GiB, 12GB) or bytes (5394000000)";
constexpr std::string_view howToWriteSize = "write a size with its unit (12GiB, 12GB) or bytes (5394000000)";

struct Unit {
    std::string_view name;
    std::int64_t factor;
};

constexpr std::array units{Unit{"", 1},
                           Unit{"b", 1},
                           Unit{"kb", 1000},
                           Unit{"mb", 1'000'000},
                           Unit{"gb", 1'000'000'000},
                           Unit{"tb", 1'000'000'000'000},
                           Unit{"kib", 1LL << 10},
                           Unit{"mib", 1LL << 20},
                           Unit{"gib", 1LL << 30},
                           Unit{"tib", 1LL << 40}};

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

// Decimal digits, kept exact: value = whole + millionths / 10^6.
struct Number {
    std::int64_t whole = 0;
    std::int64_t millionths = 0;
    bool hasFraction = false;
};

// Takes a number off the front of `text`, if there is one. Whole parts beyond 2^53 stop just above it.
std::optional<Number> takeNumber(std::string_view& text) {
    Number number;
    std::size_t i = 0;
    for (; i < text.size() && isDigit(text[i]); ++i)
        number.whole = std::min(number.whole * 10 + (text[i] - '0'), largestQuantity + 1);
    if (i == 0)
        return std::nullopt;
    if (i + 1 < text.size() && text[i] == '.' && isDigit(text[i + 1])) {
        number.hasFraction = true;
        std::int64_t place = 100'000;
        for (++i; i < text.size() && isDigit(text[i]); ++i, place /= 10)
            number.millionths += place * (text[i] - '0'); // digits past the sixth count nothing
    }
    text.remove_prefix(i);
    return number;
}

std::string lowered(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return lower;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

struct Quantity {
    Number number;
    std::string unit; // lower case
};

tl::expected<Quantity, std::string> split(std::string_view text, std::string_view how) {
    std::string_view rest = trimmed(text);
    const std::string shown = quotedText(text);
    if (rest.empty())
        return tl::unexpected("is empty; " + std::string(how));
    if (rest.front() == '-')
        return tl::unexpected(shown + " is negative; " + std::string(how));
    const auto number = takeNumber(rest);
    if (!number)
        return tl::unexpected(shown + " is not a size; " + std::string(how));
    return Quantity{*number, lowered(trimmed(rest))};
}

tl::expected<Bytes, std::string> sizeOf(const Quantity& quantity, std::string_view text,
                                        std::string_view how) {
    const std::string shown = quotedText(text);
    const auto* const unit = std::find_if(
        units.begin(), units.end(), [&](const Unit& candidate) { return candidate.name == quantity.unit; });
    if (unit == units.end()) {
        constexpr std::string_view prefixes = "kmgt";
        if (quantity.unit.size() == 1 && prefixes.find(quantity.unit.front()) != std::string_view::npos) {
            const std::string letter(1, static_cast<char>(quantity.unit.front() - 'a' + 'A'));
            return tl::unexpected(shown + " could mean two sizes; write " + letter +
                                  "B (powers of 1000) or " + letter + "iB (powers of 1024)");
        }
        return tl::unexpected(shown + " is not a size; " + std::string(how));
    }
    if (quantity.number.hasFraction && unit->factor == 1)
        return tl::unexpected(shown + " has a fraction of a byte; " + std::string(how));
    const Wide millionths = Wide{quantity.number.whole} * 1'000'000 + quantity.number.millionths;
    const Wide bytes = millionths * unit->factor / 1'000'000;
    if (bytes > largestQuantity)
        return tl::unexpected(shown + " is more than 2^53 bytes, the most that can be counted");
    return static_cast<Bytes>(bytes);
}

} // namespace

tl::expected<Bytes, std::string> parseSize(std::string_view text) {
    const auto quantity = split(text, howToWriteSize);
    if (!quantity)
        return tl::unexpected(quantity.error());
    return sizeOf(*quantity, text, howToWriteSize);
}

tl::expected<Budget, std::string> parseBudget(std::string_view text) {
    const auto quantity = split(text, howToWrite);
    if (!quantity)
        return tl::unexpected(quantity.error());
    if (quantity->unit != "%") {
        const auto bytes = sizeOf(*quantity, text, howToWrite);
        if (!bytes)
            return tl::unexpected(bytes.error());
        return Budget{std::nullopt, *bytes};
    }
    if (quantity->number.whole > largestPercent)
        return tl::unexpected(quotedText(text) + " is above " + std::to_string(largestPercent) +
                              " %; 100 % is all that the step can use");
    return Budget{quantity->number.whole * 1'000'000 + quantity->number.millionths, 0};
}

Bytes Budget::resolve(Bytes unlimitedPeakBytes) const {
    if (!percentMillionths)
        return bytes;
    return static_cast<Bytes>(Wide{unlimitedPeakBytes} * *percentMillionths / 100'000'000);
}

} // namespace slackscope::cli
