// Tiny profiles against every choice of keep, offload and recompute, transients held or not, and every way to
// group recomputes: no strategy beats the best of them, and where that best exists some strategies find a
// plan.
#include "core/planner/lower_bound.h"
#include "core/planner/placement_plan.h"
#include "core/planner/segments.h"
#include "core/planner/strategy.h"
#include "tests/support/cases.h"
#include "tests/support/physics.h"
#include "tests/support/profiles.h"

#include <QtTest>

using namespace slackscope;
using namespace slackscope::test;

namespace {

// Calls `visit` with every placement of the graph.
template <class Visit>
void forEachPlacement(const StepGraph& graph, Visit visit) {
    std::vector<Segments> groupings{{}};
    for (std::int32_t count = 1; count <= graph.operatorCount(); ++count)
        groupings.push_back(evenSegments(graph, count));
    if (const Segments layers = layerSegments(graph); !layers.empty()) {
        // The lowering wants a segment for every operator: number those outside the layers too.
        Segments all(layers.size(), 0);
        for (std::size_t i = 1; i < all.size(); ++i)
            all[i] = all[i - 1] + (layers[i] != layers[i - 1] ? 1 : 0);
        groupings.push_back(all);
    }
    std::vector<TensorIndex> free;
    std::vector<std::vector<Decision>> options;
    for (TensorIndex t = 0; t < graph.tensorCount(); ++t) {
        std::vector<Decision> mine;
        if (graph.isSaved(t)) {
            mine.push_back(Decision::Keep);
            if (canOffload(graph, t))
                mine.push_back(Decision::Offload);
            if (canDrop(graph, t))
                mine.push_back(Decision::Recompute);
        } else if (graph.producer(t) != none) {
            mine = {Decision::Recompute, Decision::Keep};
        }
        if (mine.size() > 1) {
            free.push_back(t);
            options.push_back(std::move(mine));
        }
    }
    for (const Segments& segments : groupings) {
        Placement placement = keepEverything(graph);
        placement.segments = segments;
        std::vector<std::size_t> digit(free.size(), 0);
        while (true) {
            for (std::size_t i = 0; i < free.size(); ++i)
                placement.decisions[static_cast<std::size_t>(free[i])] = options[i][digit[i]];
            visit(placement);
            std::size_t i = 0;
            while (i < digit.size() && ++digit[i] == options[i].size())
                digit[i++] = 0;
            if (i == digit.size())
                break;
        }
    }
}

bool fitsHost(const StepGraph& graph, const Placement& placement) {
    const auto limit = graph.profile().link.hostMemoryBytes;
    Bytes held = 0;
    for (const TensorIndex t : graph.savedTensors()) {
        if (placement.decisions[static_cast<std::size_t>(t)] == Decision::Offload)
            held += graph.tensor(t).bytes;
    }
    return !limit || held <= *limit;
}

} // namespace

class TestBruteForce : public QObject {
    Q_OBJECT
private slots:
    void noStrategyBeatsTheBestOfAllChoices() {
        int compared = 0;
        int optimal = 0;
        int bounded = 0;
        double gap = 0;
        for (std::uint64_t seed = 1; seed <= cases(150U); ++seed) {
            const auto graph =
                StepGraph::build(randomProfile(seed, {3 + static_cast<int>(seed % 4), true, true, 100, 100}))
                    .value();
            Lowering lowering(graph);
            LowerBound lowerBound(graph);
            const Bytes peak = unlimitedPeak(graph);
            for (const int percent : {95, 85, 70, 50}) {
                const Bytes budget = peak * percent / 100;
                Nanoseconds best = std::numeric_limits<Nanoseconds>::max();
                forEachPlacement(*graph, [&](const Placement& placement) {
                    if (!fitsHost(*graph, placement) || lowering.peak(placement).bytes > budget)
                        return;
                    const Plan plan = simulatePlacement(lowering, placement, budget, "brute force");
                    best = std::min(best, plan.stepNs());
                    const auto broken = violations(plan.simulated->program, plan.simulated->timeline, budget);
                    QVERIFY2(broken.empty(), joined(broken).c_str());
                });
                if (best < std::numeric_limits<Nanoseconds>::max()) {
                    const Nanoseconds bound = lowerBound.stepNs(budget);
                    QVERIFY2(bound <= best, qPrintable(QString("seed %1 at %2 %: bound %3, best %4")
                                                           .arg(seed)
                                                           .arg(percent)
                                                           .arg(bound)
                                                           .arg(best)));
                    ++bounded;
                    gap += static_cast<double>(best) / static_cast<double>(bound) - 1.0;
                }
                for (const StrategyInfo* strategy : strategies()) {
                    const Plan plan = strategy->prepare(graph, {}, {})->plan(budget);
                    if (!plan.feasible())
                        continue;
                    ++compared;
                    optimal += plan.stepNs() == best ? 1 : 0;
                    QVERIFY2(
                        plan.stepNs() >= best,
                        qPrintable(
                            QString("seed %1, %2 at %3 %").arg(seed).arg(strategy->id.data()).arg(percent)));
                }
            }
        }
        QVERIFY(compared > cases(100));
        QVERIFY(optimal > cases(20)); // the oracle and the strategies do meet
        QVERIFY(bounded > cases(100));
        QVERIFY(gap / bounded < 0.15); // programs may do more than placements; see test_exact_search.cpp
        qInfo("lower bound: %d cases, mean gap to the best placement %.1f %%", bounded,
              100.0 * gap / bounded);
    }
};

QTEST_APPLESS_MAIN(TestBruteForce)
#include "test_brute_force.moc"
