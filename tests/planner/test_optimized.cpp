// optimized: as fast as it says it is.
#include "core/input/input.h"
#include "core/planner/lower_bound.h"
#include "core/planner/strategy.h"
#include "tests/support/cases.h"
#include "tests/support/physics.h"
#include "tests/support/profiles.h"

#include <QtTest>

#include <random>

using namespace slackscope;
using namespace slackscope::test;

namespace {

using GraphPtr = std::shared_ptr<const StepGraph>;

GraphPtr presetGraph(const char* name) {
    return graphOf(loadInput(name, {})->profile);
}

// All of them; where each is slow, the paths and a first search.
constexpr int mostRounds = fewerCases ? 8 : 100;

void refine(PreparedStrategy& prepared) {
    for (int round = 0; round < mostRounds && prepared.refine({}); ++round) {
    }
}

std::unique_ptr<PreparedStrategy> prepareOptimized(const GraphPtr& graph) {
    return findStrategy("optimized")->prepare(graph, {}, {});
}

std::unique_ptr<PreparedStrategy> refinedOptimized(const GraphPtr& graph) {
    auto prepared = prepareOptimized(graph);
    refine(*prepared);
    return prepared;
}

// The plan's step time, infeasible plans last.
Nanoseconds stepOrNever(const Plan& plan) {
    return plan.feasible() ? plan.stepNs() : std::numeric_limits<Nanoseconds>::max();
}

} // namespace

class TestOptimized : public QObject {
    Q_OBJECT
private slots:
    void isNeverSlowerThanAnotherStrategy() {
        int compared = 0;
        for (std::uint64_t seed = 1; seed <= cases(14U); ++seed) {
            const auto graph = graphOf(seed % 2 ? randomLayers(seed) : randomProfile(seed));
            const auto optimized = refinedOptimized(graph);
            const Bytes peak = unlimitedPeak(graph);
            std::mt19937_64 random(seed);
            std::vector<Bytes> budgets{peak, peak / 2};
            for (int i = 0; i < 12; ++i)
                budgets.push_back(static_cast<Bytes>(random() % static_cast<std::uint64_t>(peak + 1)));
            for (const StrategyInfo* strategy : strategies()) {
                const auto other = strategy->prepare(graph, {}, {});
                budgets.push_back(other->plan(0).minimumBudgetBytes);
                for (const Bytes budget : budgets) {
                    const Plan theirs = other->plan(budget);
                    const Plan ours = optimized->plan(budget);
                    QVERIFY2(stepOrNever(ours) <= stepOrNever(theirs),
                             qPrintable(QString("seed %1, %2 at %3 bytes: %4 against %5")
                                            .arg(seed)
                                            .arg(strategy->id.data())
                                            .arg(budget)
                                            .arg(ours.stepNs())
                                            .arg(theirs.stepNs())));
                    QVERIFY2(violations(ours).empty(), joined(violations(ours)).c_str());
                    compared += theirs.feasible() ? 1 : 0;
                }
            }
        }
        QVERIFY(compared > cases(300));
    }

    void isNeverSlowerAtALargerBudget_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("rounds");
        QTest::newRow("bert-large") << "bert-large" << 8;
        QTest::newRow("gpt2-xl") << "gpt2-xl" << 8;
        QTest::newRow("llama-7b") << "llama-7b" << 8;
        QTest::newRow("uneven layers") << "" << mostRounds;
    }
    void isNeverSlowerAtALargerBudget() {
        QFETCH(QString, name);
        QFETCH(int, rounds);
        const auto graph = name.isEmpty() ? graphOf(randomLayers(7)) : presetGraph(name.toUtf8());
        const auto optimized = prepareOptimized(graph);
        for (int round = 0; round < rounds && optimized->refine({}); ++round) {
        }
        const Bytes peak = unlimitedPeak(graph);
        Nanoseconds before = std::numeric_limits<Nanoseconds>::max();
        const int budgets = cases(200);
        for (int i = 1; i <= budgets; ++i) {
            // Budgets between the rooms too.
            const Nanoseconds stepNs = stepOrNever(optimized->plan(peak * i / budgets + i % 3));
            QVERIFY2(
                stepNs <= before,
                qPrintable(QString("%1 of %2: %3 after %4").arg(i).arg(budgets).arg(stepNs).arg(before)));
            before = stepNs;
        }
        QCOMPARE(before, graph->idealNs());
    }

    void roundsForOneBudgetServeItAndLargerOnes() {
        int faster = 0;
        for (const std::uint64_t seed : {33U, 106U, 7U}) {
            const auto graph = graphOf(randomLayers(seed));
            const Bytes peak = unlimitedPeak(graph);
            const auto plain = prepareOptimized(graph);
            const auto optimized = prepareOptimized(graph);
            while (plain->refineAt(0, {})) { // no program fits: the paths alone
            }
            Nanoseconds before = std::numeric_limits<Nanoseconds>::max();
            const Bytes budget = peak / 2;
            for (int round = 0; round < mostRounds && optimized->refineAt(budget, {}); ++round) {
                const Nanoseconds stepNs = stepOrNever(optimized->plan(budget));
                QVERIFY(stepNs <= before);
                before = stepNs;
            }
            faster += before < stepOrNever(plain->plan(budget)) ? 1 : 0;
            QVERIFY(stepOrNever(optimized->plan(budget - 1)) <= stepOrNever(plain->plan(budget - 1)));
            QVERIFY(stepOrNever(optimized->plan(budget + peak / 100)) <= before);
            const Plan plan = optimized->plan(budget);
            QVERIFY(plan.feasible());
            QVERIFY(plan.simulated->timeline.peakBytes <= budget);
        }
        QVERIFY(faster > 0);
    }

    void isCloseToTheBoundOnRandomLayersToo() {
        if (fewerCases)
            QSKIP("Searches in full, which takes long under a sanitizer.");
        for (const std::uint64_t seed : {4U, 33U, 66U, 106U, 108U}) { // those it had been furthest from
            const auto graph = graphOf(randomLayers(seed));
            const Bytes budget = unlimitedPeak(graph) / 2;
            const auto optimized = prepareOptimized(graph);
            refineFullyAt(*optimized, budget, {});
            const Plan plan = optimized->plan(budget);
            QVERIFY(plan.feasible());
            const Nanoseconds stepNs = plan.stepNs();
            const Nanoseconds least = LowerBound(graph).stepNs(budget, stepNs);
            QVERIFY2(least * 100 >= stepNs * 94,
                     qPrintable(QString("seed %1: %2 of %3").arg(seed).arg(least).arg(stepNs)));
        }
    }

    // Published quality, in parts of a thousand of the bound's throughput.
    void isCloseToTheBound_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"bert-large", "gpt2-xl", "llama-7b"})
            QTest::newRow(name) << name;
    }
    void isCloseToTheBound() {
        QFETCH(QString, name);
        const auto graph = presetGraph(name.toUtf8());
        const auto optimized = prepareOptimized(graph);
        for (int round = 0; round < 7; ++round) // the paths; the searches are not needed for this
            optimized->refine({});
        LowerBound bound(graph);
        const Bytes peak = unlimitedPeak(graph);
        for (const auto& [percent, perMille] :
             {std::pair{90, 995}, {70, 995}, {50, 995}, {40, 990}, {30, 990}, {20, 990}, {10, 970}}) {
            const Bytes budget = peak * percent / 100;
            const Plan plan = optimized->plan(budget);
            QVERIFY2(bound.stepNs(budget) * 1000 >= plan.stepNs() * perMille,
                     qPrintable(QString("at %1 %: %2 against %3")
                                    .arg(percent)
                                    .arg(plan.stepNs())
                                    .arg(bound.stepNs(budget))));
            QVERIFY(bound.stepNs(budget) <= plan.stepNs());
        }
    }

    void roundsNeverMakeAPlanSlower() {
        for (std::uint64_t seed = 1; seed <= cases(5U); ++seed) {
            const auto graph = graphOf(randomLayers(seed));
            const Bytes peak = unlimitedPeak(graph);
            const auto optimized = prepareOptimized(graph);
            std::vector<Nanoseconds> before(19, std::numeric_limits<Nanoseconds>::max());
            Bytes minimum = std::numeric_limits<Bytes>::max();
            int round = 0;
            do {
                ++round;
                for (std::size_t i = 0; i < before.size(); ++i) {
                    const Nanoseconds stepNs =
                        stepOrNever(optimized->plan(peak * static_cast<Bytes>(i + 1) / 19));
                    QVERIFY2(stepNs <= before[i],
                             qPrintable(QString("seed %1, round %2, budget %3 of 19: %4 after %5")
                                            .arg(seed)
                                            .arg(round)
                                            .arg(i + 1)
                                            .arg(stepNs)
                                            .arg(before[i])));
                    before[i] = stepNs;
                }
                const Bytes now = optimized->plan(0).minimumBudgetBytes;
                QVERIFY(now <= minimum);
                minimum = now;
            } while (round < mostRounds && optimized->refine({}));
        }
    }

    // At its least budget, where a plan has the fewest ways: fixing one decision finds nothing faster.
    void noPinHelpsAtTheLeastBudget() {
        int pinned = 0;
        int helped = 0;
        for (std::uint64_t seed = 1; seed <= cases(9U, 2U); ++seed) {
            const auto graph = graphOf(randomProfile(seed, {8, true, true, 100, 100}));
            const auto optimized = prepareOptimized(graph);
            refineFully(*optimized, {});
            const Bytes budget = optimized->plan(0).minimumBudgetBytes;
            const Nanoseconds stepNs = optimized->plan(budget).stepNs();
            for (const TensorIndex t : graph->savedTensors()) {
                for (const Decision decision : {Decision::Keep, Decision::Offload, Decision::Recompute}) {
                    const Pins pins{{t, decision}};
                    if (!checkPins(*graph, pins))
                        continue;
                    const auto other = findStrategy("optimized")->prepare(graph, pins, {});
                    refineFully(*other, {});
                    ++pinned;
                    helped += stepOrNever(other->plan(budget)) < stepNs ? 1 : 0;
                }
            }
        }
        QVERIFY(pinned > cases(90, 10));
        QVERIFY2(helped == 0, qPrintable(QString("%1 of %2").arg(helped).arg(pinned)));
    }

    // Asked for other budgets before, at other rounds, it still says the same.
    void plansDoNotDependOnWhatWasAskedBefore() {
        const auto graph = graphOf(randomLayers(3));
        const Bytes peak = unlimitedPeak(graph);
        const auto plain = refinedOptimized(graph);
        const auto asked = prepareOptimized(graph);
        int round = 0;
        do {
            for (const int percent : {95, 20, 71, 55, 3})
                (void)asked->plan(peak * percent / 100);
        } while (round++ < mostRounds && asked->refine({}));
        for (int percent = 100; percent > 0; percent -= 7) {
            const Plan a = plain->plan(peak * percent / 100);
            const Plan b = asked->plan(peak * percent / 100);
            QCOMPARE(a.feasible(), b.feasible());
            QCOMPARE(a.decisions, b.decisions);
            if (a.feasible())
                QVERIFY(a.simulated->timeline == b.simulated->timeline);
        }
    }

    void anInterruptedRoundChangesNothing() {
        const auto graph = graphOf(randomLayers(5));
        const Bytes budget = unlimitedPeak(graph) * 2 / 5;
        const auto plain = refinedOptimized(graph);
        const auto interrupted = prepareOptimized(graph);
        // Each round is stopped after a few questions, a few more each time, and then done to its end.
        for (int patience = 0, more = 1, round = 0; more && round < mostRounds; patience += 3, ++round) {
            int asked = 0;
            interrupted->refine([&] { return ++asked > patience; });
            more = interrupted->refine({});
        }
        QCOMPARE(plain->plan(budget).decisions, interrupted->plan(budget).decisions);
        QCOMPARE(plain->plan(budget).stepNs(), interrupted->plan(budget).stepNs());
    }
};

QTEST_APPLESS_MAIN(TestOptimized)
#include "test_optimized.moc"
