// Cuts, against every assignment of small programs.
#include "core/planner/branching.h"
#include "core/planner/cuts.h"
#include "tests/support/cases.h"
#include "tests/support/covers.h"

#include <QtTest>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

using namespace slackscope;
using namespace slackscope::test;

namespace {

// Covers with waiting: what a row lacks may be made up for by a column that is not whole, at a price.
LinearProgram withWaiting(const Covers& covers, double mostWaiting) {
    LinearProgram made;
    for (const double each : covers.cost)
        made.column(1, each);
    const int waiting = made.column(mostWaiting, 3);
    for (int row = 0; row < Covers::rows; ++row) {
        LinearProgram::Sum sum = Covers::sum(covers.factor[row]);
        sum.push_back({waiting, row % 2 == 0 ? 1.0 : 2.0});
        made.atLeast(sum, covers.need[row]);
    }
    made.atMost(Covers::sum(covers.weight), covers.limit);
    const int all = made.column(100, 0);
    LinearProgram::Sum count{{all, -1}};
    for (int column = 0; column < Covers::columns; ++column)
        count.push_back({column, 1});
    made.equal(count, 0);
    return made;
}

// The values of a solution: `taken`, the least waiting that it needs and `more`. Empty: there is none.
std::vector<double> solution(const Covers& covers, unsigned taken, double mostWaiting, double more) {
    if (Covers::total(covers.weight, taken) > covers.limit)
        return {};
    double waiting = 0;
    for (int row = 0; row < Covers::rows; ++row)
        waiting =
            std::max(waiting, (covers.need[row] - Covers::total(covers.factor[row], taken)) / (1 + row % 2));
    if (waiting + more > mostWaiting)
        return {};
    std::vector<double> values;
    for (int column = 0; column < Covers::columns; ++column)
        values.push_back(taken >> column & 1);
    values.push_back(waiting + more);
    values.push_back(std::popcount(taken));
    return values;
}

double valueOf(const LinearProgram::Sum& sum, const std::vector<double>& values) {
    double total = 0;
    for (const LinearProgram::Term& term : sum)
        total += term.factor * values[static_cast<std::size_t>(term.column)];
    return total;
}

Cutting cutting(int rounds) {
    Cutting made;
    for (int column = 0; column < Covers::columns; ++column)
        made.whole.push_back(column);
    made.mostRounds = rounds;
    made.mostStalled = rounds;
    made.enough = 1e6;
    return made;
}

} // namespace

class TestCuts : public QObject {
    Q_OBJECT
private slots:
    void anyMultiplesMakeRowsThatEverySolutionHas() {
        constexpr double mostWaiting = 30;
        int made = 0;
        int tight = 0;
        std::mt19937_64 random(1);
        for (std::uint64_t seed = 1; seed <= cases(100U); ++seed) {
            const Covers covers(seed);
            const LinearProgram program = withWaiting(covers, mostWaiting);
            std::vector<char> whole(static_cast<std::size_t>(program.columnCount()), 0);
            std::fill_n(whole.begin(), Covers::columns, 1);
            std::vector<std::vector<double>> solutions;
            for (unsigned taken = 0; taken < 1U << Covers::columns; ++taken) {
                for (const double more : {0.0, 0.3, 5.0}) {
                    if (auto values = solution(covers, taken, mostWaiting, more); !values.empty())
                        solutions.push_back(std::move(values));
                }
            }
            for (int repeat = 0; repeat < 20; ++repeat) {
                std::vector<double> multiples, near;
                for (int row = 0; row < program.rowCount(); ++row)
                    multiples.push_back(
                        random() % 4 != 0 ? 0 : static_cast<double>(random() % 2'001) / 700 - 1.4);
                for (int column = 0; column < program.columnCount(); ++column)
                    near.push_back(program.upper(column) * static_cast<double>(random() % 2));
                const auto cut = roundedCut(program, whole, multiples, near);
                if (!cut)
                    continue;
                ++made;
                double least = std::numeric_limits<double>::infinity();
                for (const std::vector<double>& values : solutions)
                    least = std::min(least, valueOf(cut->sum, values));
                QVERIFY2(least >= cut->least, qPrintable(QString("seed %1").arg(seed)));
                tight += least < cut->least + 1e-2 ? 1 : 0; // factors are at most one
            }
        }
        QVERIFY(made > cases(1'000));
        QVERIFY2(tight > cases(50), qPrintable(QString("%1 of %2").arg(tight).arg(made)));
    }

    void boundTheOptimum() {
        int raised = 0;
        int reached = 0;
        int better = 0; // with cuts from nearby vertices too
        int worse = 0;
        for (std::uint64_t seed = 1; seed <= cases(500U); ++seed) {
            const Covers covers(seed);
            const LinearProgram program = covers.program();
            const double optimum = covers.optimum();
            const double plain = branchedBound(program, {});
            double before = plain;
            for (const int rounds : {0, 1, 5, 40}) {
                Cutting nearby = cutting(rounds);
                nearby.moreVertices = 2;
                nearby.aside = 0.5;
                const double more = branchedBound(withCuts(program, nearby), {});
                QVERIFY2(more <= optimum, qPrintable(QString("seed %1").arg(seed)));
                const double bound = branchedBound(withCuts(program, cutting(rounds)), {});
                better += more > bound + 1e-3 ? 1 : 0;
                worse += more < bound - 1e-3 ? 1 : 0;
                QVERIFY2(bound <= optimum, qPrintable(QString("seed %1").arg(seed)));
                QVERIFY2(bound >= plain - 1e-6, qPrintable(QString("seed %1").arg(seed)));
                before = bound;
            }
            raised += before > plain + 1e-3 ? 1 : 0;
            reached += before > optimum - 1e-3 ? 1 : 0;
        }
        QVERIFY(raised > cases(100));
        QVERIFY(reached > cases(50));
        QVERIFY2(better > 2 * worse + cases(20), qPrintable(QString("%1 and %2").arg(better).arg(worse)));
    }

    void stopWhereItIsEnoughOrAskedTo() {
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            const LinearProgram program = Covers(seed).program();
            const double plain = branchedBound(program, {});
            Cutting asked = cutting(40);
            asked.stop = [] { return true; };
            QVERIFY(withCuts(program, asked).rowCount() <= program.rowCount());
            Cutting enough = cutting(40);
            enough.enough = plain / 2;
            QVERIFY(withCuts(program, enough).rowCount() <= program.rowCount());
            QVERIFY(branchedBound(withCuts(program, asked), {}) <= plain + 1e-6);
        }
    }
};

QTEST_APPLESS_MAIN(TestCuts)
#include "test_cuts.moc"
