// Timeline JSON, read back with another parser and held against the profile: what it says must be physics.
#include "core/planner/strategy.h"
#include "core/report/timeline_json.h"
#include "tests/support/json.h"
#include "tests/support/profiles.h"

#include <QtTest>

#include <map>

using namespace slackscope;

namespace {

QByteArray timelineOf(const Plan& plan) {
    return test::written([&](const TextSink& sink) { writeTimelineJson(plan, sink); });
}

Plan planOf(const Profile& profile, std::string_view strategy, int percent) {
    const auto graph = StepGraph::build(profile).value();
    const Bytes budget = unlimitedPeak(graph) * percent / 100;
    return findStrategy(strategy)->prepare(graph, {}, {})->plan(budget);
}

QStringList operatorIds(const QJsonValue& events, const QString& kind) {
    QStringList ids;
    for (const QJsonObject& event : test::objectsOf(events)) {
        if (event["kind"] == kind)
            ids += event["operator"].toString();
    }
    return ids;
}

qint64 whole(const QJsonValue& value) {
    return value.toInteger(-1);
}

} // namespace

class TestTimelineJson : public QObject {
    Q_OBJECT
private slots:
    void holds_data() {
        QTest::addColumn<int>("layers"); // 0: a random profile of that seed
        QTest::addColumn<quint64>("seed");
        QTest::addColumn<QString>("strategy");
        QTest::addColumn<int>("percent");
        for (const StrategyInfo* strategy : strategies()) {
            const QString id =
                QString::fromUtf8(strategy->id.data(), static_cast<qsizetype>(strategy->id.size()));
            for (const int percent : {100, 90, 70, 50, 40, 30, 1}) {
                QTest::addRow("layers %s %d%%", qPrintable(id), percent) << 8 << quint64{0} << id << percent;
                for (quint64 seed = 1; seed <= 6; ++seed)
                    QTest::addRow("random %llu %s %d%%", static_cast<unsigned long long>(seed),
                                  qPrintable(id), percent)
                        << 0 << seed << id << percent;
            }
        }
    }
    void holds() {
        QFETCH(int, layers);
        QFETCH(quint64, seed);
        QFETCH(QString, strategy);
        QFETCH(int, percent);
        const Profile profile = layers > 0 ? test::layeredProfile(layers) : test::randomProfile(seed);
        const Plan plan = planOf(profile, strategy.toStdString(), percent);
        QJsonParseError error;
        const QJsonObject root = QJsonDocument::fromJson(timelineOf(plan), &error).object();
        QVERIFY2(error.error == QJsonParseError::NoError, qPrintable(error.errorString()));
        QCOMPARE(root["format"].toString(), QString("slackscope-timeline"));
        QCOMPARE(whole(root["version"]), 1);
        QCOMPARE(root["strategy"].toString(), strategy);
        QCOMPARE(root["profile"].toString(), QString::fromStdString(profile.name));
        QCOMPARE(whole(root["budget_bytes"]), plan.budgetBytes);
        QCOMPARE(root["feasible"].toBool(), plan.feasible());
        if (plan.feasible())
            checkFeasible(profile, root);
        else
            checkInfeasible(profile, root);
    }

    void zeroLengthStepIsWritten() {
        Profile profile;
        profile.link = {"link", 1, 1, 0, true, std::nullopt};
        profile.tensors = {{"t \"quoted\"", "", 0, 0}};
        profile.operators = {{"op\\", "", std::nullopt, 0, 0, {}, {0}, {0}, 0, 0, true}};
        const auto root = QJsonDocument::fromJson(timelineOf(planOf(profile, "keep-all", 100))).object();
        QCOMPARE(root["throughput_of_ideal"].toDouble(), 1.0);
        QCOMPARE(test::objectsOf(root["events"]).front()["operator"].toString(), QString("op\\"));
        QCOMPARE(test::objectsOf(root["decisions"]).front()["tensor"].toString(), QString("t \"quoted\""));
    }

private:
    static void checkInfeasible(const Profile& profile, const QJsonObject& root) {
        QVERIFY(!root.contains("events"));
        QVERIFY(!root.contains("memory"));
        QVERIFY(whole(root["minimum_budget_bytes"]) > whole(root["budget_bytes"]));
        QCOMPARE(whole(root["blocked"]["needs_bytes"]), whole(root["minimum_budget_bytes"]));
        const std::string blocked = root["blocked"]["operator"].toString().toStdString();
        QVERIFY(std::any_of(profile.operators.begin(), profile.operators.end(),
                            [&](const Operator& op) { return op.id == blocked; }));
    }

    static void checkFeasible(const Profile& profile, const QJsonObject& root) {
        checkOrder(profile, root["events"]);
        if (!QTest::currentTestFailed())
            checkTotals(profile, root);
        if (!QTest::currentTestFailed())
            checkDecisions(profile, root);
        if (!QTest::currentTestFailed())
            checkMemory(profile, root);
    }

    static void checkOrder(const Profile& profile, const QJsonValue& events) {
        static const std::map<QString, QString> streamOf{{"forward", "compute"},
                                                         {"backward", "compute"},
                                                         {"recompute", "compute"},
                                                         {"offload", "device_to_host"},
                                                         {"prefetch", "host_to_device"}};
        std::map<QString, qint64> freeAt;
        std::pair<qint64, QString> previous{0, ""};
        for (const QJsonObject& event : test::objectsOf(events)) {
            const QString stream = event["stream"].toString();
            const qint64 start = whole(event["start_ns"]);
            QCOMPARE(stream, streamOf.at(event["kind"].toString()));
            QVERIFY(start >= freeAt[stream]);
            freeAt[stream] = whole(event["end_ns"]);
            QVERIFY(freeAt[stream] >= start);
            // The three names happen to be in the order in which equal starts are listed.
            QVERIFY(previous <= std::pair(start, stream));
            previous = {start, stream};
        }
        QStringList forward;
        for (const Operator& op : profile.operators)
            forward += QString::fromStdString(op.id);
        QStringList backward(forward.rbegin(), forward.rend());
        QCOMPARE(operatorIds(events, "forward"), forward);
        QCOMPARE(operatorIds(events, "backward"), backward);
    }

    static void checkTotals(const Profile& profile, const QJsonObject& root) {
        qint64 ideal = 0;
        for (const Operator& op : profile.operators)
            ideal += op.forwardNs + op.backwardNs;
        qint64 step = 0;
        qint64 recomputed = 0;
        for (const QJsonObject& event : test::objectsOf(root["events"])) {
            if (event["stream"] != "compute")
                continue;
            step = std::max(step, whole(event["end_ns"]));
            if (event["kind"] == "recompute")
                recomputed += whole(event["end_ns"]) - whole(event["start_ns"]);
        }
        QCOMPARE(whole(root["ideal_ns"]), ideal);
        QCOMPARE(whole(root["step_ns"]), step);
        QCOMPARE(whole(root["recomputed_ns"]), recomputed);
        QCOMPARE(step, ideal + recomputed + whole(root["stall_ns"]["memory"]) +
                           whole(root["stall_ns"]["transfer"]));
        QVERIFY(whole(root["lower_bound_ns"]) <= step);
        QVERIFY(std::abs(root["throughput_of_ideal"].toDouble() -
                         static_cast<double>(ideal) / static_cast<double>(step)) < 1e-9);
        QVERIFY(whole(root["slack"]["device_to_host_ns"]) >= 0);
    }

    static void checkDecisions(const Profile& profile, const QJsonObject& root) {
        std::map<QString, int> copies;
        qint64 offloaded = 0;
        qint64 copyTime = 0;
        for (const QJsonObject& event : test::objectsOf(root["events"])) {
            if (event["kind"] != "offload")
                continue;
            ++copies[event["tensor"].toString()];
            copyTime += whole(event["end_ns"]) - whole(event["start_ns"]);
        }
        std::map<QString, int> saved;
        for (const Operator& op : profile.operators) {
            for (const TensorIndex t : op.saved)
                saved[QString::fromStdString(profile.tensors[static_cast<std::size_t>(t)].id)] = 0;
        }
        for (const QJsonObject& each : test::objectsOf(root["decisions"])) {
            const QString id = each["tensor"].toString();
            QVERIFY(saved.contains(id));
            QCOMPARE(++saved[id], 1);
            QCOMPARE(each["decision"] == "offload", copies.contains(id));
        }
        QCOMPARE(root["decisions"].toArray().size(), static_cast<qsizetype>(saved.size()));
        for (const Tensor& tensor : profile.tensors) {
            if (copies.contains(QString::fromStdString(tensor.id)))
                offloaded += tensor.bytes;
        }
        QCOMPARE(whole(root["offloaded_bytes"]), offloaded);
        QCOMPARE(whole(root["slack"]["used_ns"]), copyTime);
    }

    // The curve must be the sum of the residencies, and its highest point the peak.
    static void checkMemory(const Profile& profile, const QJsonObject& root) {
        std::map<std::string, const Tensor*> tensors;
        std::map<std::string, const Operator*> operators;
        for (const Tensor& tensor : profile.tensors)
            tensors[tensor.id] = &tensor;
        for (const Operator& op : profile.operators)
            operators[op.id] = &op;
        std::map<std::pair<std::string, qint64>, bool> isBackward;
        for (const QJsonObject& event : test::objectsOf(root["events"])) {
            if (event["stream"] == "compute" && event["start_ns"] != event["end_ns"])
                isBackward[{event["operator"].toString().toStdString(), whole(event["start_ns"])}] =
                    event["kind"] == "backward";
        }
        std::map<qint64, qint64> change;
        for (const QJsonObject& each : test::objectsOf(root["residencies"])) {
            const std::string id = each["id"].toString().toStdString();
            const qint64 from = whole(each["from_ns"]);
            const qint64 to = whole(each["to_ns"]);
            QVERIFY(from <= to);
            if (from == to)
                continue;
            qint64 bytes = 0;
            if (each["buffer"] == "tensor")
                bytes = tensors.at(id)->bytes;
            else if (each["buffer"] == "gradient")
                bytes = tensors.at(id)->gradientBytes;
            else
                bytes = isBackward.at({id, from}) ? operators.at(id)->backwardWorkspaceBytes
                                                  : operators.at(id)->forwardWorkspaceBytes;
            change[from] += bytes;
            change[to] -= bytes;
        }
        qint64 level = 0;
        qint64 peak = 0;
        std::vector<std::pair<qint64, qint64>> expected;
        for (const auto& [at, by] : change) {
            level += by;
            peak = std::max(peak, level);
            if (by != 0)
                expected.emplace_back(at, level);
        }
        QCOMPARE(level, 0);
        std::vector<std::pair<qint64, qint64>> said;
        for (const auto& point : root["memory"].toArray())
            said.emplace_back(whole(point.toArray()[0]), whole(point.toArray()[1]));
        QCOMPARE(said, expected);
        QCOMPARE(whole(root["peak_bytes"]), peak);
        QVERIFY(peak <= whole(root["budget_bytes"]));
    }
};

QTEST_APPLESS_MAIN(TestTimelineJson)
#include "test_timeline_json.moc"
