// How much a test tries. What it tries is the same everywhere; where each try is slow (with a sanitizer, some
// ten times) it tries a tenth of it.
#pragma once

#include <algorithm>

namespace slackscope::test {

#ifdef SLACKSCOPE_FEWER_CASES
inline constexpr bool fewerCases = true;
#else
inline constexpr bool fewerCases = false;
#endif

// The number of cases, seeds or rounds of a test that takes `inFull` of them, and what it may expect of them:
// for (std::uint64_t seed = 1; seed <= cases(600U); ++seed) ... QVERIFY(feasible > cases(5000)).
// Never fewer than `atLeast`.
template <class Count>
constexpr Count cases(Count inFull, Count atLeast = 1) {
    return fewerCases ? std::max(atLeast, inFull / Count{10}) : inFull;
}

} // namespace slackscope::test
