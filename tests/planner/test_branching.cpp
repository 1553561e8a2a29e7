// Branch and bound, against every assignment of small programs.
#include "core/planner/branching.h"
#include "tests/support/cases.h"

#include <QtTest>

#include <cmath>
#include <random>

using namespace slackscope;
using namespace slackscope::test;

namespace {

constexpr int columns = 9;
constexpr int rows = 5;

// Covers: take columns of some cost until each row has enough, within a limit.
struct Covers {
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

Branching allColumns(int nodes, double enough = 1e9) {
    Branching made;
    for (int column = 0; column < columns; ++column)
        made.columns.push_back({column, 1});
    made.mostNodes = nodes;
    made.enough = enough;
    return made;
}

} // namespace

class TestBranching : public QObject {
    Q_OBJECT
private slots:
    void boundsTheOptimumAndReachesIt() {
        int raised = 0;
        int solvable = 0;
        for (std::uint64_t seed = 1; seed <= cases(500U); ++seed) {
            const Covers covers(seed);
            const LinearProgram program = covers.program();
            const double optimum = covers.optimum();
            double before = 0;
            for (const int nodes : {0, 2, 6, 20, 2'000}) {
                const double bound = branchedBound(program, allColumns(nodes));
                QVERIFY2(bound <= optimum, qPrintable(QString("seed %1").arg(seed)));
                QVERIFY2(bound >= before - 1e-6, qPrintable(QString("seed %1").arg(seed)));
                raised += nodes > 0 && bound > before + 1e-3 ? 1 : 0;
                before = bound;
            }
            if (!std::isinf(optimum)) {
                ++solvable;
                QVERIFY2(before >= optimum - 1e-6, qPrintable(QString("seed %1").arg(seed)));
            }
        }
        QVERIFY(solvable > cases(100));
        QVERIFY(raised > cases(100));
    }

    void stopsWhereItIsEnoughOrAskedTo() {
        int stopped = 0;
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            const Covers covers(seed);
            const LinearProgram program = covers.program();
            const double plain = branchedBound(program, allColumns(0));
            QCOMPARE(branchedBound(program, allColumns(2'000, plain / 2)), plain);
            Branching asked = allColumns(2'000);
            asked.stop = [] { return true; };
            QCOMPARE(branchedBound(program, asked), plain);
            stopped += branchedBound(program, allColumns(2'000)) > plain ? 1 : 0;
        }
        QVERIFY(stopped > 0);
    }
};

QTEST_APPLESS_MAIN(TestBranching)
#include "test_branching.moc"
