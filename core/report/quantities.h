// Sizes, times and shares as people read them. The same in every locale: a decimal point, commas between
// thousands.
#pragma once

#include "core/profile/units.h"

#include <string>

namespace slackscope {

std::string formatBytes(Bytes bytes);            // "5.02 GiB", "512 bytes"; powers of 1024
std::string formatExactBytes(Bytes bytes);       // "5.02 GiB (5,394,000,000 bytes)", "512 bytes"
std::string formatNanoseconds(Nanoseconds time); // "266.1 ms", "12.3 us", "0 ns", "2.5 s"
std::string formatCount(std::int64_t count);     // "15,393"
std::string formatReal(double value, int decimals);
std::string formatPercent(double share, int decimals = 1); // 0.5 -> "50.0 %"
// Bytes per second in the largest unit of 1000s that is not below 1, at most three decimals: "12.5 GB/s", "1
// B/s".
std::string formatBandwidth(std::int64_t bytesPerS);
// At most three significant digits before thousands are grouped: "15,393", "15.0", "0.42".
std::string formatRate(double perSecond);

} // namespace slackscope
