// The Chrome trace and the CSV say what the simulation says.
#include "core/planner/strategy.h"
#include "core/report/chrome_trace.h"
#include "core/report/event_csv.h"
#include "core/report/events.h"
#include "tests/support/json.h"
#include "tests/support/profiles.h"

#include <QRegularExpression>
#include <QtTest>

#include <cmath>
#include <map>
#include <set>

using namespace slackscope;

namespace {

Plan layeredPlan(std::string_view strategy, int percent) {
    const auto graph = StepGraph::build(test::layeredProfile(6)).value();
    return findStrategy(strategy)->prepare(graph, {}, {})->plan(unlimitedPeak(graph) * percent / 100);
}

QByteArray textOf(void (*write)(const Plan&, const TextSink&), const Plan& plan) {
    return test::written([&](const TextSink& sink) { write(plan, sink); });
}

} // namespace

class TestEventExports : public QObject {
    Q_OBJECT
private slots:
    void eventsAreMergedInOrder() {
        const Plan plan = layeredPlan("offload-only", 60);
        QVERIFY(plan.feasible());
        const std::vector<Event> all = events(*plan.simulated);
        QCOMPARE(static_cast<std::int64_t>(all.size()), plan.simulated->program.itemCount());
        QVERIFY(std::is_sorted(all.begin(), all.end(), [](const Event& a, const Event& b) {
            return std::pair(a.span.fromNs, a.stream) < std::pair(b.span.fromNs, b.stream);
        }));
        QVERIFY(std::any_of(all.begin(), all.end(),
                            [](const Event& e) { return e.kind == EventKind::Prefetch; }));
    }

    void traceSlicesNestAndNameTheirStreams() {
        const Plan plan = layeredPlan("offload-only", 60);
        const QByteArray text = textOf(writeChromeTrace, plan);
        QJsonParseError error;
        const QJsonObject root = QJsonDocument::fromJson(text, &error).object();
        QCOMPARE(error.error, QJsonParseError::NoError);
        std::map<int, QString> threads;
        std::map<int, double> freeAt;
        std::map<QString, int> opened;
        qsizetype slices = 0;
        for (const QJsonObject& event : test::objectsOf(root["traceEvents"])) {
            const int thread = event["tid"].toInt();
            if (event["ph"] == "M" && event["name"] == "thread_name")
                threads[thread] = event["args"]["name"].toString();
            if (event["ph"] != "X")
                continue;
            ++slices;
            QVERIFY(threads.contains(thread));
            QVERIFY(event["ts"].toDouble() >= freeAt[thread] - 1e-6);
            freeAt[thread] = event["ts"].toDouble() + event["dur"].toDouble();
            if (event["name"] == "Memcpy DtoH (Device -> Pinned)") {
                QCOMPARE(event["cat"].toString(), QString("gpu_memcpy"));
                QVERIFY(event["flow_out"].toBool());
                ++opened[event["bind_id"].toString()];
            } else if (event["name"] == "Memcpy HtoD (Pinned -> Device)") {
                QVERIFY(event["flow_in"].toBool());
                QVERIFY2(opened.contains(event["bind_id"].toString()), "a prefetch flows from its offload");
            } else {
                QCOMPARE(event["cat"].toString(), QString("kernel"));
            }
        }
        QCOMPARE(slices, static_cast<qsizetype>(plan.simulated->program.itemCount()));
        QCOMPARE(threads.size(), std::size_t{3});
        QVERIFY(!opened.empty());
        QVERIFY(!text.contains("e+") && !text.contains("e-0"));
    }

    void traceCountsResidentBytes() {
        const Plan plan = layeredPlan("slackswap", 50);
        QVERIFY(plan.feasible());
        const QJsonObject root = QJsonDocument::fromJson(textOf(writeChromeTrace, plan)).object();
        std::vector<MemoryPoint> points;
        for (const QJsonObject& event : test::objectsOf(root["traceEvents"])) {
            if (event["ph"] == "C" && event["name"] == "resident")
                points.push_back(
                    {std::llround(event["ts"].toDouble() * 1000.0), event["args"]["bytes"].toInteger()});
            if (event["ph"] == "C" && event["name"] == "budget")
                QCOMPARE(event["args"]["bytes"].toInteger(), plan.budgetBytes);
        }
        QVERIFY(points == plan.simulated->timeline.memory);
    }

    void infeasibleTraceHasNoSlices() {
        const Plan plan = layeredPlan("keep-all", 50);
        QVERIFY(!plan.feasible());
        const QByteArray text = textOf(writeChromeTrace, plan);
        const QJsonObject root = QJsonDocument::fromJson(text).object();
        QCOMPARE(root["otherData"]["feasible"].toBool(true), false);
        QVERIFY(!text.contains("\"X\""));
        QCOMPARE(textOf(writeEventCsv, plan).count('\n'), 1);
    }

    void csvHasOneRowPerEvent() {
        const Plan plan = layeredPlan("slackswap", 50);
        const QList<QByteArray> lines = textOf(writeEventCsv, plan).split('\n');
        QCOMPARE(lines.back(), QByteArray());
        QCOMPARE(lines.size() - 2, static_cast<qsizetype>(plan.simulated->program.itemCount()));
        Nanoseconds busy = 0;
        for (qsizetype i = 1; i + 1 < lines.size(); ++i) {
            const QList<QByteArray> fields = lines[i].trimmed().split(',');
            QCOMPARE(fields.size(), 10);
            QCOMPARE(fields[8].toLongLong() - fields[7].toLongLong(), fields[9].toLongLong());
            const bool isCompute = fields[0] == "compute";
            QCOMPARE(fields[2].isEmpty(), !isCompute);
            QCOMPARE(fields[3].isEmpty(), isCompute);
            if (isCompute)
                busy += fields[9].toLongLong();
        }
        QCOMPARE(busy, plan.graph->idealNs() + plan.simulated->timeline.recomputedNs);
    }

    void csvQuotesWhatNeedsIt() {
        Profile profile;
        profile.link = {"link", 1, 1, 0, true, std::nullopt};
        profile.tensors = {{"t", "", 1, 0}};
        profile.operators = {{"a,\"b\"", "", 3, 1, 1, {}, {0}, {0}, 0, 0, true}};
        const auto graph = StepGraph::build(profile).value();
        const Plan plan = findStrategy("keep-all")->prepare(graph, {}, {})->plan(unlimitedPeak(graph));
        QCOMPARE(textOf(writeEventCsv, plan).split('\n')[1].trimmed(),
                 QByteArray("compute,forward,\"a,\"\"b\"\"\",,3,,,0,1,1"));
    }
};

QTEST_APPLESS_MAIN(TestEventExports)
#include "test_event_exports.moc"
