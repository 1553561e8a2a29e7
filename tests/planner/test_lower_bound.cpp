// The lower bound: never above what a program takes, close to it where profiles are layered, and steady.
// Against every choice on tiny profiles it is held in test_brute_force.cpp.
#include "core/planner/lower_bound.h"
#include "core/planner/strategy.h"
#include "tests/support/cases.h"
#include "tests/support/profiles.h"

#include <QtTest>

using namespace slackscope;
using namespace slackscope::test;

class TestLowerBound : public QObject {
    Q_OBJECT
private slots:
    void noStrategyIsFaster() {
        int compared = 0;
        for (std::uint64_t seed = 1; seed <= cases(150U); ++seed) {
            RandomProfile shape;
            shape.operators = 1 + static_cast<int>(seed % 30);
            const auto graph = graphOf(randomProfile(seed, shape));
            LowerBound bound(graph);
            const Bytes peak = unlimitedPeak(graph);
            for (const int percent : {100, 85, 60, 40}) {
                const Bytes budget = peak * percent / 100;
                const Nanoseconds least = bound.stepNs(budget);
                QVERIFY(least >= graph->idealNs());
                for (const StrategyInfo* strategy : strategies()) {
                    const Plan plan = strategy->prepare(graph, {}, {})->plan(budget);
                    if (!plan.feasible())
                        continue;
                    ++compared;
                    QVERIFY2(
                        least <= plan.stepNs(),
                        qPrintable(
                            QString("seed %1, %2 at %3 %").arg(seed).arg(strategy->id.data()).arg(percent)));
                }
            }
        }
        QVERIFY(compared > cases(500));
    }

    void noStrategyIsFasterOnRandomLayers() {
        int compared = 0;
        for (std::uint64_t seed = 1; seed <= cases(30U); ++seed) {
            const auto graph = graphOf(randomLayers(seed));
            QVERIFY(graph->operatorCount() >= 20 && graph->operatorCount() <= 60);
            LowerBound bound(graph);
            const Bytes peak = unlimitedPeak(graph);
            for (const int percent : {60, 45, 30}) {
                const Bytes budget = peak * percent / 100;
                const Nanoseconds least = bound.stepNs(budget);
                for (const StrategyInfo* strategy : strategies()) {
                    const Plan plan = strategy->prepare(graph, {}, {})->plan(budget);
                    compared += plan.feasible() ? 1 : 0;
                    QVERIFY2(
                        !plan.feasible() || least <= plan.stepNs(),
                        qPrintable(
                            QString("seed %1, %2 at %3 %").arg(seed).arg(strategy->id.data()).arg(percent)));
                }
            }
        }
        QVERIFY(compared > cases(100));
    }

    void isCloseOnLayers_data() {
        QTest::addColumn<int>("percent");
        for (const int percent : {90, 70, 50, 40})
            QTest::addRow("%d %%", percent) << percent;
    }
    void isCloseOnLayers() {
        QFETCH(int, percent);
        const auto graph = graphOf(layeredProfile(24));
        const Bytes budget = unlimitedPeak(graph) * percent / 100;
        const Nanoseconds least = LowerBound(graph).stepNs(budget);
        const Nanoseconds found = findStrategy("slackswap")->prepare(graph, {}, {})->plan(budget).stepNs();
        QVERIFY(least <= found);
        QVERIFY2((found - least) * 100 <= found, qPrintable(QString("%1 and %2").arg(least).arg(found)));
    }

    void anUnlimitedBudgetBoundsByTheIdealTime() {
        const auto graph = graphOf(layeredProfile(4));
        QCOMPARE(LowerBound(graph).stepNs(unlimitedPeak(graph)), graph->idealNs());
    }

    void fewerPositionsAreStillABound() {
        const auto graph = graphOf(layeredProfile(24));
        LowerBound all(graph, 1000);
        LowerBound few(graph, 12);
        for (const int percent : {80, 60, 40}) {
            const Bytes budget = unlimitedPeak(graph) * percent / 100;
            // A hair of room: the two programs are solved to a tolerance of their own.
            QVERIFY(few.stepNs(budget) <= all.stepNs(budget) + graph->idealNs() / 1'000'000);
        }
    }

    void fallsAsTheBudgetGrows() {
        int steps = 0;
        for (std::uint64_t seed = 1; seed <= cases(15U); ++seed) {
            const auto graph = graphOf(randomLayers(seed));
            LowerBound bound(graph);
            const Bytes peak = unlimitedPeak(graph);
            const auto strategy = findStrategy("slackswap")->prepare(graph, {}, {});
            Nanoseconds atMore = 0;
            for (int percent = 90; percent >= 40; percent -= 5) {
                const Bytes budget = peak * percent / 100;
                if (!strategy->plan(budget).feasible())
                    break; // where there is no program, any step time bounds them all
                const Nanoseconds least = bound.stepNs(budget);
                QVERIFY2(least >= atMore - graph->idealNs() / 1'000'000,
                         qPrintable(QString("seed %1 at %2 %").arg(seed).arg(percent)));
                steps += least > atMore ? 1 : 0;
                atMore = least;
            }
        }
        QVERIFY(steps > cases(30));
    }

    void theOrderOfBudgetsDoesNotMatter() {
        const auto graph = graphOf(layeredProfile(12));
        const Bytes peak = unlimitedPeak(graph);
        LowerBound used(graph);
        for (const int percent : {90, 30, 70, 50, 99, 40}) {
            const Bytes budget = peak * percent / 100;
            const Nanoseconds fresh = LowerBound(graph).stepNs(budget);
            QCOMPARE(used.stepNs(budget), fresh);
        }
    }

    void largeProfilesGetTheIdealTime() {
        const auto graph = graphOf(layeredProfile(LowerBound::mostOperators / 5 + 1));
        QVERIFY(graph->operatorCount() > LowerBound::mostOperators);
        QCOMPARE(LowerBound(graph).stepNs(unlimitedPeak(graph) / 2), graph->idealNs());
    }

    void oneOperatorAndOnePosition() {
        const auto graph = graphOf(chainProfile(1));
        QCOMPARE(LowerBound(graph, 1).stepNs(0), graph->idealNs());
    }

    void budgetsThatNothingMeetsEndToo() {
        const auto graph = graphOf(layeredProfile(4));
        QVERIFY(LowerBound(graph).stepNs(0) >= graph->idealNs());
        QVERIFY(LowerBound(graph).stepNs(1) >= graph->idealNs());
    }
};

QTEST_APPLESS_MAIN(TestLowerBound)
#include "test_lower_bound.moc"
