// What a sweep was of: said in every form of it.
#pragma once

#include "core/planner/decision.h"

#include <string>
#include <vector>

namespace slackscope {

// A pin by the id of its tensor, for results that belong to no single graph.
struct NamedPin {
    std::string tensor;
    Decision decision = Decision::Keep;
    bool operator==(const NamedPin&) const = default;
};

struct SweepSubject {
    std::string profile;        // its name
    std::vector<NamedPin> pins; // that every strategy honoured; the bound holds with them and without
};

} // namespace slackscope
