// What the user has chosen to look at, and what was loaded for it.
#pragma once

#include "core/input/input.h"
#include "core/planner/costs.h"
#include "core/planner/plan.h"

#include <QString>

#include <memory>
#include <string>
#include <vector>

namespace slackscope {

// A model preset's id or the path of a file, and the options of its analytic profile.
struct Scenario {
    std::string input;
    AnalyticOptions options;
    bool operator==(const Scenario&) const = default;
};

// A scenario that was loaded: everything about it that does not depend on strategy and budget.
struct LoadedStep {
    Scenario scenario;
    InputKind kind = InputKind::ProfileFile;
    std::optional<TransformerConfig> config; // absent for a profile file: its options are the file's
    QString name;
    std::shared_ptr<const StepGraph> graph;
    std::vector<RecomputeCost> costs;      // by tensor
    std::shared_ptr<const Plan> unlimited; // everything kept
    Bytes unlimitedPeakBytes = 0;
};
using LoadedStepPtr = std::shared_ptr<const LoadedStep>;

} // namespace slackscope
