// What the program gives: results on standard output or in files, and timelines that hold.
#include "core/planner/lower_bound.h"
#include "core/planner/strategy.h"
#include "core/profile/profile_json.h"
#include "core/report/timeline_json.h"
#include "tests/app/run_program.h"
#include "tests/support/json.h"
#include "tests/support/profiles.h"

#include <QDir>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtEndian>
#include <QtTest>

#include <map>
#include <utility>

using namespace slackscope;
using namespace slackscope::test;

namespace {

// Prepared and refined, as the program does, once for all budgets of a profile; from the largest on, since
// rounds for one budget serve the larger ones too.
class LibraryTimelines {
public:
    QByteArray of(const Profile& profile, const std::string& strategy, int percent) {
        auto& [graph, prepared] = known_[{profile.name, strategy}];
        if (!prepared) {
            graph = graphOf(profile);
            prepared = findStrategy(strategy)->prepare(graph, {}, {});
            refineFully(*prepared, {});
        }
        return timeline(graph, *prepared, percent);
    }

private:
    static QByteArray timeline(const std::shared_ptr<const StepGraph>& graph, PreparedStrategy& prepared,
                               int percent) {
        const Bytes budget = unlimitedPeak(graph) * percent / 100;
        refineFullyAt(prepared, budget, {});
        Plan plan = prepared.plan(budget);
        if (plan.feasible())
            plan.lowerBoundNs = LowerBound(graph).stepNs(plan.budgetBytes, plan.stepNs());
        return written([&](const TextSink& sink) { writeTimelineJson(plan, sink); });
    }

    using Known = std::pair<std::shared_ptr<const StepGraph>, std::unique_ptr<PreparedStrategy>>;
    std::map<std::pair<std::string, std::string>, Known> known_; // by profile and strategy
};

QString text(std::string_view s) {
    return QString::fromUtf8(s.data(), static_cast<qsizetype>(s.size()));
}

} // namespace

class TestResults : public QObject {
    Q_OBJECT
private slots:
    void init() {
        directory_ = std::make_unique<QTemporaryDir>();
        QVERIFY(directory_->isValid());
    }

    void helpAndVersion() {
        for (const QStringList& arguments :
             {QStringList{"--help"}, {"plan", "--help"}, {"export", "--help"}}) {
            const ProgramRun run = runProgram(arguments);
            QCOMPARE(run.status, 0);
            QCOMPARE(run.err, QByteArray());
            QVERIFY(run.out.contains("Usage: slackscope"));
            QVERIFY(run.out.contains("--budget") || run.out.contains("Exit status"));
        }
        QCOMPARE(runProgram({"--version"}).out, QByteArray("slackscope " SLACKSCOPE_VERSION "\n"));
    }

    void listKnowsEverything() {
        const ProgramRun run = runProgram({"list"});
        QCOMPARE(run.status, 0);
        for (const StrategyInfo* strategy : strategies())
            QVERIFY(run.out.contains(
                QByteArray(strategy->id.data(), static_cast<qsizetype>(strategy->id.size()))));
        for (const char* id : {"gpt2-xl", "a100-80gb-sxm", "pcie4-x16"})
            QVERIFY(run.out.contains(id));
        QVERIFY(!runProgram({"list", "links"}).out.contains("gpt2-xl"));
    }

    void profilesReadBack() {
        const ProgramRun run = runProgram({"profile", "bert-large", "--batch", "8", "--sequence", "128"});
        QCOMPARE(run.status, 0);
        const auto profile = readProfile(run.out.toStdString(), "stdout");
        QVERIFY(profile);
        QCOMPARE(profile->samplesPerStep.value(), 8);
        QCOMPARE(profile->tokensPerStep.value(), 1024);
        const QString file = path("bert.json");
        QVERIFY(writeFile(file, run.out));
        QCOMPARE(runProgram({"profile", file}).out, run.out);
    }

    void optionsShapeTheProfile_data() {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("batch") << QStringList{"--batch", "2"};
        QTest::newRow("sequence") << QStringList{"--sequence", "256"};
        QTest::newRow("precision") << QStringList{"--precision", "fp32"};
        QTest::newRow("attention") << QStringList{"--attention", "eager"};
        QTest::newRow("loss") << QStringList{"--loss", "full"};
        QTest::newRow("device") << QStringList{"--device", "h100-sxm"};
        QTest::newRow("link") << QStringList{"--link", "pcie5-x16"};
        QTest::newRow("matmul efficiency") << QStringList{"--matmul-efficiency", "0.5"};
        QTest::newRow("memory efficiency") << QStringList{"--memory-efficiency", "0.5"};
        QTest::newRow("host memory") << QStringList{"--host-memory", "64GiB"};
    }
    void optionsShapeTheProfile() {
        QFETCH(QStringList, options);
        const ProgramRun plain = runProgram({"profile", "gpt2-xl"});
        const ProgramRun shaped = runProgram(QStringList{"profile", "gpt2-xl"} + options);
        QCOMPARE(shaped.status, 0);
        QVERIFY(shaped.out != plain.out);
        QVERIFY(readProfile(shaped.out.toStdString(), ""));
    }

    void resultsAndTalkAreKeptApart() {
        const ProgramRun run = runProgram({"plan", "gpt2", "--budget", "60%", "--format", "json"});
        QCOMPARE(run.status, 0);
        QJsonParseError error;
        QJsonDocument::fromJson(run.out, &error);
        QCOMPARE(error.error, QJsonParseError::NoError);
        QVERIFY(run.err.contains("Planning"));
        QVERIFY2(run.err.contains("60.0 %"), run.err.constData());
        QVERIFY(runProgram({"plan", "gpt2"}).out.contains("50.0 % of the unlimited peak"));
    }

    void filesHoldWhatStandardOutputWould() {
        const QString file = path("time line.json");
        const QStringList plan{"plan", "gpt2", "--format", "json"};
        const ProgramRun run = runProgram(plan + QStringList{"-o", file});
        QCOMPARE(run.status, 0);
        QCOMPARE(run.out, QByteArray());
        QCOMPARE(readFile(file), runProgram(plan).out);
        QCOMPARE(readFile(file), runProgram(plan + QStringList{"-o", "-"}).out);
        QCOMPARE(readFile(file), runProgram(plan + QStringList{"-o", "/dev/stdout"}).out);
    }

    void infeasibleBudgetsStillPrint() {
        const ProgramRun json = runProgram({"plan", "gpt2", "--budget", "1MiB", "--format", "json"});
        QCOMPARE(json.status, 4);
        const QJsonObject root = QJsonDocument::fromJson(json.out).object();
        QCOMPARE(root["feasible"].toBool(true), false);
        QVERIFY(root["minimum_budget_bytes"].toInteger() > (1 << 20));
        QVERIFY(json.err.contains("too small"));
        const ProgramRun summary = runProgram({"plan", "gpt2", "--budget", "1MiB"});
        QCOMPARE(summary.status, 4);
        QVERIFY(summary.out.contains("Feasible     no"));
        // The budget that it names does work.
        const QString minimum = QString::number(root["minimum_budget_bytes"].toInteger());
        QCOMPARE(runProgram({"plan", "gpt2", "--budget", minimum}).status, 0);
    }

    void pinsAreHonoured() {
        const QStringList pins{"--pin", "layer0.ln1.out=keep", "--pin", "layer1.ln1.out=offload"};
        const ProgramRun json = runProgram(QStringList{"plan", "gpt2-xl", "--format", "json"} + pins);
        QCOMPARE(json.status, 0);
        int pinned = 0;
        for (const auto& each : QJsonDocument::fromJson(json.out).object()["decisions"].toArray()) {
            const QJsonObject decision = each.toObject();
            if (!decision.contains("pinned"))
                continue;
            ++pinned;
            QCOMPARE(decision["pinned"], QJsonValue(true));
            QCOMPARE(decision["decision"].toString(), decision["tensor"].toString() == "layer0.ln1.out"
                                                          ? QString("keep")
                                                          : QString("offload"));
        }
        QCOMPARE(pinned, 2);
        QVERIFY(runProgram(QStringList{"plan", "gpt2-xl"} + pins).out.contains("Pinned       2 tensors\n"));
        QCOMPARE(runProgram(QStringList{"export", "gpt2-xl", "-o", path("t.json")} + pins).status, 0);
        QCOMPARE(readFile(path("t.json")), json.out);
        // Everything pinned to stay: no strategy meets half the budget, and says what would do.
        QStringList all{"plan", "gpt2", "--budget", "50%"};
        for (const auto& each : QJsonDocument::fromJson(runProgram({"plan", "gpt2", "--format", "json"}).out)
                                    .object()["decisions"]
                                    .toArray())
            all += {"--pin", each.toObject()["tensor"].toString() + "=keep"};
        const ProgramRun kept = runProgram(all);
        QCOMPARE(kept.status, 4);
        QVERIFY2(kept.err.contains("with these pins") && kept.err.contains("remove pins"),
                 kept.err.constData());
    }

    void explainsDecisions() {
        const QString tensor = "layer3.ln1.out";
        const ProgramRun run = runProgram(
            {"plan", "gpt2-xl", "--decisions", "--explain", tensor, "--explain", "layer4.gelu.out"});
        QCOMPARE(run.status, 0);
        const QStringList lines = QString::fromUtf8(run.out).split('\n');
        // A line in the list and a heading of its own.
        QCOMPARE(
            lines
                .filter(QRegularExpression("^layer3\\.ln1\\.out +12\\.50 MiB +recompute +Recomputing costs "))
                .size(),
            1);
        QCOMPARE(lines.filter("layer3.ln1.out (12.50 MiB): recompute").size(), 1);
        QCOMPARE(lines.filter("layer4.gelu.out (50.00 MiB): recompute").size(), 1);
        QCOMPARE(lines.filter(QRegularExpression("^  recompute \\(now\\) +[\\d.]+ ms \\(same\\)")).size(), 2);
        QVERIFY(run.out.contains("What if, simulated"));
    }

    void dataExports() {
        QVERIFY(runProgram({"export", "gpt2", "-o", path("a.json")}).status == 0);
        QCOMPARE(readFile(path("a.json")), runProgram({"plan", "gpt2", "--format", "json"}).out);
        QVERIFY(runProgram({"export", "gpt2", "-o", path("a.TRACE.json")}).status == 0);
        QVERIFY(QJsonDocument::fromJson(readFile(path("a.TRACE.json"))).object().contains("traceEvents"));
        QVERIFY(runProgram({"export", "gpt2", "-o", path("a.csv")}).status == 0);
        QVERIFY(readFile(path("a.csv")).startsWith("stream,kind,"));
        QCOMPARE(runProgram({"export", "gpt2", "--budget", "1MiB", "-o", path("b.json")}).status, 4);
        QVERIFY(readFile(path("b.json")).contains("\"feasible\": false"));
        // An older file is not lost to a plan that does not exist.
        for (const char* file : {"a.json", "a.TRACE.json", "a.csv"}) {
            const QByteArray before = readFile(path(file));
            const ProgramRun refused = runProgram({"export", "gpt2", "--budget", "1MiB", "-o", path(file)});
            QCOMPARE(refused.status, 4);
            QVERIFY2(refused.err.contains("was left as it was"), refused.err.constData());
            QCOMPARE(readFile(path(file)), before);
        }
    }

    void pictures_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("begins");
        QTest::newRow("PNG") << "a picture.png" << QByteArray("\x89PNG");
        QTest::newRow("SVG") << "a.svg" << QByteArray("<?xml");
        QTest::newRow("PDF") << "a.PDF" << QByteArray("%PDF-");
    }
    void pictures() {
        QFETCH(QString, file);
        QFETCH(QByteArray, begins);
        if (!windowProgramExists())
            QSKIP("built without the window");
        const QStringList arguments{"export", "gpt2",   "--view",  "all", "--theme",
                                    "dark",   "--size", "800x600", "-o"};
        const ProgramRun run = runProgram(arguments + QStringList{path(file)});
        QVERIFY2(run.status == 0, run.err.constData());
        QCOMPARE(run.out, QByteArray());
        QVERIFY(readFile(path(file)).startsWith(begins));
        QCOMPARE(runProgram(arguments + QStringList{"/nowhere/" + file}).status, 5);
        const QByteArray before = readFile(path(file));
        const QStringList infeasible{"export", "gpt2", "--budget", "1MiB", "--size", "800x600", "-o"};
        QCOMPARE(runProgram(infeasible + QStringList{path(file)}).status, 4);
        QCOMPARE(readFile(path(file)), before);
        QCOMPARE(runProgram(infeasible + QStringList{path("new " + file)}).status, 4);
        QVERIFY(readFile(path("new " + file)).startsWith(begins));
    }
    void aTradeoffPictureIsSweptFirst() {
        if (!windowProgramExists())
            QSKIP("built without the window");
        QVERIFY(writeFile(path("p.json"), QByteArray::fromStdString(writeProfile(layeredProfile(4)))));
        const ProgramRun run = runProgram(
            {"export", path("p.json"), "--view", "tradeoff", "--size", "700x500", "-o", path("t.svg")});
        QVERIFY2(run.status == 0, run.err.constData());
        QVERIFY(!run.err.contains("Sweeping")); // progress is for terminals
        const QByteArray svg = readFile(path("t.svg"));
        for (const StrategyInfo* strategy : strategies()) {
            const bool isNamed =
                svg.contains(QByteArray(strategy->id.data(), static_cast<qsizetype>(strategy->id.size()))) ||
                svg.contains(
                    QByteArray(strategy->name.data(), static_cast<qsizetype>(strategy->name.size())));
            QVERIFY2(isNamed || strategy->id == "keep-all", strategy->id.data());
        }
        QVERIFY(svg.contains("no program can be here"));
        QVERIFY(svg.contains("simulated, not measured"));
    }
    void pictureSizes() {
        if (!windowProgramExists())
            QSKIP("built without the window");
        const ProgramRun run =
            runProgram({"export", "gpt2", "--size", "640x400", "--scale", "1.5", "-o", path("a.png")});
        QVERIFY2(run.status == 0, run.err.constData());
        const QByteArray png = readFile(path("a.png"));
        const auto number = [&](qsizetype at) { return qFromBigEndian<quint32>(png.constData() + at); };
        QCOMPARE(number(16), 960U); // IHDR
        QCOMPARE(number(20), 600U);
    }

    void aDisplayThatIsNotThere() {
        if (!windowProgramExists())
            QSKIP("built without the window");
        QProcess process;
        QProcessEnvironment environment = headlessEnvironment();
        environment.insert("DISPLAY", ":4711");
        environment.insert("QT_QPA_PLATFORM", "xcb");
        process.setProcessEnvironment(environment);
        const ProgramRun run = runProgram(process, {});
        QVERIFY2(run.status == 2, run.err.constData());
        QVERIFY2(run.err.startsWith("slackscope: cannot open a window") && run.err.count('\n') == 1,
                 run.err.constData());
    }

    void timelines_data() {
        QTest::addColumn<int>("layers"); // 0: random
        QTest::addColumn<quint64>("seed");
        QTest::addColumn<QString>("strategy");
        QTest::addColumn<int>("percent");
        for (const StrategyInfo* strategy : strategies()) {
            for (const int percent : {90, 70, 50, 40, 30}) {
                const QString id = text(strategy->id);
                QTest::addRow("layers %s %d%%", qPrintable(id), percent) << 6 << quint64{0} << id << percent;
                for (quint64 seed = 11; seed < 14; ++seed)
                    QTest::addRow("random %d %s %d%%", static_cast<int>(seed), qPrintable(id), percent)
                        << 0 << seed << id << percent;
            }
        }
    }
    // The library's timeline is held against the physics in tests/report; the program must print the same,
    // and an independent checker must agree where one is given.
    void timelines() {
        QFETCH(int, layers);
        QFETCH(quint64, seed);
        QFETCH(QString, strategy);
        QFETCH(int, percent);
        const Profile profile = layers > 0 ? layeredProfile(layers) : randomProfile(seed, {.operators = 40});
        QVERIFY(writeFile(path("p.json"), QByteArray::fromStdString(writeProfile(profile))));
        const ProgramRun run = runProgram({"plan", path("p.json"), "--budget", QString::number(percent) + "%",
                                           "--strategy", strategy, "--format", "json", "-o", path("t.json")});
        const QByteArray timeline = readFile(path("t.json"));
        QCOMPARE(timeline, library_.of(profile, strategy.toStdString(), percent));
        QCOMPARE(run.status, timeline.contains("\"feasible\": true") ? 0 : 4);
        const QString checker = qEnvironmentVariable("SLACKSCOPE_CHECKER");
        const QString python = QStandardPaths::findExecutable("python3");
        if (checker.isEmpty() || python.isEmpty())
            return;
        QProcess process;
        process.start(python, {checker, path("p.json"), path("t.json")});
        QVERIFY(process.waitForFinished());
        QVERIFY2(process.exitCode() == 0, process.readAllStandardOutput().constData());
    }

private:
    QString path(const QString& name) const { return directory_->filePath(name); }

    LibraryTimelines library_;
    std::unique_ptr<QTemporaryDir> directory_;
};

QTEST_GUILESS_MAIN(TestResults)
#include "test_results.moc"
