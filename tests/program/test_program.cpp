// Instructions that are no program are refused with the position and a reason.
#include "core/program/program.h"
#include "tests/support/profiles.h"

#include <QtTest>

using namespace slackscope;
using namespace slackscope::test;

namespace {

Instructions keepAll() {
    return {{forward(0), forward(1), forward(2), backward(2), backward(1), backward(0)},
            {{2, 3}, {1, 4}},
            {},
            {}};
}

Instructions offloadOne() {
    Instructions program = keepAll();
    program.releases = {{1, 1}, {2, 3}, {1, 4}};
    program.offloads = {{1, 0}};
    program.prefetches = {{1, 3}};
    return program;
}

} // namespace

class TestProgram : public QObject {
    Q_OBJECT
private slots:
    void refuses_data() {
        QTest::addColumn<Profile>("profile");
        QTest::addColumn<Instructions>("program");
        QTest::addColumn<int>("position");
        QTest::addColumn<QString>("word");
        const Profile chain = chainProfile(3);
        const auto row = [](const char* name, const Profile& profile, const Instructions& program,
                            int position, const char* word) {
            QTest::newRow(name) << profile << program << position << word;
        };
        Instructions p = keepAll();
        std::swap(p.compute[0], p.compute[1]);
        row("forwards out of order", chain, p, 0, "profile order");
        p = keepAll();
        std::swap(p.compute[4], p.compute[5]);
        row("backwards out of order", chain, p, 4, "reverse");
        p = keepAll();
        std::swap(p.compute[2], p.compute[3]);
        row("backward before the forwards have ended", chain, p, 2, "forward pass");
        p = keepAll();
        p.compute.insert(p.compute.begin() + 1, recompute(0));
        row("recompute in the forward pass", chain, p, 1, "backward pass");
        p = keepAll();
        p.compute.pop_back();
        row("a backward is missing", chain, p, 5, "every backward");
        p = keepAll();
        p.compute[0].op = 9;
        row("no such operator", chain, p, -1, "does not exist");
        Profile fixed = chain;
        fixed.operators[0].recomputable = false;
        p = keepAll();
        p.compute.insert(p.compute.begin() + 3, recompute(0));
        row("recompute of what cannot be", fixed, p, 3, "not recomputable");
        p = keepAll();
        p.releases = {{1, 1}, {2, 3}};
        row("reads what has left", chain, p, 4, "not resident");
        p = keepAll();
        p.releases = {{1, 0}, {2, 3}};
        row("leaves before its last forward use", chain, p, 1, "not resident");
        p = keepAll();
        p.releases = {{2, 3}, {2, 4}};
        row("released twice", chain, p, 4, "not resident");
        p = keepAll();
        p.releases = {{1, 4}, {2, 3}};
        row("releases out of order", chain, p, 3, "ascend");
        p = keepAll();
        p.releases = {{7, 4}};
        row("no such tensor", chain, p, 4, "does not exist");
        p = offloadOne();
        p.offloads = {{1, 0}, {1, 1}};
        row("offloaded twice", chain, p, 1, "twice");
        p = offloadOne();
        p.offloads = {{2, 0}};
        row("offload of what is not there yet", chain, p, 0, "not resident");
        p = offloadOne();
        p.offloads = {};
        row("prefetch of what was not offloaded", chain, p, 3, "no offload");
        p = offloadOne();
        p.releases = {{2, 3}, {1, 4}};
        row("prefetch of what is resident", chain, p, 3, "resident");
        p = offloadOne();
        p.prefetches = {{1, 5}};
        row("prefetch too late", chain, p, 4, "not resident");
        p = offloadOne();
        p.releases = {{1, 1}, {1, 3}, {2, 3}};
        p.prefetches = {{1, 2}};
        row("prefetch for nothing", chain, p, 3, "for nothing");
        Profile noHost = chain;
        noHost.link.hostMemoryBytes = 0;
        row("host limit 0", noHost, offloadOne(), -1, "limit is 0");
        noHost.link.hostMemoryBytes = 99;
        row("host limit too small", noHost, offloadOne(), -1, "limit is 99");
    }
    void refuses() {
        QFETCH(Profile, profile);
        QFETCH(Instructions, program);
        QFETCH(int, position);
        QFETCH(QString, word);
        const auto assembled = Program::assemble(StepGraph::build(profile).value(), program);
        QVERIFY(!assembled);
        QCOMPARE(assembled.error().position, position);
        QVERIFY2(assembled.error().reason.find(word.toStdString()) != std::string::npos,
                 assembled.error().reason.c_str());
    }
    void acceptsWhatObeys() {
        QVERIFY(Program::assemble(StepGraph::build(chainProfile(3)).value(), keepAll()));
        QVERIFY(Program::assemble(StepGraph::build(chainProfile(3)).value(), offloadOne()));
        Profile host = chainProfile(3);
        host.link.hostMemoryBytes = 100;
        QVERIFY(Program::assemble(StepGraph::build(host).value(), offloadOne()));
    }
    void listsResidencies() {
        const auto program =
            Program::assemble(StepGraph::build(chainProfile(3)).value(), offloadOne()).value();
        const auto residencies = program.residencies();
        QCOMPARE(residencies.size(), std::size_t{3}); // t1, t2, t1 again; nothing else has bytes
        QCOMPARE(residencies[0].id, 1);
        QCOMPARE(residencies[0].offload, 0);
        QCOMPARE(residencies[0].closer, 1);
        QCOMPARE(residencies[2].opening, Opening::PrefetchStart);
        QCOMPARE(residencies[2].closer, 4);
    }
};

QTEST_APPLESS_MAIN(TestProgram)
#include "test_program.moc"
