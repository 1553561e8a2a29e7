// `slackscope sweep`: what it prints agrees with `plan`, and what it refuses it says in one sentence.
#include "core/planner/strategy.h"
#include "tests/app/run_program.h"
#include "tests/support/json.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

using namespace slackscope;
using namespace slackscope::test;

namespace {

const QString sample = QStringLiteral(SLACKSCOPE_SAMPLES "/tiny-transformer.profile.json");

ProgramRun sweep(const QString& input, const QStringList& options) {
    return runProgram(QStringList{"sweep", input} + options);
}

} // namespace

class TestSweepCommand : public QObject {
    Q_OBJECT
private slots:
    void helpShowsExamples() {
        const ProgramRun run = runProgram({"sweep", "--help"});
        QCOMPARE(run.status, 0);
        for (const char* word : {"--axis", "--find", "Examples", "slackscope sweep gpt2-xl", "long CSV"})
            QVERIFY2(run.out.contains(word), word);
    }

    void everyPointIsThatOfPlan() {
        const ProgramRun run = sweep(sample, {"--steps", "10", "--format", "json"});
        QCOMPARE(run.status, 0);
        const QJsonArray curves = parsedObject(run.out)["curves"].toArray();
        QCOMPARE(static_cast<std::size_t>(curves.size()), strategies().size());
        const QJsonObject curve = curves[1].toObject();
        for (const int percent : {20, 50, 90}) {
            const QJsonObject plan =
                parsedObject(runProgram({"plan", sample, "--budget", QString("%1%").arg(percent),
                                         "--strategy", curve["strategy"].toString(), "--format", "json"})
                                 .out);
            bool isThere = false;
            for (const auto& each : curve["points"].toArray()) {
                const QJsonObject point = each.toObject();
                if (point["budget_bytes"] != plan["budget_bytes"])
                    continue;
                isThere = true;
                for (const char* key : {"feasible", "step_ns", "throughput_of_ideal", "recomputed_ns",
                                        "stall_ns", "peak_bytes", "offloaded_bytes"})
                    QCOMPARE(point[key], plan[key]);
                QCOMPARE(curve["minimum_budget_bytes"], plan["minimum_budget_bytes"]);
            }
            QVERIFY2(isThere, qPrintable(QString::number(percent)));
        }
    }

    void ninetyOneBudgetsWithoutOptions() {
        const ProgramRun run = sweep(sample, {"--no-bound"});
        QCOMPARE(run.status, 0);
        QCOMPARE(QString(run.out).count(QRegularExpression("(?m)^[0-9.]+ [KMG]iB +[0-9.]+ %")), 91);
        QVERIFY(run.out.contains("Simulated, not measured"));
        QVERIFY(!run.err.contains('\r')); // progress is for terminals
        QVERIFY(run.err.contains("91 budgets"));
    }

    void adaptiveAddsPoints() {
        const QStringList options{"--no-bound", "--format", "csv", "--strategies", "slackswap,sqrt-n"};
        const auto even = sweep(sample, options + QStringList{"--steps", "19"});
        const auto adaptive = sweep(sample, options + QStringList{"--adaptive"});
        QCOMPARE(adaptive.status, 0);
        QVERIFY(adaptive.out.count('\n') > even.out.count('\n'));
        for (const QByteArray& line : even.out.split('\n'))
            QVERIFY(adaptive.out.contains(line));
        QVERIFY(adaptive.out.contains("sqrt-n,"));
        QVERIFY(!adaptive.out.contains("keep-all,"));
    }

    void otherAxes_data() {
        QTest::addColumn<QString>("axis");
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QList<qint64>>("values");
        QTest::newRow("bandwidth") << "bandwidth" << QStringList{"--values", "12.5,800MB/s"}
                                   << QList<qint64>{800'000'000, 12'500'000'000};
        QTest::newRow("batch") << "batch" << QStringList{"--from", "2", "--to", "6", "--steps", "3"}
                               << QList<qint64>{2, 4, 6};
        QTest::newRow("sequence") << "sequence" << QStringList{"--values", "128,256,128"}
                                  << QList<qint64>{128, 256};
    }
    void otherAxes() {
        QFETCH(QString, axis);
        QFETCH(QStringList, options);
        QFETCH(QList<qint64>, values);
        const ProgramRun run =
            sweep("bert-base", QStringList{"--axis", axis, "--strategies", "slackswap", "--no-bound",
                                           "--budget", "40%", "--format", "json"} +
                                   options);
        QVERIFY2(run.status == 0, run.err.constData());
        const QJsonObject json = parsedObject(run.out);
        QCOMPARE(json["axis"].toString(), axis);
        QList<qint64> found;
        for (const auto& each : json["rows"].toArray()) {
            const QJsonObject row = each.toObject();
            found.push_back(row["value"].toInteger());
            QCOMPARE(row["budget_bytes"].toInteger(), row["unlimited_peak_bytes"].toInteger() * 40 / 100);
        }
        QCOMPARE(found, values);
        if (axis == "batch") { // the same as planning that batch
            const QJsonObject plan =
                parsedObject(runProgram({"plan", "bert-base", "--batch", "4", "--budget", "40%", "--strategy",
                                         "slackswap", "--format", "json"})
                                 .out);
            const QJsonObject result =
                json["rows"].toArray()[1].toObject()["results"].toArray()[0].toObject();
            QCOMPARE(result["step_ns"], plan["step_ns"]);
            QVERIFY(plan["step_ns"].toInteger() > 0);
        }
    }

    void pinsAreHonoured() {
        const QStringList pins{"--pin", "layer0.ln1.out=keep", "--pin", "layer1.ln1.out=offload"};
        const QStringList options{"--strategies", "slackswap", "--format", "json", "--no-bound"};
        const QJsonObject free =
            parsedObject(sweep("bert-base", options + QStringList{"--values", "40%"}).out);
        const QJsonObject json =
            parsedObject(sweep("bert-base", options + pins + QStringList{"--values", "40%"}).out);
        QVERIFY(!free.contains("pins"));
        QCOMPARE(json["pins"].toArray().size(), 2);
        const QJsonObject plan =
            parsedObject(runProgram(QStringList{"plan", "bert-base", "--budget", "40%", "--strategy",
                                                "slackswap", "--format", "json"} +
                                    pins)
                             .out);
        const QJsonObject curve = json["curves"].toArray()[0].toObject();
        QCOMPARE(curve["minimum_budget_bytes"], plan["minimum_budget_bytes"]);
        QVERIFY(curve != free["curves"].toArray()[0].toObject());
        bool isThere = false;
        for (const auto& point : curve["points"].toArray()) {
            if (point.toObject()["budget_bytes"] == plan["budget_bytes"])
                isThere = point.toObject()["step_ns"] == plan["step_ns"];
        }
        QVERIFY(isThere);
        const QJsonObject batches = parsedObject(
            sweep("bert-base",
                  options + pins + QStringList{"--axis", "batch", "--values", "4", "--budget", "40%"})
                .out);
        QCOMPARE(batches["pins"], json["pins"]);
        const QJsonObject batchPlan =
            parsedObject(runProgram(QStringList{"plan", "bert-base", "--batch", "4", "--budget", "40%",
                                                "--strategy", "slackswap", "--format", "json"} +
                                    pins)
                             .out);
        QCOMPARE(batches["rows"].toArray()[0].toObject()["results"].toArray()[0].toObject()["step_ns"],
                 batchPlan["step_ns"]);
    }

    void theLargestBatch() {
        const QStringList options{"--find",       "largest-batch", "--memory",   "8GB",      "--keep", "90%",
                                  "--strategies", "slackswap",     "--no-bound", "--format", "json"};
        const ProgramRun run = sweep("bert-base", options);
        QVERIFY2(run.status == 0, run.err.constData());
        const QJsonObject json = parsedObject(run.out);
        const qint64 largest = json["largest"].toObject()["value"].toInteger();
        QVERIFY(largest > 1);
        QCOMPARE(json["largest"].toObject()["limit"].toString(), QString("throughput"));
        for (const auto& each : json["rows"].toArray()) {
            const QJsonObject row = each.toObject();
            const double throughput =
                row["results"].toArray()[0].toObject()["throughput_of_ideal"].toDouble();
            if (row["value"].toInteger() == largest)
                QVERIFY(throughput >= 0.9);
            if (row["value"].toInteger() == largest + 1)
                QVERIFY(throughput < 0.9);
        }
    }

    void whatCannotBe_data() {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("said");
        const auto usage = [](const char* name, const QStringList& options, const char* said) {
            QTest::newRow(name) << (QStringList{"bert-base"} + options) << 2 << QString(said);
        };
        usage("no steps", {"--steps", "0"}, "--steps");
        usage("wrong ends", {"--from", "60%", "--to", "50%"}, "--from");
        usage("wrong mixed ends", {"--from", "900GiB", "--to", "50%"}, "--from");
        usage("a bad value", {"--values", "10%,x"}, "\"x\"");
        usage("an empty value", {"--values", "10%,"}, "--values: \"10%,\" has an empty entry");
        usage("an empty batch", {"--axis", "batch", "--values", "1,,2"}, "has an empty entry");
        usage("an empty strategy", {"--strategies", "slackswap,"},
              "--strategies: \"slackswap,\" has an empty");
        usage("a search on an axis", {"--find", "largest-batch", "--memory", "8GB", "--axis", "budget"},
              "leave --axis");
        usage("keeping nothing", {"--find", "largest-batch", "--keep", "0%"}, "--keep: \"0%\" is not");
        usage("an unknown tensor", {"--pin", "layer0.ln1.oot=keep"}, "layer0.ln1.out");
        usage("an unknown tensor on an axis", {"--axis", "batch", "--pin", "layer0.ln1.oot=keep"},
              "layer0.ln1.out");
        usage("an impossible pin", {"--pin", "tokens=recompute"}, "cannot be recomputed");
        usage("values and steps", {"--values", "10%", "--steps", "3"}, "--steps");
        usage("a misspelt strategy", {"--strategies", "slakswap"}, "slackswap");
        usage("adaptive batches", {"--axis", "batch", "--adaptive"}, "--adaptive");
        usage("adaptive values", {"--values", "10%", "--adaptive"}, "--adaptive");
        usage("one end", {"--axis", "batch", "--from", "2"}, "--to");
        usage("a bad bandwidth", {"--axis", "bandwidth", "--values", "fast"}, "GB/s");
        usage("no samples", {"--axis", "batch", "--values", "0"}, "from 1 on");
        usage("batch twice", {"--axis", "batch", "--batch", "4"}, "--batch");
        usage("a budget of budgets", {"--budget", "50%"}, "--axis");
        usage("two rooms", {"--axis", "batch", "--budget", "50%", "--memory", "8GB"}, "--memory");
        usage("an unknown axis", {"--axis", "speed"}, "bandwidth");
        usage("an unknown search", {"--find", "all"}, "largest-batch");
        usage("a search without room", {"--find", "largest-batch"}, "--memory");
        usage("a search in percent", {"--find", "largest-batch", "--budget", "50%"}, "--memory");
        usage("a search with values", {"--find", "largest-batch", "--memory", "8GB", "--values", "1"},
              "--find");
        usage("keeping too much", {"--find", "largest-batch", "--memory", "8GB", "--keep", "120%"}, "--keep");
        usage("keeping without a search", {"--keep", "90%"}, "--find");
        usage("another format", {"--format", "xml"}, "text|csv|json");
        QTest::newRow("the batch of a file")
            << QStringList{sample, "--axis", "batch"} << 3 << "finished profile";
        QTest::newRow("the sequence of a file")
            << QStringList{sample, "--find", "largest-sequence", "--budget", "1GiB"} << 3
            << "finished profile";
        QTest::newRow("memory below the model")
            << QStringList{"bert-base", "--find", "largest-batch", "--memory", "1MB"} << 4 << "model state";
        QTest::newRow("no batch at all")
            << QStringList{"bert-base", "--find", "largest-batch", "--budget", "1KB", "--no-bound"} << 4
            << "not even batch 1";
        QTest::newRow("no budget is enough")
            << QStringList{sample, "--values", "0,1KB", "--no-bound"} << 4 << "no budget of the sweep";
        QTest::newRow("too long a sequence")
            << QStringList{"bert-base", "--axis", "sequence", "--values", "100000"} << 3
            << "learned positions";
        QTest::newRow("a search in too long sequences")
            << QStringList{"bert-base", "--axis", "batch", "--values", "1", "--sequence", "100000"} << 3
            << "learned positions";
        QTest::newRow("a search whose first step is refused")
            << QStringList{"bert-base", "--find", "largest-batch", "--memory", "8GB", "--sequence", "100000"}
            << 3 << "learned positions";
        QTest::newRow("nowhere to write")
            << QStringList{sample, "--steps", "2", "--no-bound", "-o", "/no/such/folder/a.csv"} << 5
            << "/no/such/folder";
    }
    void whatCannotBe() {
        QFETCH(QStringList, options);
        QFETCH(int, status);
        QFETCH(QString, said);
        const ProgramRun run = runProgram(QStringList{"sweep"} + options);
        QVERIFY2(run.status == status, run.err.constData());
        QVERIFY2(run.err.contains(said.toUtf8()), run.err.constData());
        QCOMPARE(run.err.count("slackscope: "), 1);
        QCOMPARE(run.out.isEmpty(), status != 4 || said == "model state");
    }

    void filesHoldWhatStandardOutputWould() {
        const QTemporaryDir directory;
        const QString file = directory.filePath("a b.csv");
        const QStringList options{"--steps", "5", "--no-bound", "--format", "csv"};
        const ProgramRun written = sweep(sample, options + QStringList{"-o", file});
        QCOMPARE(written.status, 0);
        QCOMPARE(written.out, QByteArray());
        QCOMPARE(readFile(file), sweep(sample, options).out);
    }
};

QTEST_GUILESS_MAIN(TestSweepCommand)
#include "test_sweep_command.moc"
