// Programs small enough to be worked by hand, and what the simulator makes of them.
#include "core/simulator/simulator.h"
#include "tests/support/physics.h"
#include "tests/support/profiles.h"

#include <QtTest>

using namespace slackscope;
using namespace slackscope::test;

namespace {

struct Worked {
    Profile profile;
    Instructions program;
    Bytes budget = unlimitedBudget;
    Nanoseconds stepNs = 0;
    Nanoseconds memoryStallNs = 0;
    Nanoseconds transferStallNs = 0;
    Nanoseconds recomputedNs = 0;
    std::vector<MemoryPoint> memory;
};

// t1 and t2 kept: 0 F0 10 F1 20 F2 30 B2 50 B1 70 B0 90.
Worked keepAll() {
    return {chainProfile(3),
            {{forward(0), forward(1), forward(2), backward(2), backward(1), backward(0)},
             {{2, 3}, {1, 4}},
             {},
             {}},
            200,
            90,
            0,
            0,
            0,
            {{0, 100}, {10, 200}, {50, 100}, {70, 0}}};
}

// t1 leaves after F1 and is made again before B1; at 50 it takes the room that t2 leaves.
Worked recomputeOne() {
    return {chainProfile(3),
            {{forward(0), forward(1), forward(2), backward(2), recompute(0), backward(1), backward(0)},
             {{1, 1}, {2, 3}, {1, 5}},
             {},
             {}},
            200,
            100,
            0,
            0,
            10,
            {{0, 100}, {10, 200}, {20, 100}, {80, 0}}};
}

// t1 and t2 leave; B2 drags in the recompute of both, and t1 stays for B1.
Worked recomputeChain() {
    return {chainProfile(3),
            {{forward(0), forward(1), forward(2), recompute(0), recompute(1), backward(2), backward(1),
              backward(0)},
             {{1, 1}, {2, 2}, {2, 5}, {1, 6}},
             {},
             {}},
            200,
            110,
            0,
            0,
            20,
            // R0 30-40 and R1 40-50 run before B2 at 50
            {{0, 100}, {10, 200}, {20, 100}, {40, 200}, {70, 100}, {90, 0}}};
}

// The copy out runs 10-110, so the copy back cannot start before 110 and B1 waits for it from 50 to 210.
Worked transferStall() {
    return {chainProfile(3),
            {{forward(0), forward(1), forward(2), backward(2), backward(1), backward(0)},
             {{1, 1}, {2, 3}, {1, 4}},
             {{1, 0}},
             {{1, 3}}},
            unlimitedBudget,
            250,
            0,
            160,
            0,
            {{0, 100}, {10, 200}, {50, 100}, {230, 0}}};
}

// F2 wants 100 bytes at 20, but t1 is in flight until 110; the copy back runs 150-250 and B1 waits from 170.
Worked memoryStall() {
    return {
        chainProfile(4),
        {{forward(0), forward(1), forward(2), forward(3), backward(3), backward(2), backward(1), backward(0)},
         {{1, 1}, {3, 4}, {2, 5}, {1, 6}},
         {{1, 0}},
         {{1, 4}}},
        250,
        290,
        90,
        80,
        0,
        {{0, 100}, {10, 200}, {150, 200}, {170, 100}, {270, 0}}};
}

// Two operators read t; both gradients flow into it from the first backward on.
Worked sharedConsumer() {
    Profile profile = chainProfile(3);
    profile.tensors = {{"x", "", 0, 0}, {"t", "", 100, 100}, {"u", "", 10, 10}, {"v", "", 0, 0}};
    profile.operators[1].inputs = {1};
    profile.operators[1].saved = {1};
    profile.operators[2].inputs = {1, 2};
    profile.operators[2].saved = {1, 2};
    return {profile,
            {{forward(0), forward(1), forward(2), backward(2), backward(1), backward(0)},
             {{2, 3}, {1, 4}},
             {},
             {}},
            220,
            90,
            0,
            0,
            0,
            {{0, 100}, {10, 110}, {30, 220}, {50, 210}, {70, 100}, {90, 0}}};
}

// t1 is copied back (110-210) while t3 is copied out (110-210); on one shared link t3 goes first.
Worked bothDirections(bool fullDuplex) {
    Profile profile = chainProfile(4);
    profile.link.fullDuplex = fullDuplex;
    return {
        profile,
        {{forward(0), forward(1), forward(2), forward(3), backward(3), backward(2), backward(1), backward(0)},
         {{1, 1}, {3, 3}, {3, 4}, {2, 5}, {1, 6}},
         {{1, 0}, {3, 2}},
         {{1, 3}, {3, 3}}},
        unlimitedBudget,
        fullDuplex ? 390 : 490,
        0,
        fullDuplex ? 270 : 370,
        0,
        // full: t1 back 110-210, t3 back 210-310, B3 at 310; half: t1 back 210-310, t3 back 310-410
        fullDuplex
            ? std::vector<MemoryPoint>{{0, 100}, {10, 200}, {20, 300}, {330, 200}, {350, 100}, {370, 0}}
            : std::vector<MemoryPoint>{
                  {0, 100}, {10, 200}, {20, 300}, {110, 200}, {310, 300}, {430, 200}, {450, 100}, {470, 0}}};
}

// Workspaces live exactly as long as their item.
Worked workspaces() {
    Worked worked = keepAll();
    worked.profile.operators[1].forwardWorkspaceBytes = 7;
    worked.profile.operators[2].backwardWorkspaceBytes = 50;
    worked.budget = 250;
    worked.memory = {{0, 100}, {10, 207}, {20, 200}, {30, 250}, {50, 100}, {70, 0}};
    return worked;
}

// An operator that takes no time still needs its room, and everything at its instant happens in order.
Worked zeroTime() {
    Worked worked = keepAll();
    worked.profile.operators[1].forwardNs = 0;
    worked.profile.operators[2].backwardNs = 0;
    worked.stepNs = 60; // F0 10, F1 10, F2 20, B2 20, B1 40, B0 60
    worked.memory = {{0, 100}, {10, 200}, {20, 100}, {40, 0}};
    return worked;
}

// Latency comes before the first byte; a part of a nanosecond counts as a whole one: 5 + ceil(100/3) = 39.
Worked latency() {
    Worked worked = transferStall();
    worked.profile.link.latencyNs = 5;
    worked.profile.link.deviceToHostBytesPerS = 3'000'000'000;
    worked.profile.link.hostToDeviceBytesPerS = 3'000'000'000;
    // out 10-49; back 50-89: B1 waits from 50 to 89
    worked.stepNs = 129;
    worked.transferStallNs = 39;
    worked.memory = {{0, 100}, {10, 200}, {49, 100}, {50, 100}, {109, 0}};
    return worked;
}

// Both outputs of op0 are needed, one was kept: the recompute writes only the other.
Worked residentSibling() {
    Profile profile = chainProfile(2);
    profile.tensors = {{"x", "", 0, 0}, {"a", "", 100, 0}, {"b", "", 30, 0}, {"y", "", 0, 0}};
    profile.operators[0].outputs = {1, 2};
    profile.operators[1].inputs = {1, 2};
    profile.operators[1].outputs = {3};
    profile.operators[1].saved = {1, 2};
    return {
        profile,
        {{forward(0), forward(1), recompute(0), backward(1), backward(0)}, {{1, 1}, {1, 3}, {2, 3}}, {}, {}},
        130,
        70,
        0,
        0,
        10,
        // a leaves at 20 and is written again at 20
        {{0, 130}, {50, 0}}};
}

// A profile input stays for the whole step.
Worked profileInput() {
    Worked worked = keepAll();
    worked.profile.tensors[0].bytes = 40;
    worked.budget = 240;
    worked.memory = {{0, 140}, {10, 240}, {50, 140}, {70, 40}, {90, 0}};
    return worked;
}

} // namespace

class TestSimulator : public QObject {
    Q_OBJECT
private slots:
    void workedByHand_data() {
        QTest::addColumn<Worked>("worked");
        QTest::newRow("keep all") << keepAll();
        QTest::newRow("recompute one") << recomputeOne();
        QTest::newRow("recompute a chain") << recomputeChain();
        QTest::newRow("stall by transfer") << transferStall();
        QTest::newRow("stall by memory") << memoryStall();
        QTest::newRow("shared consumer with gradients") << sharedConsumer();
        QTest::newRow("full duplex") << bothDirections(true);
        QTest::newRow("half duplex") << bothDirections(false);
        QTest::newRow("workspaces") << workspaces();
        QTest::newRow("operators of no time") << zeroTime();
        QTest::newRow("latency and rounding") << latency();
        QTest::newRow("recompute with a resident sibling") << residentSibling();
        QTest::newRow("profile input") << profileInput();
    }
    void workedByHand() {
        QFETCH(Worked, worked);
        const auto program =
            Program::assemble(StepGraph::build(worked.profile).value(), std::move(worked.program));
        QVERIFY2(program, program ? "" : program.error().reason.c_str());
        const auto timeline = simulate(*program, worked.budget);
        QVERIFY(timeline);
        QCOMPARE(timeline->stepNs, worked.stepNs);
        QCOMPARE(timeline->memoryStallNs, worked.memoryStallNs);
        QCOMPARE(timeline->transferStallNs, worked.transferStallNs);
        QCOMPARE(timeline->recomputedNs, worked.recomputedNs);
        // A worked curve may repeat a level where something happens without changing the sum.
        std::vector<MemoryPoint> curve;
        for (const MemoryPoint& point : worked.memory) {
            if (curve.empty() || curve.back().residentBytes != point.residentBytes)
                curve.push_back(point);
        }
        for (std::size_t i = 0; i < std::max(curve.size(), timeline->memory.size()); ++i) {
            QVERIFY(i < curve.size() && i < timeline->memory.size());
            QCOMPARE(timeline->memory[i].atNs, curve[i].atNs);
            QCOMPARE(timeline->memory[i].residentBytes, curve[i].residentBytes);
        }
        const auto broken = violations(*program, *timeline, worked.budget);
        QVERIFY2(broken.empty(), joined(broken).c_str());
    }

    void aBudgetOfOneByteLessIsADeadlockOrAStall() {
        const Worked worked = keepAll();
        const auto program =
            Program::assemble(StepGraph::build(worked.profile).value(), worked.program).value();
        const auto timeline = simulate(program, 199);
        QVERIFY(!timeline);
        QCOMPARE(timeline.error().computeItem, 1);
        QCOMPARE(timeline.error().needsBytes, Bytes{100});
        QCOMPARE(timeline.error().freeBytes, Bytes{99});
        QCOMPARE(timeline.error().cause, StallCause::Memory);
    }
    void aPrefetchWithoutRoomBlocksTheItemThatReadsIt() {
        Worked worked = memoryStall();
        worked.program.prefetches = {{1, 3}}; // before t3 has left
        worked.program.releases = {{1, 1}, {3, 5}, {2, 5}, {1, 6}};
        const auto program =
            Program::assemble(StepGraph::build(worked.profile).value(), worked.program).value();
        QVERIFY(simulate(program, 300)); // there is room for all three
        const auto timeline = simulate(program, 250);
        QVERIFY(timeline); // the prefetch waits until t3 has left after B2
        QCOMPARE(timeline->prefetchStartNs[0], Nanoseconds{170});
        QCOMPARE(timeline->transferStallNs, Nanoseconds{100});
    }
    void profileInputsAboveTheBudgetAreADeadlock() {
        Worked worked = profileInput();
        worked.profile.tensors[0].bytes = 300;
        const auto program =
            Program::assemble(StepGraph::build(worked.profile).value(), worked.program).value();
        QVERIFY(!simulate(program, 299));
        QVERIFY(!simulate(program, 300));
        QVERIFY(simulate(program, 500));
    }
    void oldStorageIsNotSeen() {
        const Worked big = memoryStall();
        const Worked small = keepAll();
        const auto bigProgram = Program::assemble(StepGraph::build(big.profile).value(), big.program).value();
        const auto smallProgram =
            Program::assemble(StepGraph::build(small.profile).value(), small.program).value();
        Timeline used = simulate(bigProgram, big.budget).value();
        QVERIFY(simulate(smallProgram, small.budget, std::move(used)).value() ==
                simulate(smallProgram, small.budget).value());
    }
};

QTEST_APPLESS_MAIN(TestSimulator)
#include "test_simulator.moc"
