// The text summary names every number with its unit and says what to do when there is no plan.
#include "core/planner/strategy.h"
#include "core/report/summary.h"
#include "tests/support/profiles.h"

#include <QRegularExpression>
#include <QtTest>

using namespace slackscope;

namespace {

std::shared_ptr<const StepGraph> graphOnDevice(Bytes memory, Bytes state) {
    Profile profile = test::layeredProfile(4);
    profile.name = "four layers";
    profile.tokensPerStep = 4096;
    profile.samplesPerStep = 4;
    profile.device = Device{"Test GPU", memory, state};
    return StepGraph::build(profile).value();
}

QString summaryAt(const std::shared_ptr<const StepGraph>& graph, std::string_view strategy, int percent) {
    const Bytes budget = unlimitedPeak(graph) * percent / 100;
    return QString::fromStdString(planSummary(findStrategy(strategy)->prepare(graph, {}, {})->plan(budget)));
}

} // namespace

class TestSummary : public QObject {
    Q_OBJECT
private slots:
    void feasible() {
        const QString text = summaryAt(graphOnDevice(Bytes{1} << 40, Bytes{1} << 30), "slackswap", 60);
        for (const char* pattern :
             {"Profile +four layers", "Strategy +SlackSwap \\(slackswap\\)",
              "Budget +[\\d.]+ [KMG]iB \\([\\d,]+ bytes\\), (60|59)\\.\\d % of the unlimited peak of [\\d.]+ "
              "[KMG]iB",
              "Feasible +yes", "Throughput +[\\d.]+ % of ideal", "Step +[\\d.]+ [mu]s",
              "tokens/s, [\\d.,]+ samples/s", "Peak +[\\d.]+ [KMG]iB of", "Offloaded", "Recomputed",
              "Stalled .*memory .*transfers", "device to host .* of .* that computation can hide",
              "1\\.00 GiB model state", "fits in 1\\.00 TiB: yes", "keep +offload +recompute", "  all ",
              "Simulated, not measured on a GPU; fragmentation is not modelled\\."})
            QVERIFY2(QRegularExpression(pattern).match(text).hasMatch(),
                     qPrintable(QString(pattern) + " is not in:\n" + text));
    }
    void saysWhenTheDeviceIsTooSmall() {
        const QString text = summaryAt(graphOnDevice(1000, 2000), "slackswap", 60);
        QVERIFY2(
            QRegularExpression("fits in 1000 bytes: no, [\\d.]+ [KMG]iB too much").match(text).hasMatch(),
            qPrintable(text));
    }
    void infeasible() {
        const auto graph = graphOnDevice(Bytes{1} << 40, 0);
        const Plan plan = findStrategy("slackswap")->prepare(graph, {}, {})->plan(unlimitedPeak(graph) / 100);
        QVERIFY(!plan.feasible());
        const QString text = QString::fromStdString(planSummary(plan));
        const QString blocked = QString::fromStdString(graph->op(plan.blocked->op).id);
        QVERIFY2(text.contains("operator \"" + blocked + "\" needs"), qPrintable(text));
        QVERIFY2(QRegularExpression("Feasible +no: short by").match(text).hasMatch(), qPrintable(text));
        QVERIFY2(QRegularExpression("Smallest +budget that works with this strategy").match(text).hasMatch(),
                 qPrintable(text));
        QVERIFY(text.contains("What to do"));
        QVERIFY(!text.contains("Throughput"));
    }
    void countsAddUp() {
        const auto graph = graphOnDevice(Bytes{1} << 40, 0);
        const QString text = summaryAt(graph, "keep-all", 100);
        const auto match = QRegularExpression("\n  all +(\\d+) +[\\d.]+ [KMG]iB +- +-\n").match(text);
        QVERIFY2(match.hasMatch(), qPrintable(text));
        QCOMPARE(match.captured(1).toInt(), static_cast<int>(graph->savedTensors().size()));
    }
};

QTEST_APPLESS_MAIN(TestSummary)
#include "test_summary.moc"
