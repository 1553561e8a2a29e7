// Pins, what-ifs and reasons, on random graphs and every strategy.
#include "core/planner/lowering.h"
#include "core/planner/placement_plan.h"
#include "core/planner/reason.h"
#include "core/planner/what_if.h"
#include "tests/support/cases.h"
#include "tests/support/physics.h"
#include "tests/support/profiles.h"

#include <QtTest>

#include <algorithm>
#include <map>
#include <random>

using namespace slackscope;
using namespace slackscope::test;

namespace {

using GraphPtr = std::shared_ptr<const StepGraph>;

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

// A random or a layered graph, each third with a host that holds a part of the tensors only.
GraphPtr randomGraph(std::uint64_t seed) {
    RandomProfile shape;
    shape.operators = 2 + static_cast<int>(seed % 20);
    Profile profile = seed % 2 == 0 ? randomLayers(seed) : randomProfile(seed, shape);
    if (seed % 3 == 0) {
        Bytes all = 0;
        for (const Tensor& tensor : profile.tensors)
            all += tensor.bytes;
        profile.link.hostMemoryBytes = all / 8;
    }
    return graphOf(std::move(profile));
}

// Up to `most` pins that checkPins accepts.
Pins randomPins(const StepGraph& graph, std::uint64_t seed, std::size_t most) {
    std::mt19937_64 random(seed);
    Pins pins;
    const auto saved = graph.savedTensors();
    for (std::size_t i = 0; i < 4 * most && pins.size() < most && !saved.empty(); ++i) {
        Pins more = pins;
        more.push_back({saved[random() % saved.size()], allDecisions[random() % allDecisions.size()]});
        if (checkPins(graph, more))
            pins = std::move(more);
    }
    return pins;
}

QString where(std::uint64_t seed, const StrategyInfo& strategy, const std::string& what = {}) {
    return QString("seed %1, %2: %3").arg(seed).arg(strategy.id.data()).arg(QString::fromStdString(what));
}

// Feasible plans of every strategy on random graphs, some with pins.
template <typename Look> // void(seed, strategy, plan)
void forEachPlan(std::uint64_t seeds, const Look& look) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const GraphPtr graph = randomGraph(seed);
        const Pins pins = randomPins(*graph, seed, seed % 3);
        const Bytes peak = unlimitedPeak(graph);
        for (const StrategyInfo* strategy : strategies()) {
            const auto prepared = strategy->prepare(graph, pins, {});
            for (const Bytes budget : {peak, peak * 7 / 10, peak * 4 / 10}) {
                Plan plan = prepared->plan(budget);
                if (!plan.feasible())
                    plan = prepared->plan(plan.minimumBudgetBytes); // nothing to spare
                look(seed, *strategy, plan);
                if (QTest::currentTestFailed())
                    return;
            }
        }
    }
}

// x -> a -> y -> b -> z -> c -> v; x, y, z and v are saved. Every copy takes a nanosecond a byte.
Profile fourTensors() {
    Profile profile = chainProfile(3);
    profile.tensors = {{"x", "", 100, 0}, {"y", "", 100, 0}, {"z", "", 100, 0}, {"v", "", 100, 0}};
    for (Operator& op : profile.operators)
        op.saved = op.inputs;
    profile.operators[2].saved.push_back(3);
    return profile;
}

} // namespace

class TestWhatIf : public QObject {
    Q_OBJECT
private slots:
    void everyStrategyHonoursPins() {
        int feasible = 0;
        int pinned = 0;
        for (std::uint64_t seed = 1; seed <= cases(36U); ++seed) {
            const GraphPtr graph = randomGraph(seed);
            const Pins pins = randomPins(*graph, seed * 7, 1 + seed % 6);
            const Bytes peak = unlimitedPeak(graph);
            for (const StrategyInfo* strategy : strategies()) {
                const auto prepared = strategy->prepare(graph, pins, {});
                const Bytes minimum = prepared->plan(0).minimumBudgetBytes;
                for (const Bytes budget : {2 * peak, peak, peak * 6 / 10, minimum, minimum - 1}) {
                    const Plan plan = prepared->plan(budget);
                    QVERIFY2(violations(plan).empty(),
                             qPrintable(where(seed, *strategy, joined(violations(plan)))));
                    QVERIFY2(plan.pins == pins,
                             qPrintable(where(seed, *strategy, "its plan lists other pins")));
                    QCOMPARE(plan.feasible(), budget >= minimum);
                    if (!plan.feasible()) {
                        QCOMPARE(plan.minimumBudgetBytes, minimum);
                        continue;
                    }
                    ++feasible;
                    for (const Pin& pin : pins) {
                        ++pinned;
                        QVERIFY2(plan.decisions[at(pin.tensor)] == pin.decision,
                                 qPrintable(where(seed, *strategy, graph->tensor(pin.tensor).id)));
                    }
                }
            }
        }
        QVERIFY(feasible > cases(600)); // the test means nothing if nearly all is infeasible
        QVERIFY(pinned > cases(1500));
    }

    void thePlacementRunsAgain() {
        forEachPlan(cases(16U, 6U), [](std::uint64_t seed, const StrategyInfo& strategy, const Plan& plan) {
            Lowering lowering(plan.graph);
            QVERIFY(plan.roomBytes <= plan.budgetBytes);
            const Plan again = simulatePlacement(lowering, plan.placement, plan.roomBytes, plan.strategy);
            QVERIFY2(again.simulated->timeline == plan.simulated->timeline,
                     qPrintable(where(seed, strategy)));
        });
    }

    void theRestHeldIsADirectSimulation() {
        std::map<WhatIf::Outcome, int> seen;
        forEachPlan(cases(16U, 6U), [&](std::uint64_t seed, const StrategyInfo& strategy, const Plan& plan) {
            Lowering lowering(plan.graph);
            const auto saved = plan.graph->savedTensors();
            for (std::size_t i = seed % 4; i < saved.size(); i += 4) {
                const TensorIndex t = saved[i];
                const WhatIfs answers = whatIfHeld(plan, t, {}).value();
                for (const Decision decision : allDecisions) {
                    const WhatIf& answer = answers[static_cast<std::size_t>(decision)];
                    ++seen[answer.outcome];
                    if (decision == plan.decisions[at(t)]) {
                        QCOMPARE(answer.outcome, WhatIf::Outcome::Runs);
                        QCOMPARE(answer.stepNs, plan.stepNs());
                    }
                    Placement changed = plan.placement;
                    changed.decisions[at(t)] = decision;
                    if (answer.outcome == WhatIf::Outcome::Runs) {
                        const Bytes room = lowering.peak(changed).bytes <= plan.roomBytes ? plan.roomBytes
                                                                                          : plan.budgetBytes;
                        const Plan direct = simulatePlacement(lowering, changed, room, plan.strategy);
                        QCOMPARE(answer.stepNs, direct.stepNs());
                        QVERIFY(direct.simulated->timeline.peakBytes <= plan.budgetBytes);
                        const auto broken = violations(direct.simulated->program, direct.simulated->timeline,
                                                       plan.budgetBytes);
                        QVERIFY2(broken.empty(), qPrintable(where(seed, strategy, joined(broken))));
                    } else if (answer.outcome == WhatIf::Outcome::OverBudget) {
                        // Exactly so many bytes are missing.
                        Plan larger = plan;
                        larger.budgetBytes += answer.missingBytes;
                        QCOMPARE((*whatIfHeld(larger, t, {}))[static_cast<std::size_t>(decision)].outcome,
                                 WhatIf::Outcome::Runs);
                        --larger.budgetBytes;
                        QCOMPARE(
                            (*whatIfHeld(larger, t, {}))[static_cast<std::size_t>(decision)].missingBytes,
                            Bytes{1});
                    }
                }
            }
        });
        QVERIFY(seen[WhatIf::Outcome::Runs] > cases(1000));
        QVERIFY(seen[WhatIf::Outcome::OverBudget] > cases(100));
        QVERIFY(seen[WhatIf::Outcome::HostFull] > cases(10));
        QVERIFY(seen[WhatIf::Outcome::Impossible] > cases(100));
    }

    void theRestReplannedIsThePlanWithThePin() {
        std::map<WhatIf::Outcome, int> seen;
        int tried = 0;
        forEachPlan(2, [&](std::uint64_t seed, const StrategyInfo& strategy, const Plan& plan) {
            const auto saved = plan.graph->savedTensors();
            if (saved.empty() || (fewerCases && ++tried % 5 != 0))
                return;
            const TensorIndex t = saved[seed % saved.size()];
            const WhatIfs answers = whatIfReplanned(plan, t, {}).value();
            const WhatIfs restHeld = whatIfHeld(plan, t, {}).value();
            for (const Decision decision : allDecisions) {
                const WhatIf& answer = answers[static_cast<std::size_t>(decision)];
                ++seen[answer.outcome];
                const Pins pins = withPin(plan.pins, t, decision);
                const bool possible = checkPins(*plan.graph, pins).has_value();
                QCOMPARE(possible, answer.outcome != WhatIf::Outcome::Impossible &&
                                       answer.outcome != WhatIf::Outcome::HostFull);
                if (!possible)
                    continue;
                const auto prepared = strategy.prepare(plan.graph, pins, {});
                refineFullyAt(*prepared, plan.budgetBytes, {});
                if (!prepared->plan(plan.budgetBytes).feasible())
                    refineFully(*prepared, {});
                const Plan direct = prepared->plan(plan.budgetBytes);
                // The faster of that and of holding the rest.
                const WhatIf& other = restHeld[static_cast<std::size_t>(decision)];
                const bool otherRuns = other.outcome == WhatIf::Outcome::Runs;
                QCOMPARE(answer.outcome == WhatIf::Outcome::Runs, direct.feasible() || otherRuns);
                if (answer.outcome == WhatIf::Outcome::Runs)
                    QCOMPARE(answer.stepNs, std::min(direct.feasible() ? direct.stepNs() : largestDuration,
                                                     otherRuns ? other.stepNs : largestDuration));
                else
                    QCOMPARE(answer.missingBytes, direct.minimumBudgetBytes - plan.budgetBytes);
            }
        });
        QVERIFY(seen[WhatIf::Outcome::Runs] > cases(50));
        QVERIFY(seen[WhatIf::Outcome::OverBudget] >= cases(6));
        QVERIFY(seen[WhatIf::Outcome::Impossible] >= cases(6));
    }

    void obstacles_data() {
        QTest::addColumn<QString>("tensor");
        QTest::addColumn<qint64>("hostBytes"); // -1: no limit
        QTest::addColumn<int>("decision");
        QTest::addColumn<int>("obstacle"); // -1: none
        const auto row = [](const char* name, const char* tensor, qint64 host, Decision decision,
                            int obstacle) {
            QTest::newRow(name) << QString(tensor) << host << static_cast<int>(decision) << obstacle;
        };
        const auto is = [](Obstacle obstacle) { return static_cast<int>(obstacle); };
        row("keep", "y", -1, Decision::Keep, -1);
        row("offload", "y", -1, Decision::Offload, -1);
        row("recompute", "y", -1, Decision::Recompute, -1);
        row("offload an input", "x", -1, Decision::Offload, -1);
        row("recompute an input", "x", -1, Decision::Recompute, is(Obstacle::ProfileInput));
        row("not recomputable", "z", -1, Decision::Recompute, is(Obstacle::NotRecomputable));
        row("no gap", "v", -1, Decision::Recompute, is(Obstacle::NoGap));
        row("no gap for a copy", "v", -1, Decision::Offload, is(Obstacle::NoGap));
        row("no host", "y", 0, Decision::Offload, is(Obstacle::NoHost));
        row("host too small", "y", 99, Decision::Offload, is(Obstacle::HostTooSmall));
        row("host just large enough", "y", 100, Decision::Offload, -1);
        row("no bytes", "empty", -1, Decision::Offload, is(Obstacle::NoBytes));
        row("no bytes again", "empty", -1, Decision::Recompute, is(Obstacle::NoBytes));
        row("transient", "transient", -1, Decision::Keep, is(Obstacle::NotSaved));
    }
    void obstacles() {
        QFETCH(QString, tensor);
        QFETCH(qint64, hostBytes);
        QFETCH(int, decision);
        QFETCH(int, obstacle);
        Profile profile = fourTensors();
        if (hostBytes >= 0)
            profile.link.hostMemoryBytes = hostBytes;
        profile.operators[1].recomputable = false; // makes z
        profile.tensors.push_back({"empty", "", 0, 0});
        profile.tensors.push_back({"transient", "", 8, 0});
        profile.operators[0].outputs.insert(profile.operators[0].outputs.end(), {4, 5});
        profile.operators[2].inputs.push_back(4);
        profile.operators[2].saved.push_back(4);
        const GraphPtr graph = graphOf(std::move(profile));
        const auto& tensors = graph->profile().tensors;
        const auto found = std::find_if(tensors.begin(), tensors.end(),
                                        [&](const Tensor& t) { return t.id == tensor.toStdString(); });
        const auto t = static_cast<TensorIndex>(found - tensors.begin());
        const auto asked = static_cast<Decision>(decision);
        const auto answer = obstacleTo(*graph, t, asked);
        QCOMPARE(answer ? static_cast<int>(*answer) : -1, obstacle);
        QCOMPARE(checkPins(*graph, {{t, asked}}).has_value(), obstacle < 0);
        const Plan plan = findStrategy("keep-all")->prepare(graph, {}, {})->plan(unlimitedPeak(graph));
        for (const auto& answers : {whatIfHeld(plan, t, {}), whatIfReplanned(plan, t, {})}) {
            const WhatIf& whatIf = answers.value()[static_cast<std::size_t>(asked)];
            QCOMPARE(whatIf.outcome == WhatIf::Outcome::Impossible, obstacle >= 0);
            if (obstacle >= 0)
                QCOMPARE(static_cast<int>(whatIf.obstacle), obstacle);
        }
    }

    void aFullHostSaysWhatIsMissing() {
        Profile profile = fourTensors();
        profile.link.hostMemoryBytes = 150;
        const GraphPtr graph = graphOf(std::move(profile));
        const Pins pins{{1, Decision::Offload}};
        const Plan plan = findStrategy("keep-all")->prepare(graph, pins, {})->plan(unlimitedPeak(graph));
        for (const auto& answers : {whatIfHeld(plan, 0, {}), whatIfReplanned(plan, 0, {})}) {
            const WhatIf& answer = answers.value()[static_cast<std::size_t>(Decision::Offload)];
            QCOMPARE(answer.outcome, WhatIf::Outcome::HostFull);
            QCOMPARE(answer.missingBytes, Bytes{50});
        }
        // Beside itself a tensor needs no second place.
        QCOMPARE((*whatIfReplanned(plan, 1, {}))[static_cast<std::size_t>(Decision::Offload)].outcome,
                 WhatIf::Outcome::Runs);
    }

    void stopsWhenAsked() {
        const GraphPtr graph = graphOf(layeredProfile(6));
        for (const StrategyInfo* strategy : strategies()) {
            const Plan plan = strategy->prepare(graph, {}, {})->plan(unlimitedPeak(graph));
            const TensorIndex t = graph->savedTensors()[3];
            for (int calls : {0, 1, 2, 5}) {
                QVERIFY(!whatIfReplanned(plan, t, [&] { return calls-- <= 0; }));
            }
            QVERIFY(!whatIfHeld(plan, t, [] { return true; }));
            QVERIFY(whatIfHeld(plan, t, [] { return false; }));
        }
    }

    void onePinPerTensor() {
        const Pins pins{{1, Decision::Keep}, {2, Decision::Offload}};
        QCOMPARE(withPin(pins, 1, Decision::Recompute),
                 (Pins{{1, Decision::Recompute}, {2, Decision::Offload}}));
        QCOMPARE(withPin(pins, 3, Decision::Keep).size(), std::size_t{3});
        QCOMPARE(withPin(pins, 2, std::nullopt), (Pins{{1, Decision::Keep}}));
        QCOMPARE(withPin(pins, 7, std::nullopt), pins);
    }

    void pinsAreCarriedOverById() {
        Profile profile = fourTensors();
        const GraphPtr before = graphOf(profile);
        const Pins pins{{0, Decision::Offload}, {1, Decision::Offload}, {2, Decision::Keep}};
        QCOMPARE(carriedOver(pins, *before, *before), pins);
        QCOMPARE(carriedOver({}, *before, *before), Pins{});
        // Another order, a tensor less, and a host that holds one of the two.
        std::swap(profile.tensors[0].id, profile.tensors[1].id);
        profile.tensors[2].id = "new";
        profile.link.hostMemoryBytes = 150;
        const GraphPtr after = graphOf(std::move(profile));
        QCOMPARE(carriedOver(pins, *before, *after), (Pins{{1, Decision::Offload}}));
        // What was made by an operator is a profile input now.
        QCOMPARE(carriedOver({{1, Decision::Recompute}}, *before, *after), Pins{});
        // One too large for what is left does not keep out a later one that fits.
        Profile chain = chainProfile(6);
        const GraphPtr wide = graphOf(chain);
        chain.tensors[2].bytes = 200;
        chain.link.hostMemoryBytes = 250;
        QCOMPARE(carriedOver({{1, Decision::Offload}, {2, Decision::Offload}, {3, Decision::Offload}}, *wide,
                             *graphOf(std::move(chain))),
                 (Pins{{1, Decision::Offload}, {3, Decision::Offload}}));
    }

    void reasonsAreTrue() {
        using Kind = Reason::Kind;
        std::map<Kind, int> seen;
        int waits = 0;
        forEachPlan(cases(24U, 8U), [&](std::uint64_t seed, const StrategyInfo& strategy, const Plan& plan) {
            const StepGraph& graph = *plan.graph;
            const auto costs = recomputeCosts(graph);
            const Reasons reasons(plan, costs);
            Nanoseconds waited = 0;
            for (const TensorIndex t : graph.savedTensors()) {
                const Reason reason = reasons.of(t);
                ++seen[reason.kind];
                waited += reason.waitNs;
                QCOMPARE(reason.decision, plan.decisions[at(t)]);
                QCOMPARE(!reason.toOffload.has_value(), canOffload(graph, t));
                QCOMPARE(!reason.toRecompute.has_value(), canDrop(graph, t));
                const bool isPinned = std::any_of(plan.pins.begin(), plan.pins.end(),
                                                  [&](const Pin& pin) { return pin.tensor == t; });
                QCOMPARE(reason.kind == Kind::Pinned, isPinned);
                bool fits = false;
                switch (reason.kind) {
                case Kind::Pinned:
                    fits = true;
                    break;
                case Kind::NoBytes:
                    fits = reason.decision == Decision::Keep && graph.tensor(t).bytes == 0;
                    break;
                case Kind::NoChoice:
                    fits = reason.decision == Decision::Keep && !canOffload(graph, t) && !canDrop(graph, t);
                    break;
                case Kind::AllFits:
                    fits = reason.decision == Decision::Keep && plan.budgetBytes >= plan.unlimitedPeakBytes;
                    break;
                case Kind::NotNeeded:
                    fits = reason.decision == Decision::Keep &&
                           plan.simulated->timeline.peakBytes <= plan.budgetBytes &&
                           plan.budgetBytes < plan.unlimitedPeakBytes;
                    break;
                case Kind::OnlyOffload:
                case Kind::Offloaded:
                    fits = reason.decision == Decision::Offload &&
                           (reason.kind == Kind::Offloaded) == canDrop(graph, t);
                    break;
                case Kind::OnlyRecompute:
                case Kind::Recomputed:
                    fits = reason.decision == Decision::Recompute &&
                           (reason.kind == Kind::Recomputed) == canOffload(graph, t);
                    break;
                case Kind::Segment:
                    fits = reason.decision == Decision::Recompute && !plan.placement.segments.empty();
                    break;
                }
                QVERIFY2(fits, qPrintable(where(seed, strategy, graph.tensor(t).id)));
            }
            // No moment is counted twice, and without copies nothing waits for them.
            const Timeline& timeline = plan.simulated->timeline;
            QVERIFY(waited <= timeline.memoryStallNs + timeline.transferStallNs);
            waits += waited > 0 ? 1 : 0;
        });
        for (const Kind kind :
             {Kind::Pinned, Kind::NoBytes, Kind::NoChoice, Kind::AllFits, Kind::NotNeeded, Kind::OnlyOffload,
              Kind::Offloaded, Kind::OnlyRecompute, Kind::Segment, Kind::Recomputed})
            QVERIFY2(seen[kind] > 0, qPrintable(QString("no plan had kind %1").arg(static_cast<int>(kind))));
        QVERIFY(waits > cases(20));
    }

    // y's copies take 100 ns each; computation has 20 ns to hide the copy out and 20 + 20 for the copy back.
    void aReasonCountsTheWait() {
        const GraphPtr graph = graphOf(fourTensors());
        const Pins pins{{1, Decision::Offload}};
        const Plan plan = findStrategy("keep-all")->prepare(graph, pins, {})->plan(2 * unlimitedPeak(graph));
        const Timeline& timeline = plan.simulated->timeline;
        const auto costs = recomputeCosts(*graph);
        const Reasons reasons(plan, costs);
        QVERIFY(timeline.transferStallNs > 0);
        const Nanoseconds back = timeline.prefetchStartNs.at(0);
        // The step stands still from the end of backward(c) on; the part while the prefetch runs is y's.
        Nanoseconds waited = 0;
        for (const Stall& stall : stalls(plan.simulated->program, timeline))
            waited += std::max<Nanoseconds>(0, std::min(stall.toNs, back + graph->prefetchNs(1)) -
                                                   std::max(stall.fromNs, back));
        QVERIFY(waited > 0);
        QCOMPARE(reasons.of(1).waitNs, waited);
        QCOMPARE(reasons.of(0).waitNs, Nanoseconds{0});
        QCOMPARE(reasons.of(1).recomputeNsPerMiB(), Nanoseconds{10} * (1 << 20) / 100);
    }
};

QTEST_APPLESS_MAIN(TestWhatIf)
#include "test_what_if.moc"
