// Every strategy on profiles of every shape: the physics hold, the budget holds, and what is said of an
// infeasible budget is true.
#include "core/planner/costs.h"
#include "core/planner/strategy.h"
#include "tests/support/cases.h"
#include "tests/support/physics.h"
#include "tests/support/profiles.h"

#include <QtTest>

using namespace slackscope;
using namespace slackscope::test;

class TestStrategies : public QObject {
    Q_OBJECT
private slots:
    void randomGraphsObeyThePhysics() {
        int feasible = 0;
        int infeasible = 0;
        for (std::uint64_t seed = 1; seed <= cases(600U); ++seed) {
            RandomProfile shape;
            shape.operators = 1 + static_cast<int>(seed % 40);
            const auto graph = graphOf(randomProfile(seed, shape));
            const Bytes peak = unlimitedPeak(graph);
            for (const StrategyInfo* strategy : strategies()) {
                const auto prepared = strategy->prepare(graph, {}, {});
                for (const int percent : {200, 100, 90, 70, 50, 40, 30, 10, 1, 0}) {
                    const Plan plan = prepared->plan(peak * percent / 100);
                    const auto broken = violations(plan);
                    QVERIFY2(broken.empty(), qPrintable(QString("seed %1, %2 at %3 %: %4")
                                                            .arg(seed)
                                                            .arg(strategy->id.data())
                                                            .arg(percent)
                                                            .arg(QString::fromStdString(joined(broken)))));
                    plan.feasible() ? ++feasible : ++infeasible;
                }
            }
        }
        QVERIFY(feasible > cases(5000)); // the test means nothing if nearly all is infeasible
        QVERIFY(infeasible > cases(1000));
    }

    void theMinimumBudgetWorksAndOneByteLessDoesNot() {
        for (std::uint64_t seed = 1; seed <= cases(100U); ++seed) {
            const auto graph = graphOf(randomProfile(seed));
            for (const StrategyInfo* strategy : strategies()) {
                const auto prepared = strategy->prepare(graph, {}, {});
                const Plan starved = prepared->plan(0);
                const Bytes minimum = starved.minimumBudgetBytes;
                const Plan at = prepared->plan(minimum);
                QVERIFY(at.feasible());
                QVERIFY2(violations(at).empty(), joined(violations(at)).c_str());
                if (minimum > 0)
                    QVERIFY(!prepared->plan(minimum - 1).feasible());
            }
        }
    }

    // x -> x1 -> x2 -> ..., every x feeds a saved s, and every backward needs the whole chain again.
    void longChainsOfTransientsEnd() {
        constexpr int length = cases(1000, 200);
        Profile profile = chainProfile(1);
        profile.tensors = {{"x0", "", 10, 10}};
        profile.operators.clear();
        for (int i = 0; i < length; ++i) {
            const std::string number = std::to_string(i + 1);
            const auto x = static_cast<TensorIndex>(profile.tensors.size());
            profile.tensors.push_back({"x" + number, "", 10, 10});
            profile.tensors.push_back({"s" + number, "", 100, 0});
            profile.operators.push_back(
                {"f" + number, "", std::nullopt, 1, 1, {i == 0 ? 0 : x - 2}, {x}, {}, 0, 0, true});
            profile.operators.push_back(
                {"g" + number, "", std::nullopt, 1, 1, {x}, {x + 1}, {x + 1}, 0, 0, true});
        }
        const auto graph = graphOf(std::move(profile));
        for (const StrategyInfo* strategy : strategies()) {
            const Plan plan = strategy->prepare(graph, {}, {})->plan(unlimitedPeak(graph) / 2);
            QVERIFY2(violations(plan).empty(), joined(violations(plan)).c_str());
        }
    }

    void ranksAreAnOrder() {
        for (std::uint64_t seed = 1; seed <= cases(50U); ++seed) {
            Profile profile = randomProfile(seed, {40, true, true, 3, 3});
            const auto graph = graphOf(std::move(profile));
            const auto costs = recomputeCosts(*graph);
            std::vector<TensorIndex> order = byRank(*graph, costs);
            for (std::size_t i = 0; i < order.size(); ++i)
                QCOMPARE(costs[static_cast<std::size_t>(order[i])].rank, static_cast<std::int32_t>(i) + 1);
            // Dearest first: the cost per byte never rises, but for the classes at both ends.
            double before = std::numeric_limits<double>::infinity();
            for (const TensorIndex t : order) {
                const auto& cost = costs[static_cast<std::size_t>(t)];
                if (cost.chainLength == 0 || graph->tensor(t).bytes == 0)
                    continue;
                const double ratio =
                    static_cast<double>(cost.chainNs) / static_cast<double>(graph->tensor(t).bytes);
                QVERIFY(ratio <= before);
                before = ratio;
            }
        }
    }

    void planningTwiceGivesTheSame() {
        const auto graph = graphOf(randomProfile(7, {40, true, true, 1000, 1000}));
        for (const StrategyInfo* strategy : strategies()) {
            const Bytes budget = unlimitedPeak(graph) * 6 / 10;
            const auto prepared = strategy->prepare(graph, {}, {});
            const Plan first = prepared->plan(budget);
            const Plan second = prepared->plan(budget);
            const Plan fresh = strategy->prepare(graph, {}, {})->plan(budget);
            QCOMPARE(first.feasible(), second.feasible());
            QCOMPARE(first.feasible(), fresh.feasible());
            if (first.feasible()) {
                QVERIFY(first.simulated->timeline == second.simulated->timeline);
                QVERIFY(first.simulated->timeline == fresh.simulated->timeline);
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestStrategies)
#include "test_strategies.moc"
