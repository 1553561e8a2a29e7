// What happens to a saved tensor between its last forward use and its first backward use.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace slackscope {

enum class Decision : std::uint8_t { Keep, Offload, Recompute };

inline constexpr std::array<Decision, 3> allDecisions{Decision::Keep, Decision::Offload, Decision::Recompute};

// The word used in files and on the command line.
constexpr std::string_view decisionName(Decision decision) {
    switch (decision) {
    case Decision::Keep:
        return "keep";
    case Decision::Offload:
        return "offload";
    case Decision::Recompute:
        return "recompute";
    }
    return "keep";
}

} // namespace slackscope
