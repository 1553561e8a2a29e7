// The exact search and the lower bound against an oracle that tries every program of tiny profiles: orders,
// repeats and timings. The oracle itself is held to programs that simulate and to every strategy.
#include "core/planner/exact_search.h"
#include "core/planner/lower_bound.h"
#include "core/planner/strategy.h"
#include "tests/support/cases.h"
#include "tests/support/oracle.h"
#include "tests/support/physics.h"
#include "tests/support/profiles.h"

#include <QtTest>

#include <algorithm>

using namespace slackscope;
using namespace slackscope::test;

namespace {

// What the neediest item takes alone: no program meets less.
Bytes leastNeed(const StepGraph& graph) {
    Bytes most = 0;
    Bytes gradients = 0;
    const auto sum = [&](std::initializer_list<std::span<const TensorIndex>> lists) {
        std::vector<TensorIndex> all;
        for (const auto list : lists)
            all.insert(all.end(), list.begin(), list.end());
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        Bytes bytes = 0;
        for (const TensorIndex t : all)
            bytes += graph.tensor(t).bytes;
        return bytes;
    };
    for (OperatorIndex op = graph.operatorCount() - 1; op >= 0; --op) {
        gradients += graph.gradientBytesOpened(op);
        most = std::max({most, gradients + sum({graph.saved(op)}) + graph.op(op).backwardWorkspaceBytes,
                         sum({graph.inputs(op), graph.outputs(op)}) + graph.op(op).forwardWorkspaceBytes});
        gradients -= graph.gradientBytesClosed(op);
    }
    return most;
}

// Three budgets between what the neediest item takes and the unlimited peak.
std::vector<Bytes> tightBudgets(const std::shared_ptr<const StepGraph>& graph) {
    const Bytes least = leastNeed(*graph);
    const Bytes room = unlimitedPeak(graph) - least;
    return {least + room / 10, least + room * 4 / 10, least + room * 7 / 10};
}

} // namespace

class TestExactSearch : public QObject {
    Q_OBJECT
private slots:
    // Rows of operators, and fewer of the wilder random graphs.
    void theBoundHoldsAndIsTight_data() {
        QTest::addColumn<bool>("wild");
        QTest::addColumn<int>("seeds");
        QTest::addRow("tiny") << false << cases(300);
        QTest::addRow("random") << true << cases(80);
    }
    void theBoundHoldsAndIsTight() {
        QFETCH(bool, wild);
        QFETCH(int, seeds);
        int found = 0;
        int impossible = 0;
        int gaveUp = 0;
        int attained = 0;
        int optimal = 0;
        int raised = 0;
        double gap = 0;
        double worst = 0;
        for (int seed = 1; seed <= seeds; ++seed) {
            const auto number = static_cast<std::uint64_t>(seed);
            const auto graph = graphOf(wild ? randomProfile(number, {2 + seed % 3, true, true, 20, 20})
                                            : tinyProfile(number));
            if (graph->tensorCount() > 12)
                continue;
            LowerBound bound(graph);
            LowerBound linear(graph, LowerBound::mostPositions, 1);
            const ExactSearch search(graph);
            for (const Bytes budget : tightBudgets(graph)) {
                const FastestProgram best = fastestProgram(*graph, budget, 40'000);
                if (best.outcome == Outcome::GaveUp) {
                    ++gaveUp;
                    continue;
                }
                const auto name = [&] {
                    return QString("seed %1 at %2 bytes: ").arg(seed).arg(budget).toStdString();
                };
                const ExactSearch::Result exact = search.run(budget, LowerBound::mostStates);
                QVERIFY2(exact.infeasible == (best.outcome == Outcome::NoProgram), name().c_str());
                Nanoseconds fastest = largestDuration;
                for (const StrategyInfo* strategy : strategies()) {
                    const Plan plan = strategy->prepare(graph, {}, {})->plan(budget);
                    if (plan.feasible())
                        fastest = std::min(fastest, plan.stepNs());
                }
                if (best.outcome == Outcome::NoProgram) {
                    ++impossible;
                    QVERIFY2(fastest == largestDuration, name().c_str());
                    continue;
                }
                ++found;
                QVERIFY2(fastest >= best.stepNs, name().c_str());
                optimal += fastest == best.stepNs ? 1 : 0;
                const Nanoseconds least = bound.stepNs(budget);
                QVERIFY2(least <= best.stepNs, name().c_str());
                // The linear program by itself, as it is and branched on.
                const Nanoseconds plain = linear.stepNs(budget);
                const Nanoseconds branched = linear.stepNs(budget, best.stepNs);
                QVERIFY2(plain <= branched && branched <= best.stepNs, name().c_str());
                raised += branched > plain ? 1 : 0;
                QVERIFY2(exact.boundNs <= best.stepNs, name().c_str());
                QVERIFY2(!exact.optimal || exact.boundNs == best.stepNs, name().c_str());
                const double here =
                    least > 0 ? static_cast<double>(best.stepNs - least) / static_cast<double>(least) : 0.0;
                gap += here;
                worst = std::max(worst, here);

                // The oracle's program is one: it assembles, and where the simulator's order of choices
                // allows that run, it takes just as long.
                const auto program = Program::assemble(graph, best.instructions);
                QVERIFY2(program.has_value(), (name() + (program ? "" : program.error().reason)).c_str());
                const auto timeline = simulate(*program, budget);
                if (!timeline)
                    continue;
                QVERIFY2(timeline->stepNs >= best.stepNs, name().c_str());
                attained += timeline->stepNs == best.stepNs ? 1 : 0;
                const auto broken = violations(*program, *timeline, budget);
                QVERIFY2(broken.empty(), (name() + joined(broken)).c_str());
            }
        }
        qInfo(
            "%d budgets with a program, %d without, %d given up; oracle attained %d times, by strategies %d; "
            "mean gap of the bound %.2f %%, worst %.2f %%; raised by branching %d times",
            found, impossible, gaveUp, attained, optimal, 100 * gap / found, 100 * worst, raised);
        QVERIFY(found >= seeds);
        QVERIFY(gaveUp * 3 <= found);
        QVERIFY(attained * 100 >= found * 85);
        QVERIFY(optimal * 4 >= found);
        QVERIFY(raised > 0);
        QVERIFY(100 * gap / found < 3.0);
    }

    // Without the search the bound is looser, and still one: held to the optimum of the search, which the
    // oracle has judged above.
    void theLinearProgramHoldsAlone() {
        int compared = 0;
        int above = 0;  // more than the ideal time
        int raised = 0; // by branching
        for (std::uint64_t seed = 1; seed <= cases(150U); ++seed) {
            const bool wide = seed % 2 == 0;
            const int operators = 3 + static_cast<int>(seed % 6);
            const auto graph = graphOf(randomProfile(seed, {operators, wide, seed % 5 != 0, 100, 100}));
            const ExactSearch search(graph);
            LowerBound all(graph, LowerBound::mostPositions, 1);
            LowerBound few(graph, 5, 1);
            for (const int percent : {90, 75, 60}) {
                const Bytes budget = unlimitedPeak(graph) * percent / 100;
                const ExactSearch::Result exact = search.run(budget, 5'000);
                if (!exact.optimal)
                    continue;
                ++compared;
                above += all.stepNs(budget) > graph->idealNs() ? 1 : 0;
                const auto name = QString("seed %1 at %2 %").arg(seed).arg(percent);
                QVERIFY2(all.stepNs(budget) <= exact.boundNs, qPrintable(name));
                QVERIFY2(few.stepNs(budget) <= exact.boundNs, qPrintable(name));
                for (LowerBound* bound : {&all, &few}) {
                    const Nanoseconds plain = bound->stepNs(budget);
                    const Nanoseconds branched = bound->stepNs(budget, exact.boundNs);
                    QVERIFY2(plain <= branched && branched <= exact.boundNs, qPrintable(name));
                    raised += branched > plain ? 1 : 0;
                }
            }
        }
        QVERIFY(compared > cases(100));
        QVERIFY(raised > cases(20));
        QVERIFY(above > cases(40));
    }

    void everyLimitOfStatesGivesABound() {
        int cut = 0;
        for (std::uint64_t seed = 1; seed <= cases(40U); ++seed) {
            const auto graph = graphOf(tinyProfile(seed));
            const ExactSearch search(graph);
            for (const Bytes budget : tightBudgets(graph)) {
                const ExactSearch::Result whole = search.run(budget, 1'000'000);
                if (!whole.optimal)
                    continue;
                Nanoseconds before = 0;
                for (const std::int64_t states : {1, 3, 10, 30, 100, 300}) {
                    const ExactSearch::Result part = search.run(budget, states);
                    cut += part.optimal ? 0 : 1;
                    QVERIFY2(!part.infeasible, qPrintable(QString("seed %1").arg(seed)));
                    QVERIFY2(part.boundNs <= whole.boundNs && part.boundNs >= before,
                             qPrintable(QString("seed %1, %2 states").arg(seed).arg(states)));
                    before = part.boundNs;
                }
            }
        }
        QVERIFY(cut > cases(100));
    }

    void theOptimumFallsAsTheBudgetGrows() {
        int compared = 0;
        for (std::uint64_t seed = 1; seed <= cases(60U); ++seed) {
            const auto graph = graphOf(tinyProfile(seed));
            LowerBound bound(graph);
            const ExactSearch search(graph);
            const Bytes peak = unlimitedPeak(graph);
            Nanoseconds atMore = graph->idealNs();
            for (Bytes budget = peak; budget >= leastNeed(*graph); --budget) {
                const ExactSearch::Result exact = search.run(budget, LowerBound::mostStates);
                if (exact.infeasible)
                    break;
                if (!exact.optimal)
                    continue;
                const Nanoseconds least = bound.stepNs(budget);
                QVERIFY2(least >= atMore, qPrintable(QString("seed %1 at %2").arg(seed).arg(budget)));
                compared += least > atMore ? 1 : 0;
                atMore = least;
            }
        }
        QVERIFY(compared > cases(50));
    }

    void largerProfilesDoNotFit() {
        QVERIFY(ExactSearch::fits(*graphOf(chainProfile(63))));
        QVERIFY(!ExactSearch::fits(*graphOf(chainProfile(64))));
    }

    // Forty equal tensors, half of which must go: more ways to choose them than any search could visit.
    void manyEqualTensorsEnd() {
        Profile profile = chainProfile(3);
        for (int i = 0; i < 40; ++i) {
            profile.tensors.push_back({"wide" + std::to_string(i), "", 10, 0});
            const auto wide = static_cast<TensorIndex>(profile.tensors.size()) - 1;
            profile.operators[0].outputs.push_back(wide);
            profile.operators[1].inputs.push_back(wide);
            profile.operators[1].saved.push_back(wide);
        }
        const auto graph = StepGraph::build(std::move(profile)).value();
        LowerBound bound(graph);
        const Bytes peak = unlimitedPeak(graph);
        QVERIFY(bound.stepNs(peak * 3 / 5) >= graph->idealNs());
        for (const StrategyInfo* strategy : strategies()) {
            const Plan plan = strategy->prepare(graph, {}, {})->plan(peak * 19 / 20);
            QVERIFY(!plan.feasible() || plan.stepNs() >= bound.stepNs(peak * 19 / 20));
        }
    }
};

QTEST_APPLESS_MAIN(TestExactSearch)
#include "test_exact_search.moc"
