// The two quantities of the product, and the limits on them.
#pragma once

#include <cstdint>

namespace slackscope {

using Bytes = std::int64_t;       // whole bytes
using Nanoseconds = std::int64_t; // whole nanoseconds

// Largest value a file may give for one size or one time, and largest sum of all sizes or of all times of
// one profile: 2^53, up to which a JSON number is exact. It keeps every sum in the core far inside 64 bits.
inline constexpr std::int64_t largestQuantity = std::int64_t{1} << 53;

// Largest time that all copies of a profile may take together, and that one simulated program may take.
inline constexpr Nanoseconds largestDuration = std::int64_t{1} << 60;

// For products of two quantities. A compiler extension (GCC, Clang); __extension__ says that we know.
__extension__ using Wide = __int128;

} // namespace slackscope
