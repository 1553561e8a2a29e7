#include "core/planner/branching.h"

#include <coin/ClpSimplex.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

namespace slackscope {

namespace {

class Tree {
public:
    Tree(const LinearProgram& program, const Branching& branching)
        : program_(program), branching_(branching), rises_(branching.columns.size()) {
        solver_.setLogLevel(0);
        program.load(solver_);
    }

    double bound() {
        solver_.initialDualSolve();
        Leaf root;
        measure(root, 0);
        push(std::move(root));
        int nodes = 0;
        while (!open_.empty() && open_.top().bound < std::min(branching_.enough, closed_) &&
               nodes + 2 <= branching_.mostNodes && !(branching_.stop && branching_.stop())) {
            const Leaf leaf = open_.top();
            open_.pop();
            for (const int value : {0, 1})
                grow(leaf, value);
            nodes += 2;
        }
        return open_.empty() ? closed_ : std::min(open_.top().bound, closed_);
    }

private:
    struct Leaf {
        double bound = 0;
        std::vector<LinearProgram::Fixed> fixed;
        std::vector<unsigned char> basis;
        std::size_t next = 0; // of the branching columns
        double part = -1;     // its value; -1: none is left to branch on
        bool operator<(const Leaf& other) const { return bound > other.bound; } // the least is on top
    };
    // By how much the bound rose per unit of a column's change, in each direction.
    struct Rise {
        double sum[2] = {0, 0};
        int count[2] = {0, 0};
        double of(int value) const { return count[value] > 0 ? sum[value] / count[value] : -1; }
    };

    void grow(const Leaf& parent, int value) {
        Leaf leaf;
        leaf.fixed = parent.fixed;
        leaf.fixed.push_back({branching_.columns[parent.next].column, static_cast<double>(value)});
        for (int column = 0; column < program_.columnCount(); ++column)
            solver_.setColumnBounds(column, 0, program_.upper(column));
        for (const LinearProgram::Fixed& fixed : leaf.fixed)
            solver_.setColumnBounds(fixed.column, fixed.value, fixed.value);
        solver_.copyinStatus(parent.basis.data());
        solver_.dual();
        measure(leaf, parent.bound);
        Rise& rise = rises_[parent.next];
        rise.sum[value] += (leaf.bound - parent.bound) / (value == 1 ? 1 - parent.part : parent.part);
        ++rise.count[value];
        push(std::move(leaf));
    }

    void push(Leaf leaf) {
        if (leaf.part < 0)
            closed_ = std::min(closed_, leaf.bound);
        else
            open_.push(std::move(leaf));
    }

    // What the solver found, its bound proved anew. What holds of the parent holds of the leaf.
    void measure(Leaf& leaf, double parentBound) {
        leaf.bound = std::max(parentBound, program_.dualValue(solver_.dualRowSolution(), leaf.fixed));
        if (!leaf.fixed.empty() && solver_.isProvenPrimalInfeasible()) {
            leaf.bound = std::max(leaf.bound, alongRay(leaf));
            return;
        }
        if (!solver_.isProvenOptimal())
            return;
        leaf.basis.assign(solver_.statusArray(),
                          solver_.statusArray() + program_.columnCount() + program_.rowCount());
        const double* values = solver_.primalColumnSolution();
        double best = -1;
        for (std::size_t i = 0; i < branching_.columns.size(); ++i) {
            const double part = values[branching_.columns[i].column];
            constexpr double whole = 1e-6;
            if (part < whole || part > 1 - whole)
                continue;
            const double down = rises_[i].of(0);
            const double up = rises_[i].of(1);
            const double merit =
                branching_.columns[i].weight *
                (down < 0 || up < 0 ? untried * std::min(part, 1 - part)
                                    : std::max(least, down * part) * std::max(least, up * (1 - part)));
            if (merit > best) {
                best = merit;
                leaf.next = i;
                leaf.part = part;
            }
        }
    }

    // Of a leaf without a solution: the dual value grows without end along a ray of prices.
    double alongRay(const Leaf& leaf) const {
        const std::unique_ptr<double[]> ray(solver_.infeasibilityRay());
        if (!ray)
            return leaf.bound;
        double best = leaf.bound;
        for (const double sign : {1.0, -1.0}) {
            for (const double length : {1e3, 1e6}) {
                std::vector<double> prices(solver_.dualRowSolution(),
                                           solver_.dualRowSolution() + program_.rowCount());
                for (std::size_t i = 0; i < prices.size(); ++i)
                    prices[i] += sign * length * ray[i];
                best = std::max(best, program_.dualValue(prices.data(), leaf.fixed));
            }
        }
        return best;
    }

    // Merits in units of the program's cost (microseconds): a column that was never tried is worth trying.
    static constexpr double untried = 50;
    static constexpr double least = 1e-3;

    const LinearProgram& program_;
    const Branching& branching_;
    ClpSimplex solver_;
    std::priority_queue<Leaf> open_;
    double closed_ = std::numeric_limits<double>::infinity(); // least bound of leaves that are done
    std::vector<Rise> rises_;                                 // by branching column
};

} // namespace

double branchedBound(const LinearProgram& program, const Branching& branching) {
    return Tree(program, branching).bound();
}

} // namespace slackscope
