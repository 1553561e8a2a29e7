// Where each saved tensor stands in the decision map. Depends on the profile only, never on a plan.
//
// With layers: a row per tensor kind in order of first appearance, a column per layer, and columns before and
// after for what belongs to no layer. Without layers: a row per kind, the n-th tensor of the kind in column
// n. Where that would be too wide or too tall to read (more than 256 columns or 64 rows), the tensors simply
// flow in profile order, row by row.
#pragma once

#include "core/profile/step_graph.h"

#include <QString>

#include <vector>

namespace slackscope::figures {

struct DecisionCell {
    TensorIndex tensor = none;
    std::int32_t row = 0;
    std::int32_t column = 0;
    std::int32_t part = 0; // several tensors of one kind and layer share a slot side by side
    std::int32_t parts = 1;
};

struct DecisionGrid {
    enum class Shape : std::uint8_t { Layers, Kinds, Flow };
    Shape shape = Shape::Flow;
    std::vector<DecisionCell> cells;        // by row, column, part
    std::vector<QString> rows;              // labels
    std::vector<QString> columns;           // labels
    std::vector<std::int32_t> cellOfTensor; // by tensor: index into cells, or none
    std::vector<std::int32_t> firstCell;    // by slot row * columns + column; one more at the end
    Bytes largestBytes = 0;                 // of one cell
};

DecisionGrid makeDecisionGrid(const StepGraph& graph);

} // namespace slackscope::figures
