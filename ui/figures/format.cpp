#include "ui/figures/format.h"

#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace slackscope::figures {

namespace {

// Numbers are written the same for everyone: a picture in a paper must not depend on the author's locale.
QString number(double value, int decimals) {
    return QString::number(value, 'f', decimals);
}

// Decimals that give about three significant digits.
int decimalsFor(double value) {
    const double size = std::abs(value);
    if (size >= 99.95)
        return 0;
    return size >= 9.995 ? 1 : 2;
}

struct Unit {
    double size;
    const char* name;
};

// The largest unit that leaves at least 1 after rounding to three digits.
template <std::size_t Count>
const Unit& unitFor(const std::array<Unit, Count>& units, double value) {
    for (const Unit& unit : units) {
        if (std::abs(value) >= unit.size * 0.9995)
            return unit;
    }
    return units.back();
}

constexpr std::array<Unit, 6> byteUnits{{{1125899906842624.0, "PiB"},
                                         {1099511627776.0, "TiB"},
                                         {1073741824.0, "GiB"},
                                         {1048576.0, "MiB"},
                                         {1024.0, "KiB"},
                                         {1.0, "B"}}};
constexpr std::array<Unit, 4> timeUnits{{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1.0, "ns"}}};
constexpr std::array<Unit, 5> rateUnits{
    {{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "KB/s"}, {1.0, "B/s"}}};
constexpr std::array<Unit, 5> countUnits{{{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {1.0, ""}}};

QString withUnit(double value, const Unit& unit, int decimals) {
    return number(value, decimals) + QLatin1Char(' ') + QString::fromUtf8(unit.name);
}

int stepDecimals(double step) {
    int decimals = 0;
    for (double scaled = step; decimals < 6 && std::abs(scaled - std::round(scaled)) > 1e-6 * scaled;
         scaled *= 10)
        ++decimals;
    return decimals;
}

} // namespace

QString formatBytes(Bytes bytes) {
    const auto value = static_cast<double>(bytes);
    const Unit& unit = unitFor(byteUnits, value);
    const double scaled = value / unit.size;
    return withUnit(scaled, unit, unit.size == 1.0 ? 0 : decimalsFor(scaled));
}

QString formatTime(Nanoseconds ns) {
    const auto value = static_cast<double>(ns);
    const Unit& unit = unitFor(timeUnits, value);
    const double scaled = value / unit.size;
    if (unit.size == 1.0)
        return withUnit(scaled, unit, 0);
    // One decimal always: step times of hundreds of milliseconds are compared by tenths.
    return withUnit(scaled, unit, std::max(1, decimalsFor(scaled)));
}

QString formatInstant(Nanoseconds ns) {
    const auto value = static_cast<double>(ns);
    const Unit& unit = unitFor(timeUnits, value);
    return withUnit(value / unit.size, unit, unit.size == 1.0 ? 0 : 3);
}

QString formatPercent(double fraction) {
    return number(fraction * 100.0, 1) + QStringLiteral(" %");
}

QString formatBandwidth(double bytesPerS) {
    const Unit& unit = unitFor(rateUnits, bytesPerS);
    const double scaled = bytesPerS / unit.size;
    return withUnit(scaled, unit, unit.size == 1.0 ? 0 : decimalsFor(scaled));
}

QString formatRate(Bytes bytes, Nanoseconds ns) {
    if (ns <= 0)
        return QStringLiteral("-");
    return formatBandwidth(static_cast<double>(bytes) * 1e9 / static_cast<double>(ns));
}

QString formatCount(double count) {
    const Unit& unit = unitFor(countUnits, count);
    const double scaled = count / unit.size;
    const int decimals = unit.size == 1.0 && scaled == std::round(scaled) ? 0 : decimalsFor(scaled);
    return number(scaled, decimals) + QString::fromUtf8(unit.name);
}

QString formatTimeTick(double ns, double stepNs) {
    if (std::abs(ns) < stepNs * 1e-6)
        return QStringLiteral("0");
    // One unit for the whole axis, chosen by the step, so that neighbours read alike.
    const Unit& unit = unitFor(timeUnits, stepNs * 9.9);
    return withUnit(ns / unit.size, unit, stepDecimals(stepNs / unit.size));
}

QString formatBytesTick(double bytes, double stepBytes) {
    if (std::abs(bytes) < stepBytes * 1e-6)
        return QStringLiteral("0");
    const Unit& unit = unitFor(byteUnits, bytes);
    return withUnit(bytes / unit.size, unit, std::min(2, stepDecimals(stepBytes / unit.size)));
}

} // namespace slackscope::figures
