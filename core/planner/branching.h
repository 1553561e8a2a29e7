// Branch and bound on a linear program: a better lower bound where some variables are whole numbers.
//
// If each of some columns is 0 or 1 in every solution that matters, then for any one of them the optimum is
// the lesser of that with the column at 0 and that with it at 1; and so on for each of the two. The least
// bound of any set of leaves that covers all cases is a bound (Land and Doig 1960, "An Automatic Method of
// Solving Discrete Programming Problems", doi 10.2307/1910129). The bound of a leaf comes from the dual value
// (linear_program.h), so nothing rests on what the solver claims, nor on which columns are branched on.
#pragma once

#include "core/planner/linear_program.h"

#include <functional>
#include <vector>

namespace slackscope {

struct Branching {
    struct Column {
        int column = 0;
        double weight = 1; // those with more are branched on first
    };
    std::vector<Column> columns; // that are 0 or 1
    int mostNodes = 0;           // linear programs solved after the first
    double enough = 0;           // a bound that needs no more
    std::function<bool()> stop;  // asked at each node
};

// A lower bound of the program's optimum under that condition; without nodes, of the program as it is.
double branchedBound(const LinearProgram& program, const Branching& branching);

} // namespace slackscope
