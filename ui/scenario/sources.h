// Where each number of a scenario comes from, in one sentence.
#pragma once

#include "ui/session/scenario.h"

#include <QString>

namespace slackscope {

enum class ScenarioField {
    Model,
    Batch,
    Sequence,
    Attention,
    Precision,
    Loss,
    Device,
    Link,
    Bandwidth,
    MatmulEfficiency,
    MemoryEfficiency,
    Strategy
};

// `step` null: nothing is loaded.
QString sourceOf(ScenarioField field, const LoadedStep* step, const std::string& strategy);

} // namespace slackscope
