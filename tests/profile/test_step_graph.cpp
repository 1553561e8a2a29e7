// What the flat view of a profile says about uses, gradients and what can be recomputed.
#include "core/profile/step_graph.h"

#include <QtTest>

using namespace slackscope;

namespace {

Tensor tensor(std::string id, Bytes bytes, Bytes gradient) {
    return {std::move(id), "", bytes, gradient};
}

// x -> a -> t -> b -> y -> c -> z, with a residual from t into c; b saves t, c saves y.
Profile residualProfile() {
    Profile profile;
    profile.link = {"link", 1'000'000'000, 500'000'000, 100, true, std::nullopt};
    profile.tensors = {tensor("x", 8, 0), tensor("t", 16, 16), tensor("y", 32, 32), tensor("z", 4, 4)};
    profile.operators = {{"a", "", 0, 10, 20, {0}, {1}, {0}, 0, 0, true},
                         {"b", "", 0, 30, 60, {1}, {2}, {1}, 0, 0, true},
                         {"c", "", 1, 5, 5, {1, 2, 2}, {3}, {2}, 0, 0, true}};
    return profile;
}

std::vector<std::int32_t> list(std::span<const std::int32_t> span) {
    return {span.begin(), span.end()};
}

} // namespace

class TestStepGraph : public QObject {
    Q_OBJECT
private slots:
    void findsUses() {
        const auto graph = StepGraph::build(residualProfile()).value();
        QCOMPARE(graph->producer(0), none);
        QCOMPARE(graph->producer(1), 0);
        QCOMPARE(list(graph->consumers(1)), (std::vector<std::int32_t>{1, 2}));
        QCOMPARE(graph->lastForwardUse(1), 2);
        QCOMPARE(graph->lastForwardUse(3), 2);
        QCOMPARE(list(graph->savedTensors()), (std::vector<std::int32_t>{0, 1, 2}));
        QCOMPARE(list(graph->inputs(2)), (std::vector<std::int32_t>{1, 2})); // the repeat is one read
        QCOMPARE(graph->idealNs(), Nanoseconds{130});
    }
    void gradientsLiveFromTheFirstBackwardThatTouchesThem() {
        const auto graph = StepGraph::build(residualProfile()).value();
        QCOMPARE(list(graph->gradientsOpened(2)), (std::vector<std::int32_t>{1, 2, 3}));
        QCOMPARE(list(graph->gradientsClosed(2)), (std::vector<std::int32_t>{3}));
        QCOMPARE(list(graph->gradientsClosed(1)), (std::vector<std::int32_t>{2}));
        QCOMPARE(list(graph->gradientsClosed(0)), (std::vector<std::int32_t>{1}));
        QCOMPARE(graph->gradientBytesOpened(2), Bytes{52});
    }
    void copiesTakeLatencyAndRoundUp() {
        const auto graph = StepGraph::build(residualProfile()).value();
        QCOMPARE(graph->offloadNs(1), Nanoseconds{100 + 16});
        QCOMPARE(graph->prefetchNs(1), Nanoseconds{100 + 32});
        QCOMPARE(copyNs({"", 3, 3, 7, true, {}}, 3, 1), Nanoseconds{7 + 333'333'334});
    }
    void recomputeNeedsAReachableProducer() {
        Profile profile = residualProfile();
        profile.operators[1].recomputable = false;
        profile.operators[2].saved = {3};
        const auto graph = StepGraph::build(profile).value();
        QVERIFY(!graph->canRecompute(0)); // a profile input
        QVERIFY(graph->canRecompute(1));
        QVERIFY(!graph->canRecompute(2)); // not recomputable itself
        QVERIFY(!graph->canRecompute(3)); // reads the transient y, which nothing can make again
    }
    void refusesControlCharactersInNames_data() {
        QTest::addColumn<QString>("pointer");
        for (const char* pointer : {"/name", "/source", "/link/name", "/tensors/1/id", "/tensors/1/kind",
                                    "/operators/2/id", "/operators/2/kind"})
            QTest::newRow(pointer) << pointer;
    }
    void refusesControlCharactersInNames() {
        QFETCH(QString, pointer);
        Profile profile = residualProfile();
        std::string* const texts[] = {&profile.name,
                                      &profile.source,
                                      &profile.link.name,
                                      &profile.tensors[1].id,
                                      &profile.tensors[1].kind,
                                      &profile.operators[2].id,
                                      &profile.operators[2].kind};
        int damaged = 0;
        for (std::string* text : texts) {
            const std::string before = *text;
            *text += "\x1b[2J";
            const auto error = validate(profile);
            QVERIFY(error);
            if (QString::fromStdString(error->pointer) == pointer)
                ++damaged;
            *text = before;
        }
        QCOMPARE(damaged, 1);
    }
    void refusesWhatValidateRefuses() {
        Profile profile = residualProfile();
        profile.operators[0].inputs = {3};
        const auto graph = StepGraph::build(profile);
        QVERIFY(!graph);
        QCOMPARE(graph.error().pointer, std::string("/operators/0/inputs/0"));
        QVERIFY2(graph.error().reason.find("cycle") != std::string::npos, graph.error().reason.c_str());
    }
};

QTEST_APPLESS_MAIN(TestStepGraph)
#include "test_step_graph.moc"
