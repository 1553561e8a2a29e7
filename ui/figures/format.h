// Numbers as people read them: the same everywhere in the window and in exports.
#pragma once

#include "core/profile/units.h"

#include <QString>

namespace slackscope::figures {

// "3.24 GiB", "64.0 MiB", "512 B"; three significant digits, powers of 1024.
QString formatBytes(Bytes bytes);
// "115.7 ms", "26.0 µs", "512 ns", "2.50 s".
QString formatTime(Nanoseconds ns);
// A moment of the step, to a thousandth of the unit that suits it: "40.123 ms", "12.500 µs".
QString formatInstant(Nanoseconds ns);
// "96.0 %" from 0.96.
QString formatPercent(double fraction);
// "24.8 GB/s", powers of 1000 as links are sold; "-" when no time passed.
QString formatRate(Bytes bytes, Nanoseconds ns);
QString formatBandwidth(double bytesPerS);
// "70.8 k", "15.4 M", "812".
QString formatCount(double count);

// Tick labels: the fewest decimals that tell ticks `step` apart; "0" at zero.
QString formatTimeTick(double ns, double stepNs);
QString formatBytesTick(double bytes, double stepBytes);

} // namespace slackscope::figures
