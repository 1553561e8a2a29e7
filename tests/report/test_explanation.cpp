// What text says of decisions: one line each with its numbers, and what else it could be.
#include "core/planner/strategy.h"
#include "core/report/explanation.h"
#include "core/report/quantities.h"
#include "core/report/reason_text.h"
#include "tests/support/profiles.h"

#include <QtTest>

using namespace slackscope;

Q_DECLARE_METATYPE(slackscope::Reason)
Q_DECLARE_METATYPE(slackscope::WhatIf)

namespace {

Reason example(Reason::Kind kind, Decision decision) {
    Reason reason;
    reason.kind = kind;
    reason.decision = decision;
    reason.bytes = Bytes{4} << 20;
    reason.outNs = 500'000;
    reason.backNs = 500'000;
    reason.recompute = {80'000, 1, 3};
    reason.ranked = 9;
    reason.budgetBytes = Bytes{2} << 30;
    reason.peakBytes = Bytes{1} << 30;
    reason.unlimitedPeakBytes = Bytes{3} << 30;
    reason.linkUsedNs = 8'000'000;
    reason.linkNs = 9'000'000;
    return reason;
}

} // namespace

class TestExplanation : public QObject {
    Q_OBJECT
private slots:
    void sentences_data() {
        QTest::addColumn<Reason>("reason");
        QTest::addColumn<QString>("sentence");
        using Kind = Reason::Kind;
        Reason reason = example(Kind::Pinned, Decision::Keep);
        const auto row = [&](const char* name, const char* sentence) {
            QTest::newRow(name) << reason << QString(sentence);
        };
        row("pinned",
            "It is pinned; offloading takes 500.0 us each way; recomputing costs 80.0 us, 20.0 us per MiB "
            "(rank 3 of 9).");
        reason = example(Kind::Pinned, Decision::Offload);
        reason.waitNs = 7;
        row("pinned to offload",
            "It is pinned; its copies (500.0 us each way) let the step wait 7 ns; recomputing "
            "costs 80.0 us, 20.0 us per MiB (rank 3 of 9).");
        reason = example(Kind::NoBytes, Decision::Keep);
        row("no bytes", "It takes no memory.");
        reason = example(Kind::NoChoice, Decision::Keep);
        reason.toOffload = reason.toRecompute = Obstacle::NoGap;
        row("no gap",
            "Nothing else would free memory: nothing runs between its last forward and its first backward "
            "use.");
        reason.toOffload = Obstacle::NoHost;
        reason.toRecompute = Obstacle::ProfileInput;
        row("no choice",
            "It cannot be offloaded: the host takes no tensors; and it cannot be recomputed: no operator "
            "of the step makes it.");
        reason = example(Kind::AllFits, Decision::Keep);
        row("all fits", "The budget of 2.00 GiB holds everything (unlimited peak 3.00 GiB).");
        reason = example(Kind::NotNeeded, Decision::Keep);
        row("not needed",
            "The plan peaks at 1.00 GiB of 2.00 GiB without freeing it; recomputing costs 80.0 us, 20.0 "
            "us per MiB (rank 3 of 9); offloading takes 500.0 us each way.");
        reason.recompute = {};
        row("endless chain",
            "The plan peaks at 1.00 GiB of 2.00 GiB without freeing it; recomputing takes more than "
            "10,000 operators; offloading takes 500.0 us each way.");
        reason = example(Kind::OnlyOffload, Decision::Offload);
        reason.toRecompute = Obstacle::NotRecomputable;
        row("only offload",
            "It cannot be recomputed: its operator or one before it may not run again; its copies "
            "(500.0 us each way) hide in computation.");
        reason = example(Kind::Offloaded, Decision::Offload);
        reason.backNs = 1000;
        row("offload",
            "Its copies (500.0 us out, 1.0 us back) hide in computation; recomputing costs 80.0 us, 20.0 us "
            "per MiB (rank 3 of 9).");
        reason = example(Kind::OnlyRecompute, Decision::Recompute);
        reason.toOffload = Obstacle::HostTooSmall;
        row("only recompute",
            "It cannot be offloaded: it is larger than the host memory; recomputing costs 80.0 us, "
            "20.0 us per MiB (rank 3 of 9).");
        reason = example(Kind::Segment, Decision::Recompute);
        row("segment",
            "Its segment is made again as a whole from what is kept around it; alone, recomputing costs "
            "80.0 us, 20.0 us per MiB (rank 3 of 9).");
        reason = example(Kind::Recomputed, Decision::Recompute);
        row("recompute",
            "Recomputing costs 80.0 us, 20.0 us per MiB (rank 3 of 9); offloading takes 500.0 us each way, "
            "and the link already carries 8.00 ms of copies out where 9.00 ms can hide.");
        reason.linkUsedNs = 0;
        row("recompute, idle link",
            "Recomputing costs 80.0 us, 20.0 us per MiB (rank 3 of 9); offloading takes 500.0 "
            "us each way.");
    }
    void sentences() {
        QFETCH(Reason, reason);
        QFETCH(QString, sentence);
        QCOMPARE(QString::fromStdString(reasonText(reason)), sentence);
    }

    void whatIfs_data() {
        QTest::addColumn<WhatIf>("answer");
        QTest::addColumn<QString>("text");
        using Outcome = WhatIf::Outcome;
        QTest::newRow("slower") << WhatIf{Outcome::Runs, 1'100'000, 0, {}} << "1.10 ms (+100.0 us)";
        QTest::newRow("faster") << WhatIf{Outcome::Runs, 999'000, 0, {}} << "999.0 us (-1.0 us)";
        QTest::newRow("same") << WhatIf{Outcome::Runs, 1'000'000, 0, {}} << "1.00 ms (same)";
        QTest::newRow("budget") << WhatIf{Outcome::OverBudget, 0, 2048, {}} << "no: 2.00 KiB over budget";
        QTest::newRow("host") << WhatIf{Outcome::HostFull, 0, 1, {}} << "no: 1 byte over the host memory";
        QTest::newRow("endless") << WhatIf{Outcome::Endless, 0, 0, {}}
                                 << "no: it would recompute without end";
        QTest::newRow("impossible") << WhatIf{Outcome::Impossible, 0, 0, Obstacle::NoBytes}
                                    << "no: it takes no memory";
    }
    void whatIfs() {
        QFETCH(WhatIf, answer);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(whatIfText(answer, 1'000'000)), text);
    }

    void everySavedTensorHasOneLine() {
        const auto graph = StepGraph::build(test::layeredProfile(5)).value();
        const Pins pins{{graph->savedTensors()[2], Decision::Keep}};
        const Plan plan = findStrategy("slackswap")->prepare(graph, pins, {})->plan(unlimitedPeak(graph) / 2);
        QVERIFY(plan.feasible());
        const QStringList lines = QString::fromStdString(decisionList(plan)).split('\n');
        for (const TensorIndex t : graph->savedTensors()) {
            const QStringList found = lines.filter(QString::fromStdString(graph->tensor(t).id + " "));
            QCOMPARE(found.size(), 1);
            QVERIFY(found.front().contains(QString::fromStdString(
                std::string(decisionName(plan.decisions[static_cast<std::size_t>(t)])))));
            QCOMPARE(found.front().contains(QStringLiteral("keep, pinned  ")), t == pins.front().tensor);
        }
    }

    void explainsWithAllAnswers() {
        const auto graph = StepGraph::build(test::layeredProfile(5)).value();
        const Plan plan =
            findStrategy("slackswap")->prepare(graph, {}, {})->plan(unlimitedPeak(graph) * 6 / 10);
        QVERIFY(plan.feasible());
        const TensorIndex t = graph->savedTensors()[4];
        const std::vector<TensorIndex> asked{t};
        const QString text = QString::fromStdString(explanations(plan, asked));
        const auto held = whatIfHeld(plan, t, {}).value();
        const auto replanned = whatIfReplanned(plan, t, {}).value();
        for (const Decision decision : allDecisions) {
            const auto d = static_cast<std::size_t>(decision);
            const bool now = decision == plan.decisions[static_cast<std::size_t>(t)];
            const QString line =
                QString::fromStdString("  " + std::string(decisionName(decision)) + (now ? " (now)" : ""));
            QVERIFY2(text.contains(line), qPrintable(text));
            QVERIFY2(text.contains(QString::fromStdString(whatIfText(held[d], plan.stepNs()))),
                     qPrintable(text));
            QVERIFY2(text.contains(QString::fromStdString(whatIfText(replanned[d], plan.stepNs()))),
                     qPrintable(text));
        }
    }
};

QTEST_APPLESS_MAIN(TestExplanation)
#include "test_explanation.moc"
