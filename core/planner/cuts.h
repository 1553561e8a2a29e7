// Gomory's mixed integer cuts: rows that every solution has whose chosen columns are 0 or 1, and that cut off
// the optimum of a linear program where they are not (Gomory 1963, "An Algorithm for the Mixed Integer
// Problem", RAND RM-2597; as mixed integer rounding: Nemhauser and Wolsey 1990, "A Recursive Procedure to
// Generate All Cuts for 0-1 Mixed Integer Programs", doi 10.1007/BF01585752).
//
// Any multiples of the rows, their slacks written out, add up to an equation
//
//   sum a_j x_j + sum g_k y_k = b     x_j whole and y_k any number, all at least 0
//
// where a column may stand for what it lacks of its upper limit. Let f(v) be v less the greatest whole number
// up to v, and f(b) > 0. Then
//
//   sum c_j x_j + sum d_k y_k >= 1
//
//   c_j = f(a_j) / f(b) where f(a_j) <= f(b), else (1 - f(a_j)) / (1 - f(b))
//   d_k = g_k / f(b) where g_k >= 0, else -g_k / (1 - f(b))
//
// for a_j may be replaced by f(a_j) or f(a_j) - 1 without changing f(b); the left side is then either at
// least f(b), or at most f(b) - 1, and the terms above and below zero alone reach that.
//
// The multiples are those that the solver's basis proposes. The cut is computed here from the rows
// themselves, and what rounding can come to is taken off its limit, so that it rests on them alone. So any
// basis serves: a round may take cuts from the optimum and from those of slightly different costs too, which
// are other vertices nearby.
#pragma once

#include "core/planner/linear_program.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace slackscope {

struct Cut {
    LinearProgram::Sum sum; // at least
    double least = 0;
};

// The cut of these multiples (by row), columns that are above half their upper limit in `values` counted from
// there. Whole columns, of an upper limit of 1, are marked. nullopt: none that is of use.
std::optional<Cut> roundedCut(const LinearProgram& program, std::span<const char> whole,
                              std::span<const double> multiples, std::span<const double> values);

struct Cutting {
    std::vector<int> whole;                                  // columns that are 0 or 1
    int mostRounds = 0;                                      // of cuts
    int mostStalled = 0;                                     // rounds in a row that hardly raise the bound
    int moreVertices = 0;                                    // that each round takes cuts from
    double aside = 0;                                        // by so much their costs differ at most
    double enough = std::numeric_limits<double>::infinity(); // a bound that needs no more
    std::function<bool()> stop;
};

// The program with cuts, less the rows that were not found to matter: its optimum is a lower bound too.
LinearProgram withCuts(const LinearProgram& program, const Cutting& cutting);

} // namespace slackscope
