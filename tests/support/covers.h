// Small programs of whole numbers, and their optimum from trying every assignment.
#pragma once

#include "core/planner/linear_program.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace slackscope::test {

// Covers: take columns of some cost until each row has enough, within a limit.
struct Covers {
    static constexpr int columns = 9;
    static constexpr int rows = 5;

    explicit Covers(std::uint64_t seed) {
        std::mt19937_64 random(seed);
        const auto number = [&](int most) {
            return static_cast<double>(random() % static_cast<unsigned>(most + 1));
        };
        for (double& each : cost)
            each = 1 + number(30);
        for (int row = 0; row < rows; ++row) {
            double sum = 0;
            for (double& each : factor[row])
                sum += each = number(9);
            need[row] = std::floor(sum * (20 + number(60)) / 100);
        }
        for (double& each : weight)
            each = number(9);
        limit = 8 + number(40);
    }

    LinearProgram program() const {
        LinearProgram made;
        for (const double each : cost)
            made.column(1, each);
        for (int row = 0; row < rows; ++row)
            made.atLeast(sum(factor[row]), need[row]);
        made.atMost(sum(weight), limit);
        return made;
    }

    // Infinite where no assignment will do.
    double optimum() const {
        double best = std::numeric_limits<double>::infinity();
        for (unsigned taken = 0; taken < 1U << columns; ++taken) {
            bool possible = total(weight, taken) <= limit;
            for (int row = 0; row < rows; ++row)
                possible = possible && total(factor[row], taken) >= need[row];
            if (possible)
                best = std::min(best, total(cost, taken));
        }
        return best;
    }

    static LinearProgram::Sum sum(const double (&factors)[columns]) {
        LinearProgram::Sum made;
        for (int column = 0; column < columns; ++column)
            made.push_back({column, factors[column]});
        return made;
    }
    static double total(const double (&values)[columns], unsigned taken) {
        double sum = 0;
        for (int column = 0; column < columns; ++column)
            sum += (taken >> column & 1) != 0 ? values[column] : 0;
        return sum;
    }

    double cost[columns] = {};
    double factor[rows][columns] = {};
    double need[rows] = {};
    double weight[columns] = {};
    double limit = 0;
};

} // namespace slackscope::test
