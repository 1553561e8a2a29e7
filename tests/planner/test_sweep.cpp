// The sweep: the same whatever the threads, its points those of the strategies, its bends found.
#include "core/planner/lower_bound.h"
#include "core/planner/sweep.h"
#include "tests/support/cases.h"
#include "tests/support/profiles.h"

#include <QtTest>

#include <atomic>
#include <map>
#include <set>

using namespace slackscope;
using namespace slackscope::test;

namespace {

std::vector<const StrategyInfo*> allStrategies() {
    return {strategies().begin(), strategies().end()};
}

// All; with a sanitizer, those that need no search.
std::vector<const StrategyInfo*> mostStrategies() {
    std::vector<const StrategyInfo*> most = allStrategies();
    if (fewerCases)
        std::erase_if(most, [](const StrategyInfo* strategy) { return strategy->own != nullptr; });
    return most;
}

SweepRequest requestFor(std::shared_ptr<const StepGraph> graph, std::int32_t steps) {
    SweepRequest request;
    const Bytes peak = unlimitedPeak(graph);
    request.graph = std::move(graph);
    request.strategies = mostStrategies();
    request.grid = evenBudgets(peak / 20, peak, steps);
    return request;
}

// Keeps everything that it is told, and whether it was ever told from two threads at once.
class Recorder : public SweepObserver {
public:
    explicit Recorder(std::size_t curves) : minimums(curves), points(curves) {}
    void minimumFound(std::size_t curve, Bytes minimum) override {
        const Alone alone(*this);
        minimums.at(curve) = minimum;
    }
    void pointFound(std::size_t curve, const SweepPoint& point) override {
        const Alone alone(*this);
        minimumCameFirst = minimumCameFirst && minimums.at(curve).has_value();
        points.at(curve).insert_or_assign(point.budgetBytes, point);
        ++calls;
    }
    void boundFound(const BoundPoint& point) override {
        const Alone alone(*this);
        bound.insert_or_assign(point.budgetBytes, point);
    }
    void curveFinished(std::size_t curve) override {
        const Alone alone(*this);
        finished.insert(curve);
    }
    void boundFinished() override { boundIsFinished = true; }
    void progressed(double fraction) override {
        const Alone alone(*this);
        neverFell = neverFell && fraction >= progress;
        progress = fraction;
    }

    std::vector<std::optional<Bytes>> minimums;
    std::vector<std::map<Bytes, SweepPoint>> points;
    std::map<Bytes, BoundPoint> bound;
    std::set<std::size_t> finished;
    bool boundIsFinished = false;
    double progress = 0;
    bool neverFell = true;
    bool minimumCameFirst = true;
    bool overlapped = false;
    std::size_t calls = 0;

private:
    struct Alone {
        explicit Alone(Recorder& asked) : recorder(asked) {
            if (recorder.inside.fetch_add(1) != 0)
                recorder.overlapped = true;
        }
        ~Alone() { --recorder.inside; }
        Recorder& recorder;
    };
    std::atomic<int> inside = 0;
};

const SweepPoint* pointAt(const SweepCurve& curve, Bytes budget) {
    for (const SweepPoint& point : curve.points) {
        if (point.budgetBytes == budget)
            return &point;
    }
    return nullptr;
}

} // namespace

class TestSweep : public QObject {
    Q_OBJECT
private slots:
    void pointsAreTheStrategiesOwn() {
        for (std::uint64_t seed = 1; seed <= cases(4U); ++seed) {
            SweepRequest request = requestFor(graphOf(randomLayers(seed)), 12);
            request.splits = 2;
            request.withBound = false;
            request.strategies = allStrategies();
            const Sweep sweep = *runSweep(request, nullptr, {});
            QCOMPARE(sweep.grid, request.grid);
            QCOMPARE(sweep.unlimitedPeakBytes, unlimitedPeak(request.graph));
            QCOMPARE(sweep.curves.size(), request.strategies.size());
            for (std::size_t i = 0; i < sweep.curves.size(); ++i) {
                const SweepCurve& curve = sweep.curves[i];
                QCOMPARE(curve.strategy, std::string(request.strategies[i]->id));
                const auto prepared = request.strategies[i]->prepare(request.graph, {}, {});
                refineFully(*prepared, {});
                QCOMPARE(curve.minimumBudgetBytes, prepared->plan(0).minimumBudgetBytes);
                Bytes before = -1;
                for (const SweepPoint& point : curve.points) {
                    QVERIFY(point.budgetBytes > before);
                    before = point.budgetBytes;
                    QCOMPARE(point, sweepPointOf(prepared->plan(point.budgetBytes)));
                    QCOMPARE(point.feasible, point.budgetBytes >= *curve.minimumBudgetBytes);
                }
                for (const Bytes budget : request.grid)
                    QVERIFY(pointAt(curve, budget));
            }
            QVERIFY(sweep.bound.empty());
        }
    }

    void theBoundIsThatOfEachBudget() {
        SweepRequest request = requestFor(graphOf(layeredProfile(14)), 9);
        request.strategies.clear();
        request.splits = 2;
        const Sweep sweep = *runSweep(request, nullptr, {});
        QVERIFY(sweep.bound.size() > request.grid.size());
        QVERIFY(sweep.bound.front().lowerBoundNs > sweep.idealNs);
        LowerBound bound(request.graph);
        const Bytes least =
            findStrategy("slackswap")->prepare(request.graph, {}, {})->plan(0).minimumBudgetBytes;
        QVERIFY(sweep.bound.back().budgetBytes >= least);
        for (const BoundPoint& point : sweep.bound) {
            if (point.budgetBytes < least) // where there is no program any number bounds it
                continue;
            const Nanoseconds alone = bound.stepNs(point.budgetBytes);
            QVERIFY2(
                std::abs(point.lowerBoundNs - alone) <= alone / 1'000'000,
                qPrintable(
                    QString("%1 and %2 at %3").arg(point.lowerBoundNs).arg(alone).arg(point.budgetBytes)));
        }
    }

    void theMinimumIsAPoint() {
        for (std::uint64_t seed = 1; seed <= cases(10U); ++seed) {
            SweepRequest request = requestFor(graphOf(randomLayers(seed)), 4);
            request.withBound = false;
            const Sweep sweep = *runSweep(request, nullptr, {});
            for (const SweepCurve& curve : sweep.curves) {
                const Bytes minimum = *curve.minimumBudgetBytes;
                const bool isInside = minimum >= request.grid.front() && minimum <= request.grid.back();
                const SweepPoint* const point = pointAt(curve, minimum);
                QCOMPARE(point != nullptr, isInside);
                if (point)
                    QVERIFY(point->feasible);
                for (const SweepPoint& other : curve.points)
                    QCOMPARE(other.feasible, other.budgetBytes >= minimum);
            }
        }
    }

    void threadsChangeNothing_data() {
        QTest::addColumn<std::int32_t>("splits");
        QTest::newRow("even") << 0;
        QTest::newRow("adaptive") << 2;
    }
    void threadsChangeNothing() {
        QFETCH(std::int32_t, splits);
        for (const std::uint64_t seed : {3, 11}) {
            // The second with the bound, and more operators than it takes its slowest rows for.
            SweepRequest request =
                requestFor(graphOf(seed == 3 ? randomLayers(seed) : layeredProfile(14)), 9);
            request.splits = splits;
            request.withBound = seed != 3;
            request.threads = 1;
            const Sweep alone = *runSweep(request, nullptr, {});
            request.threads = 5;
            QVERIFY(*runSweep(request, nullptr, {}) == alone);
        }
    }

    void theObserverHearsOfEverything() {
        SweepRequest request = requestFor(graphOf(layeredProfile(6)), 9);
        request.splits = 3;
        request.threads = 4;
        Recorder recorder(request.strategies.size());
        const Sweep sweep = *runSweep(request, &recorder, {});
        std::size_t points = 0;
        for (std::size_t i = 0; i < sweep.curves.size(); ++i) {
            QCOMPARE(recorder.minimums[i], sweep.curves[i].minimumBudgetBytes);
            QCOMPARE(recorder.points[i].size(), sweep.curves[i].points.size());
            for (const SweepPoint& point : sweep.curves[i].points)
                QCOMPARE(recorder.points[i].at(point.budgetBytes), point);
            points += sweep.curves[i].points.size();
        }
        QCOMPARE(recorder.calls, points); // none twice
        QCOMPARE(recorder.bound.size(), sweep.bound.size());
        QCOMPARE(recorder.finished.size(), sweep.curves.size());
        QVERIFY(recorder.boundIsFinished);
        QVERIFY(recorder.minimumCameFirst);
        QVERIFY(recorder.neverFell);
        QVERIFY(!recorder.overlapped);
        QCOMPARE(recorder.progress, 1.0);
    }

    void moreThreadsThanWorkEnd() {
        SweepRequest request = requestFor(graphOf(layeredProfile(1)), 1);
        request.threads = 16;
        const Sweep sweep = *runSweep(request, nullptr, {});
        QCOMPARE(sweep.curves.front().points.size(), std::size_t{1});
        request.strategies.clear();
        QVERIFY(runSweep(request, nullptr, {})->curves.empty());
        request.withBound = false;
        QVERIFY(runSweep(request, nullptr, {})->bound.empty());
    }

    // Where the effect changes, and where the curve bends or falls, neighbours are as near as they can be.
    void bendsAreFound() {
        int inserted = 0;
        for (std::uint64_t seed = 1; seed <= cases(6U); ++seed) {
            SweepRequest request = requestFor(graphOf(randomLayers(seed)), 9);
            request.splits = 4;
            request.withBound = false;
            const Bytes finest = (request.grid.back() - request.grid.front()) / 8 / 16 + 1;
            const Sweep sweep = *runSweep(request, nullptr, {});
            for (const SweepCurve& curve : sweep.curves) {
                inserted += static_cast<int>(curve.points.size() - request.grid.size());
                for (std::size_t i = 0; i + 1 < curve.points.size(); ++i) {
                    const SweepPoint& low = curve.points[i];
                    const SweepPoint& high = curve.points[i + 1];
                    if (low.feasible &&
                        (effectOf(low) != effectOf(high) ||
                         std::abs(high.throughputOfIdeal - low.throughputOfIdeal) > request.largestFall))
                        QVERIFY(high.budgetBytes - low.budgetBytes <= finest);
                }
            }
        }
        QVERIFY(inserted > cases(100)); // the test means nothing on straight lines
    }

    // Between its points an adaptive curve is near the truth, and it needs fewer of them than an even one.
    void adaptiveCurvesAreNearTheTruth() {
        const auto graph = graphOf(layeredProfile(12));
        SweepRequest request = requestFor(graph, 9);
        request.withBound = false;
        request.strategies = {findStrategy("slackswap")};
        request.splits = 4;
        const SweepCurve adaptive = runSweep(request, nullptr, {})->curves.front();
        request.splits = 0;
        request.grid = evenBudgets(request.grid.front(), request.grid.back(), 129);
        const SweepCurve even = runSweep(request, nullptr, {})->curves.front();
        QVERIFY2(adaptive.points.size() * 2 < even.points.size(),
                 qPrintable(QString::number(adaptive.points.size())));
        double worst = 0;
        for (const SweepPoint& truth : even.points) {
            const auto high = std::lower_bound(
                adaptive.points.begin(), adaptive.points.end(), truth.budgetBytes,
                [](const SweepPoint& point, Bytes budget) { return point.budgetBytes < budget; });
            if (!truth.feasible || high == adaptive.points.begin() || !std::prev(high)->feasible)
                continue;
            const SweepPoint& low = *std::prev(high);
            const double share = static_cast<double>(truth.budgetBytes - low.budgetBytes) /
                                 static_cast<double>(high->budgetBytes - low.budgetBytes);
            const double drawn =
                low.throughputOfIdeal + share * (high->throughputOfIdeal - low.throughputOfIdeal);
            worst = std::max(worst, std::abs(drawn - truth.throughputOfIdeal));
        }
        QVERIFY2(worst < 0.02, qPrintable(QString::number(worst)));
    }

    void cancelling_data() {
        QTest::addColumn<int>("asked"); // times that it may go on
        for (const int asked : {0, 1, 10, 100})
            QTest::addRow("after %d", asked) << asked;
    }
    void cancelling() {
        QFETCH(int, asked);
        SweepRequest request = requestFor(graphOf(layeredProfile(10)), 91);
        request.threads = 3;
        std::atomic<int> left = asked;
        Recorder recorder(request.strategies.size());
        QVERIFY(!runSweep(request, &recorder, [&] { return left.fetch_sub(1) <= 0; }));
        if (asked == 0)
            QCOMPARE(recorder.calls, std::size_t{0});
    }

    void faultsAreHandedOn() {
        class Faulty : public SweepObserver {
            void pointFound(std::size_t, const SweepPoint&) override { throw std::bad_alloc(); }
        };
        SweepRequest request = requestFor(graphOf(layeredProfile(4)), 20);
        request.threads = 3;
        Faulty faulty;
        QVERIFY_EXCEPTION_THROWN(runSweep(request, &faulty, {}), std::bad_alloc);
    }

    void evenBudgetsHoldBothEnds() {
        QCOMPARE(evenBudgets(10, 100, 10), (std::vector<Bytes>{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}));
        QCOMPARE(evenBudgets(0, 10, 4), (std::vector<Bytes>{0, 3, 6, 10}));
        QCOMPARE(evenBudgets(5, 100, 1), (std::vector<Bytes>{100}));
        QCOMPARE(evenBudgets(7, 7, 5), (std::vector<Bytes>{7}));
        QCOMPARE(evenBudgets(0, 2, 10), (std::vector<Bytes>{0, 1, 2}));
        QCOMPARE(evenBudgets(0, largestQuantity, 3),
                 (std::vector<Bytes>{0, largestQuantity / 2, largestQuantity}));
    }
};

QTEST_APPLESS_MAIN(TestSweep)
#include "test_sweep.moc"
