// Placements: whatever they say, what they are lowered to is a program, runs in the room that the ledger says
// and in no smaller one, and obeys the physics.
#include "core/planner/placement_plan.h"
#include "tests/support/cases.h"
#include "tests/support/physics.h"
#include "tests/support/profiles.h"

#include <QtTest>

#include <random>
#include <set>

using namespace slackscope;
using namespace slackscope::test;

namespace {

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

// Decisions and detours at random, all that are possible.
class RandomPlacement {
public:
    RandomPlacement(const StepGraph& graph, std::uint64_t seed)
        : graph_(graph), random_(seed),
          hostLeft_(graph.profile().link.hostMemoryBytes.value_or(unlimitedBudget)) {}

    Placement make() {
        placement_ = keepEverything(graph_);
        placement_.detours.resize(at(graph_.tensorCount()));
        for (TensorIndex t = 0; t < graph_.tensorCount(); ++t) {
            const bool producerless = graph_.producer(t) == none;
            if (graph_.tensor(t).bytes == 0 || (producerless && !graph_.isSaved(t)))
                continue;
            decide(t);
            if (placement_.offloads(t))
                hostLeft_ -= graph_.tensor(t).bytes;
        }
        return placement_;
    }

private:
    bool chance(int percent) { return static_cast<int>(random_() % 100) < percent; }

    void decide(TensorIndex t) {
        const bool saved = graph_.isSaved(t);
        const bool host = graph_.tensor(t).bytes <= hostLeft_;
        Decision& decision = placement_.decisions[at(t)];
        if (host && (!saved || canOffload(graph_, t)) && chance(30))
            decision = Decision::Offload;
        else if (saved && canDrop(graph_, t) && chance(40))
            decision = Decision::Recompute;
        else if (!saved && chance(30))
            decision = Decision::Keep;
        Detour& detour = placement_.detours[at(t)];
        detour.awayInForward = host && graph_.producer(t) != none && chance(25);
        detour.brief = chance(25);
        detour.ahead = static_cast<std::uint8_t>(random_() % (Detour::furthestAhead + 1));
        for (Between& between : detour.backward) {
            if (host && chance(25))
                between = Between::Fetched;
            else if (graph_.canRecompute(t) && chance(30))
                between = Between::Recomputed;
        }
    }

    const StepGraph& graph_;
    std::mt19937_64 random_;
    Bytes hostLeft_;
    Placement placement_;
};

} // namespace

class TestPlacements : public QObject {
    Q_OBJECT
private slots:
    void runInTheRoomOfTheirLedger_data() {
        QTest::addColumn<bool>("layers");
        QTest::newRow("random profiles") << false;
        QTest::newRow("random layers") << true;
    }
    void runInTheRoomOfTheirLedger() {
        QFETCH(bool, layers);
        int away = 0;
        int again = 0;
        for (std::uint64_t seed = 1; seed <= cases(400U); ++seed) {
            const auto graph = graphOf(layers ? randomLayers(seed) : randomProfile(seed));
            const Placement placement = RandomPlacement(*graph, seed).make();
            Lowering lowering(graph);
            const LedgerPeak peak = lowering.peak(placement);
            if (peak.bytes == unlimitedBudget)
                continue;
            for (const Bytes room : {peak.bytes, peak.bytes + peak.bytes / 8}) {
                const Plan plan = simulatePlacement(lowering, placement, room, "test");
                const auto broken = violations(plan.simulated->program, plan.simulated->timeline, room);
                QVERIFY2(broken.empty(),
                         (QString("seed %1: ").arg(seed).toStdString() + joined(broken)).c_str());
                QCOMPARE(plan.simulated->timeline.recomputedNs, peak.recomputedNs);
                const Instructions& instructions = plan.simulated->program.instructions();
                std::set<TensorIndex> fetched;
                for (const Prefetch& prefetch : instructions.prefetches) {
                    away += prefetch.after < graph->operatorCount() - 1 ? 1 : 0;
                    again += fetched.insert(prefetch.tensor).second ? 0 : 1;
                }
                if (room == peak.bytes)
                    QVERIFY(!simulate(plan.simulated->program, room - 1));
            }
        }
        QVERIFY(again > cases(50)); // tensors prefetched again
        QVERIFY(away > cases(50));  // prefetches in the forward pass
    }

    void sayOffloadWheneverACopyGoesToTheHost() {
        for (std::uint64_t seed = 1; seed <= cases(100U); ++seed) {
            const auto graph = graphOf(randomLayers(seed));
            const Placement placement = RandomPlacement(*graph, seed).make();
            Lowering lowering(graph);
            const Plan plan = simulatePlacement(lowering, placement, lowering.peak(placement).bytes, "test");
            std::vector<Decision> said(at(graph->tensorCount()), Decision::Keep);
            for (const Offload& offload : plan.simulated->program.instructions().offloads)
                said[at(offload.tensor)] = Decision::Offload;
            for (const TensorIndex t : graph->savedTensors())
                QCOMPARE(plan.decisions[at(t)] == Decision::Offload, said[at(t)] == Decision::Offload);
        }
    }
};

QTEST_APPLESS_MAIN(TestPlacements)
#include "test_placements.moc"
