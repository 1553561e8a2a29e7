// Sweeps over steps, and the search for the largest one: rows are the strategies' own, limits are told.
#include "core/planner/axis_sweep.h"
#include "core/planner/lower_bound.h"
#include "tests/support/profiles.h"

#include <QtTest>

#include <atomic>

using namespace slackscope;
using namespace slackscope::test;

namespace {

// A chain of layers whose tensors and times are `value` times as large as those of value 1.
std::shared_ptr<const StepGraph> scaled(std::int64_t value) {
    Profile profile = layeredProfile(4);
    for (Tensor& tensor : profile.tensors) {
        tensor.bytes *= value;
        tensor.gradientBytes *= value;
    }
    for (Operator& op : profile.operators) {
        op.forwardNs *= value;
        op.backwardNs *= value;
    }
    profile.samplesPerStep = value;
    return StepGraph::build(std::move(profile)).value();
}

AxisRequest requestFor(Bytes budget, std::int64_t refusedFrom = largestQuantity) {
    AxisRequest request;
    request.make = [=](std::int64_t value) -> tl::expected<AxisCase, std::string> {
        if (value >= refusedFrom)
            return tl::unexpected(std::string("too long"));
        return AxisCase{scaled(value), budget};
    };
    for (const char* id : {"slackswap", "recompute-all"})
        request.strategies.push_back(findStrategy(id));
    return request;
}

bool holds(const AxisRequest& request, std::int64_t value, double keep) {
    const auto made = request.make(value);
    if (!made)
        return false;
    for (const StrategyInfo* strategy : request.strategies) {
        const Plan plan = strategy->prepare(made->graph, {}, {})->plan(made->budgetBytes);
        if (plan.feasible() && plan.throughputOfIdeal() >= keep)
            return true;
    }
    return false;
}

} // namespace

class TestAxisSweep : public QObject {
    Q_OBJECT
private slots:
    void rowsAreTheStrategiesOwn() {
        const Bytes budget = unlimitedPeak(scaled(4));
        const AxisRequest request = requestFor(budget, 32);
        const std::vector<std::int64_t> values{1, 3, 4, 5, 9, 31, 32, 40};
        const AxisSweep sweep = *runAxisSweep(request, values, {}, {});
        QCOMPARE(sweep.strategies, (std::vector<std::string>{"slackswap", "recompute-all"}));
        QCOMPARE(sweep.rows.size(), values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            const AxisRow& row = sweep.rows[i];
            QCOMPARE(row.value, values[i]);
            QCOMPARE(row.refusal, std::string(values[i] >= 32 ? "too long" : ""));
            if (values[i] >= 32) {
                QVERIFY(row.results.empty());
                QVERIFY(!row.best());
                continue;
            }
            const auto graph = scaled(values[i]);
            QCOMPARE(row.unlimitedPeakBytes, unlimitedPeak(graph));
            QCOMPARE(row.idealNs, graph->idealNs());
            QCOMPARE(row.samplesPerStep, std::optional(values[i]));
            const AxisResult* best = nullptr;
            for (std::size_t s = 0; s < 2; ++s) {
                const Plan plan = request.strategies[s]->prepare(graph, {}, {})->plan(budget);
                QCOMPARE(row.results[s].point, sweepPointOf(plan));
                QCOMPARE(row.results[s].minimumBudgetBytes, plan.minimumBudgetBytes);
                if (plan.feasible() && (!best || plan.stepNs() < best->point.stepNs))
                    best = &row.results[s];
            }
            QCOMPARE(row.best(), best);
            QCOMPARE(row.lowerBoundNs.has_value(), best != nullptr);
            if (best) {
                QCOMPARE(*row.lowerBoundNs, LowerBound(graph).stepNs(budget));
                QVERIFY(best->point.throughputOfIdeal <= row.throughputBound());
            }
        }
        QVERIFY(sweep.rows[0].best()->point.throughputOfIdeal >
                sweep.rows[4].best()->point.throughputOfIdeal);
    }

    void pinsAreHonoured() {
        const auto graph = scaled(3);
        const Bytes budget = unlimitedPeak(graph) * 6 / 10;
        const Pins pins{{graph->savedTensors()[2], Decision::Keep},
                        {graph->savedTensors()[3], Decision::Keep}};
        AxisRequest request = requestFor(budget);
        const std::vector<std::int64_t> values{3};
        const AxisRow free = runAxisSweep(request, values, {}, {})->rows.front();
        request.make = [&](std::int64_t) { return AxisCase{graph, budget, pins}; };
        const AxisRow pinned = runAxisSweep(request, values, {}, {})->rows.front();
        QVERIFY(pinned.results != free.results);
        for (std::size_t s = 0; s < pinned.results.size(); ++s) {
            const Plan plan = request.strategies[s]->prepare(graph, pins, {})->plan(budget);
            QCOMPARE(pinned.results[s].point, sweepPointOf(plan));
        }
        QCOMPARE(pinned.lowerBoundNs, free.lowerBoundNs);
    }

    void threadsChangeNothing() {
        AxisRequest request = requestFor(unlimitedPeak(scaled(4)), 12);
        const std::vector<std::int64_t> values{1, 2, 4, 6, 8, 12};
        request.threads = 1;
        const AxisSweep alone = *runAxisSweep(request, values, {}, {});
        for (const unsigned threads : {2U, 7U}) {
            request.threads = threads;
            double shown = 0;
            bool neverFell = true;
            const AxisProgress progress = [&](double fraction) {
                neverFell = neverFell && fraction >= shown;
                shown = fraction;
            };
            QVERIFY(*runAxisSweep(request, values, progress, {}) == alone);
            QVERIFY(neverFell);
            QCOMPARE(shown, 1.0);
        }
    }

    void cancelling() {
        AxisRequest request = requestFor(unlimitedPeak(scaled(4)));
        const std::vector<std::int64_t> values{1, 2, 3, 4};
        for (const int asked : {0, 3}) {
            std::atomic<int> left = asked;
            QVERIFY(!runAxisSweep(request, values, {}, [&] { return left.fetch_sub(1) <= 0; }));
            left = asked;
            LargestRequest largest;
            largest.axis = request;
            QVERIFY(!findLargest(largest, {}, [&] { return left.fetch_sub(1) <= 0; }));
        }
    }

    void theLargestHoldsAndTheNextDoesNot_data() {
        QTest::addColumn<double>("keep");
        QTest::addColumn<std::int64_t>("smallest");
        QTest::addColumn<std::int64_t>("most");
        QTest::addColumn<std::int64_t>("refusedFrom");
        QTest::addColumn<int>("limit");
        const auto number = [](std::int64_t n) { return n; };
        const auto limit = [](Largest::Limit l) { return static_cast<int>(l); };
        QTest::newRow("throughput") << 0.9 << number(1) << largestQuantity << largestQuantity
                                    << limit(Largest::Limit::Throughput);
        QTest::newRow("a hard wish") << 1.0 << number(1) << largestQuantity << largestQuantity
                                     << limit(Largest::Limit::Throughput);
        QTest::newRow("memory") << 0.01 << number(1) << largestQuantity << largestQuantity
                                << limit(Largest::Limit::Memory);
        QTest::newRow("in threes") << 0.9 << number(3) << largestQuantity << largestQuantity
                                   << limit(Largest::Limit::Throughput);
        QTest::newRow("no such step")
            << 0.01 << number(1) << largestQuantity << number(11) << limit(Largest::Limit::Step);
        QTest::newRow("none") << 0.01 << number(1) << number(13) << largestQuantity
                              << limit(Largest::Limit::None);
    }
    void theLargestHoldsAndTheNextDoesNot() {
        QFETCH(double, keep);
        QFETCH(std::int64_t, smallest);
        QFETCH(std::int64_t, most);
        QFETCH(std::int64_t, refusedFrom);
        QFETCH(int, limit);
        LargestRequest request;
        request.axis = requestFor(unlimitedPeak(scaled(8)), refusedFrom);
        request.axis.withBound = false;
        request.smallest = smallest;
        request.most = most;
        request.keep = keep;
        std::vector<std::int64_t> told;
        const Largest largest = *findLargest(request,
                                             [&](std::int64_t value, double) {
                                                 if (told.empty() || told.back() != value)
                                                     told.push_back(value);
                                             },
                                             {});
        std::sort(told.begin(), told.end());
        QCOMPARE(told.size(), largest.tried.rows.size());
        for (std::size_t i = 0; i < told.size(); ++i)
            QCOMPARE(told[i], largest.tried.rows[i].value);
        QVERIFY(largest.value.has_value());
        QCOMPARE(static_cast<int>(largest.limit), limit);
        QCOMPARE(*largest.value % smallest, 0);
        QVERIFY(holds(request.axis, *largest.value, keep));
        const auto isTried = [&](std::int64_t value) {
            return std::any_of(largest.tried.rows.begin(), largest.tried.rows.end(),
                               [&](const AxisRow& row) { return row.value == value; });
        };
        QVERIFY(isTried(*largest.value));
        if (largest.limit == Largest::Limit::None) {
            QCOMPARE(*largest.value, most);
        } else {
            QVERIFY(!holds(request.axis, *largest.value + smallest, keep));
            QVERIFY(isTried(*largest.value + smallest));
        }
    }

    void nothingIsLargeEnough() {
        LargestRequest request;
        request.axis = requestFor(1);
        const Largest largest = *findLargest(request, {}, {});
        QVERIFY(!largest.value);
        QCOMPARE(largest.limit, Largest::Limit::Memory);
        QCOMPARE(largest.tried.rows.size(), std::size_t{1});
    }
};

QTEST_APPLESS_MAIN(TestAxisSweep)
#include "test_axis_sweep.moc"
