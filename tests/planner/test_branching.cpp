// Branch and bound, against every assignment of small programs.
#include "core/planner/branching.h"
#include "tests/support/cases.h"
#include "tests/support/covers.h"

#include <QtTest>

#include <cmath>

using namespace slackscope;
using namespace slackscope::test;

namespace {

Branching allColumns(int nodes, double enough = 1e9) {
    Branching made;
    for (int column = 0; column < Covers::columns; ++column)
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
