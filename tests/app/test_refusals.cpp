// What the program refuses: the right exit status, one sentence, nothing on standard output, no file touched.
#include "core/profile/profile_json.h"
#include "tests/app/run_program.h"
#include "tests/support/profiles.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>

#include <sys/resource.h>

using namespace slackscope;
using namespace slackscope::test;

namespace {

// Two operators; each row of the tests breaks it in one place.
const QByteArray good = R"({"format": "slackscope-profile", "version": 1, "name": "two", "source": "by hand",
"link": {"name": "link", "device_to_host_bytes_per_s": 1000, "host_to_device_bytes_per_s": 1000, "latency_ns": 1},
"tensors": [{"id": "x", "bytes": 8, "gradient_bytes": 0}, {"id": "y", "bytes": 16}, {"id": "z", "bytes": 4}],
"operators": [
{"id": "a", "forward_ns": 10, "backward_ns": 20, "inputs": ["x"], "outputs": ["y"], "saved": ["x"]},
{"id": "b", "forward_ns": 10, "backward_ns": 20, "inputs": ["y"], "outputs": ["z"], "saved": ["y"]}]})";

QByteArray broken(const char* from, const char* to) {
    QByteArray text = good;
    const auto at = text.indexOf(from);
    Q_ASSERT(at >= 0);
    return text.replace(at, static_cast<qsizetype>(qstrlen(from)), to);
}

} // namespace

class TestRefusals : public QObject {
    Q_OBJECT
private slots:
    void init() {
        directory_ = std::make_unique<QTemporaryDir>();
        QVERIFY(directory_->isValid());
    }

    void theGoodProfileIsGood() {
        QVERIFY(writeFile(path("p.json"), good));
        const ProgramRun run = runProgram({"plan", path("p.json"), "--budget", "100%"});
        QCOMPARE(run.status, 0);
    }

    void inputs_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("says");
        QTest::newRow("truncated") << good.left(good.size() / 2) << "line";
        QTest::newRow("size as text") << broken("\"bytes\": 16", "\"bytes\": \"16\"") << "/tensors/1/bytes";
        QTest::newRow("NaN") << broken("\"bytes\": 16", "\"bytes\": NaN") << "line 3";
        QTest::newRow("negative") << broken("\"bytes\": 16", "\"bytes\": -16") << "-16";
        QTest::newRow("fraction") << broken("\"bytes\": 16", "\"bytes\": 16.5") << "/tensors/1/bytes";
        QTest::newRow("2^60 bytes") << broken("\"bytes\": 16", "\"bytes\": 1152921504606846976")
                                    << "/tensors/1/bytes";
        QTest::newRow("duplicate tensor")
            << broken("{\"id\": \"z\"", "{\"id\": \"y\", \"bytes\": 1}, {\"id\": \"z\"") << "\"y\"";
        QTest::newRow("duplicate operator") << broken("\"id\": \"b\"", "\"id\": \"a\"") << "\"a\"";
        QTest::newRow("dangling input") << broken("\"inputs\": [\"y\"]", "\"inputs\": [\"q\"]") << "\"q\"";
        QTest::newRow("cycle") << broken("\"inputs\": [\"x\"]", "\"inputs\": [\"z\"]")
                               << "/operators/0/inputs/0";
        QTest::newRow("two producers")
            << broken("\"outputs\": [\"z\"]", "\"outputs\": [\"y\"]") << "producer";
        QTest::newRow("saved by a stranger") << broken("\"saved\": [\"y\"]", "\"saved\": [\"x\"]") << "saves";
        QTest::newRow("no bandwidth")
            << broken("\"device_to_host_bytes_per_s\": 1000", "\"device_to_host_bytes_per_s\": 0")
            << "/link/device_to_host_bytes_per_s";
        QTest::newRow("next version") << broken("\"version\": 1", "\"version\": 2") << "version";
        QTest::newRow("other format") << broken("slackscope-profile", "something-else") << "format";
        QTest::newRow("not UTF-8") << broken("\"name\": \"two\"", "\"name\": \"\xff\"") << "line 1";
        QTest::newRow("empty file") << QByteArray() << "empty";
        QTest::newRow("binary") << QByteArray("\x7f"
                                              "ELF\0\0\0\x01",
                                              8)
                                << "binary";
        QTest::newRow("a list") << QByteArray("[1, 2]") << ".json";
        QTest::newRow("a word") << QByteArray("hello\n") << ".json";
        QTest::newRow("deep nesting") << QByteArray(200'000, '[') << ".json";
    }
    void inputs() {
        QFETCH(QByteArray, content);
        QFETCH(QString, says);
        QVERIFY(writeFile(path("in put.json"), content));
        const QString output = path("out");
        expectRefusal(runProgram({"plan", path("in put.json"), "-o", output}), 3, says);
        QVERIFY(!QFile::exists(output));
    }

    void otherInputs_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        QTest::newRow("missing file")
            << QStringList{"plan", "nothing-here.json"} << "neither a file nor a model";
        QTest::newRow("misspelt model") << QStringList{"profile", "gpt2-xk"} << "gpt2-xl";
        QTest::newRow("misspelt model for the window") << QStringList{"gpt2-xk"} << "gpt2-xl";
        QTest::newRow("directory") << QStringList{"plan", "/tmp"} << "directory";
        QTest::newRow("device") << QStringList{"plan", "/dev/zero"} << "device";
        QTest::newRow("sequence beyond the model")
            << QStringList{"plan", "gpt2-xl", "--sequence", "100000"} << "1024";
        QTest::newRow("absurdly large")
            << QStringList{"plan", "gpt2-xl", "--batch", "9007199254740992"} << "batch";
    }
    void otherInputs() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        expectRefusal(runProgram(arguments), 3, says);
    }

    void aMeasuredProfileTakesNoModelOptions() {
        QVERIFY(writeFile(path("p.json"), good));
        expectRefusal(runProgram({"plan", path("p.json"), "--batch", "4"}), 3, "batch");
        QCOMPARE(runProgram({"profile", path("p.json"), "--link", "pcie4-x16"}).status, 0);
    }

    void usage_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        const auto plan = [](const QStringList& more) { return QStringList{"plan", "gpt2"} + more; };
        const auto picture = [](const QStringList& more) {
            return QStringList{"export", "gpt2", "-o", "/nowhere/a.png"} + more;
        };
        QTest::newRow("no input") << QStringList{"plan"} << "INPUT is missing; name a model";
        QTest::newRow("unknown option")
            << plan({"--bugdet", "50%"})
            << "\"--bugdet\" is not an option of 'slackscope plan'; the nearest are --budget";
        QTest::newRow("unknown option with a value")
            << plan({"--bugdet=50%"}) << "\"--bugdet\" is not an option";
        QTest::newRow("unknown short option") << plan({"-x"}) << "\"-x\" is not an option";
        QTest::newRow("unknown option of the program")
            << QStringList{"--vresion"}
            << "\"--vresion\" is not an option of 'slackscope'; the nearest are --version";
        QTest::newRow("misspelt command")
            << QStringList{"paln", "gpt2"} << "\"paln\" is no command, so it was taken for the input";
        QTest::newRow("two inputs")
            << plan({"llama-7b"})
            << "\"llama-7b\" is one argument too many; 'slackscope plan' takes one INPUT";
        QTest::newRow("three inputs") << plan({"a", "b"}) << "\"a\" \"b\" are too many arguments";
        QTest::newRow("a second command") << plan({"sweep"}) << "\"sweep\" is one argument too many";
        QTest::newRow("two lists") << QStringList{"list", "models", "links"}
                                   << "'slackscope list' takes one WHAT";
        QTest::newRow("budget twice")
            << plan({"--budget", "50%", "--budget", "60%"}) << "--budget is given 2 times; give it once";
        QTest::newRow("output twice") << plan({"-o", "a", "-o", "b"}) << "--output is given 2 times";
        QTest::newRow("flag with a value") << plan({"--decisions=3"}) << "--decisions takes no value";
        QTest::newRow("flag with a wrong value")
            << QStringList{"sweep", "gpt2", "--no-bound=maybe"} << "takes no value; write it alone";
        QTest::newRow("pin without a value") << plan({"--pin"}) << "--pin needs a value; write --pin TENSOR=";
        QTest::newRow("short option without value") << plan({"-o"}) << "--output FILE";
        QTest::newRow("option without value")
            << plan({"--budget"}) << "--budget needs a value; write --budget BUDGET";
        QTest::newRow("unknown strategy") << plan({"--strategy", "slackswp"}) << "slackswap";
        QTest::newRow("empty budget") << plan({"--budget", ""}) << "empty";
        QTest::newRow("negative budget") << plan({"--budget=-1"}) << "negative";
        QTest::newRow("NaN budget") << plan({"--budget", "nan"}) << "50%";
        QTest::newRow("budget overflows") << plan({"--budget", "99999999999999999999"}) << "2^53";
        QTest::newRow("budget of two readings") << plan({"--budget", "12G"}) << "GiB";
        QTest::newRow("unknown format") << plan({"--format", "xml"}) << "text|json";
        QTest::newRow("unknown precision") << plan({"--precision", "fp8"}) << "bf16|fp16|fp32";
        QTest::newRow("unknown attention") << plan({"--attention", "ring"}) << "flash|eager";
        QTest::newRow("unknown loss") << plan({"--loss", "none"}) << "chunked|full";
        QTest::newRow("no batch") << plan({"--batch", "0"}) << "--batch";
        QTest::newRow("batch is text") << plan({"--batch", "four"}) << "\"four\"";
        QTest::newRow("sequence overflows") << plan({"--sequence", "18446744073709551616"}) << "--sequence";
        QTest::newRow("unknown device") << plan({"--device", "a100-80gb"}) << "a100-80gb-sxm";
        QTest::newRow("unknown link") << plan({"--link", "pcie4"}) << "pcie4-x16";
        QTest::newRow("efficiency above 1") << plan({"--matmul-efficiency", "1.5"}) << "up to 1";
        QTest::newRow("efficiency is NaN") << plan({"--memory-efficiency", "nan"}) << "up to 1";
        QTest::newRow("host memory is text") << plan({"--host-memory", "much"}) << "\"much\"";
        QTest::newRow("unknown tensor") << plan({"--pin", "layer0.ln1.oot=keep"}) << "layer0.ln1.out";
        QTest::newRow("pin without a decision") << plan({"--pin", "layer0.ln1.out"}) << "TENSOR=keep";
        QTest::newRow("pin without a tensor") << plan({"--pin", "=keep"}) << "TENSOR=keep";
        QTest::newRow("pin to something else")
            << plan({"--pin", "layer0.ln1.out=drop"}) << "\"layer0.ln1.out=drop\"";
        QTest::newRow("pinned twice")
            << plan({"--pin", "layer0.ln1.out=keep", "--pin", "layer0.ln1.out=offload"}) << "pinned twice";
        QTest::newRow("impossible pin") << plan({"--pin", "tokens=recompute"}) << "cannot be recomputed";
        QTest::newRow("pin of an export")
            << QStringList{"export", "gpt2", "-o", "a.json", "--pin", "nothing=keep"} << "\"nothing\"";
        QTest::newRow("explain an unknown tensor") << plan({"--explain", "layer0.ln1"}) << "layer0.ln1.out";
        QTest::newRow("explain in JSON")
            << plan({"--explain", "layer0.ln1.out", "--format", "json"}) << "--format text";
        QTest::newRow("decisions in JSON") << plan({"--decisions", "--format", "json"}) << "--format text";
        QTest::newRow("unknown list") << QStringList{"list", "cats"} << "strategies";
        QTest::newRow("export to nowhere")
            << QStringList{"export", "gpt2"} << "--output is missing; name the file to write";
        QTest::newRow("unknown picture")
            << QStringList{"export", "gpt2", "-o", "a.bmp"} << ".png, .svg, .pdf";
        QTest::newRow("unknown view") << picture({"--view", "side"}) << "timeline";
        QTest::newRow("tradeoff as data")
            << QStringList{"export", "gpt2", "-o", "a.json", "--view", "tradeoff"} << "sweep --format json";
        QTest::newRow("unknown theme") << picture({"--theme", "pink"}) << "light|dark";
        QTest::newRow("size is no size") << picture({"--size", "1600"}) << "1600x900";
        QTest::newRow("size is absurd") << picture({"--size", "1x1"}) << "120";
        QTest::newRow("scale is absurd") << picture({"--scale", "0"}) << "0.1 to 16";
        QTest::newRow("window without a display") << QStringList{} << "no display";
    }
    void usage() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        expectRefusal(runProgram(arguments, directory_->path()), 2, says);
        QVERIFY(QDir(directory_->path()).isEmpty());
    }

    void outputs_data() {
        QTest::addColumn<QString>("output");
        QTest::newRow("no such directory") << "/nowhere/out.json";
        QTest::newRow("directory") << "/tmp";
        QTest::newRow("full device") << "/dev/full";
        QTest::newRow("empty name") << "";
    }
    void outputs() {
        QFETCH(QString, output);
        const ProgramRun run = runProgram({"profile", "gpt2", "-o", output});
        expectRefusal(run, 5, "cannot write");
        if (output == "/dev/full")
            return; // is found out when it is written to
        // Before anything else is done, so that nothing but the refusal is said.
        expectRefusal(runProgram({"plan", "gpt2", "-o", output}), 5, "cannot write");
        expectRefusal(runProgram({"sweep", "gpt2", "-o", output}), 5, "cannot write");
        if (!output.isEmpty())
            expectRefusal(runProgram({"export", "gpt2", "-o", output + "/no/a.json"}), 5, "cannot write");
    }

    void fullStandardOutput() {
        QProcess process;
        process.setStandardOutputFile("/dev/full");
        expectRefusal(runProgram(process, {"profile", "gpt2"}), 5, "standard output");
    }

    void aFullDiskLeavesTheOldFileWhole() {
        const QString output = path("out.json");
        QVERIFY(writeFile(output, "old"));
        QProcess process;
        process.setChildProcessModifier([] {
            const rlimit small{1000, 1000};
            ::setrlimit(RLIMIT_FSIZE, &small);
            std::signal(SIGXFSZ, SIG_IGN);
        });
        expectRefusal(runProgram(process, {"profile", "gpt2", "-o", output}), 5, "cannot write");
        QCOMPARE(readFile(output), QByteArray("old"));
        QCOMPARE(QDir(directory_->path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 QStringList{"out.json"});
    }

    void aClosedPipeIsNoCrash() {
        QProcess process;
        process.start("sh", {"-c", "{ \"$0\" profile llama-3-70b; echo \"status $?\" >&2; } | head -c 1",
                             SLACKSCOPE_PROGRAM});
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.readAllStandardOutput(), QByteArray("{"));
        QCOMPARE(process.readAllStandardError(), QByteArray("status 5\n"));
    }

private:
    QString path(const QString& name) const { return directory_->filePath(name); }

    // A run that reached planning says first what it plans; the refusal is its last line.
    static void expectRefusal(const ProgramRun& run, int status, const QString& says) {
        QVERIFY2(run.status == status, run.err.constData());
        QCOMPARE(run.out, QByteArray());
        const QString err = QString::fromUtf8(run.err);
        QVERIFY2(err.startsWith("slackscope: "), run.err.constData());
        QVERIFY2(err.endsWith(".\n") && err.count('\n') == 1, run.err.constData());
        QVERIFY2(err.contains(says), run.err.constData());
        QVERIFY2(err.size() < 1500, run.err.constData());
    }

    std::unique_ptr<QTemporaryDir> directory_;
};

QTEST_GUILESS_MAIN(TestRefusals)
#include "test_refusals.moc"
