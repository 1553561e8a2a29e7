#include "core/report/quantities.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace slackscope {

std::string formatReal(double value, int decimals) {
    // Room for the largest double.
    std::array<char, 400> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, decimals)
            .ptr;
    return {digits.data(), end};
}

std::string formatPercent(double share, int decimals) {
    return formatReal(share * 100.0, decimals) + " %";
}

std::string formatCount(std::int64_t count) {
    std::string digits = std::to_string(count);
    const std::size_t sign = count < 0 ? 1 : 0;
    for (std::size_t i = digits.size(); i > sign + 3;) {
        i -= 3;
        digits.insert(i, 1, ',');
    }
    return digits;
}

std::string formatBytes(Bytes bytes) {
    constexpr std::array<std::string_view, 5> units{"KiB", "MiB", "GiB", "TiB", "PiB"};
    if (bytes > -1024 && bytes < 1024)
        return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
    double value = static_cast<double>(bytes) / 1024.0;
    std::size_t unit = 0;
    // What rounds to 1024.0 of a unit is 1.00 of the next.
    for (; std::abs(value) >= 1023.995 && unit + 1 < units.size(); ++unit)
        value /= 1024.0;
    return formatReal(value, 2) + " " + std::string(units[unit]);
}

std::string formatExactBytes(Bytes bytes) {
    std::string text = formatBytes(bytes);
    if (!text.ends_with("iB"))
        return text; // is exact
    return text + " (" + formatCount(bytes) + " bytes)";
}

std::string formatBandwidth(std::int64_t bytesPerS) {
    constexpr std::array<std::string_view, 5> units{"B/s", "KB/s", "MB/s", "GB/s", "TB/s"};
    double value = static_cast<double>(bytesPerS);
    std::size_t unit = 0;
    // What rounds to 1000 of a unit is 1 of the next.
    for (; value >= 999.9995 && unit + 1 < units.size(); ++unit)
        value /= 1000.0;
    std::string digits = formatReal(value, 3);
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.ends_with('.'))
        digits.pop_back();
    return digits + " " + std::string(units[unit]);
}

std::string formatNanoseconds(Nanoseconds time) {
    const double value = static_cast<double>(time);
    const double size = std::abs(value);
    if (size < 1e3)
        return std::to_string(time) + " ns";
    if (size < 999.95e3)
        return formatReal(value / 1e3, 1) + " us";
    if (size < 9999.95e6)
        return formatReal(value / 1e6, size < 99.995e6 ? 2 : 1) + " ms";
    return formatReal(value / 1e9, 2) + " s";
}

std::string formatRate(double perSecond) {
    if (perSecond >= 99.95)
        return formatCount(std::llround(perSecond));
    return formatReal(perSecond, perSecond < 9.995 ? 2 : 1);
}

} // namespace slackscope
