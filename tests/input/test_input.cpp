// INPUT is recognised by content; whatever it is not, one sentence says so, and nothing hangs.
#include "core/input/input.h"

#include "core/profile/profile_json.h"

#include <QtTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace slackscope;

namespace {

const QByteArray llamaConfig =
    R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
        "intermediate_size": 172, "vocab_size": 100, "max_position_embeddings": 128})";

QString sample(const char* name) {
    return QString(SLACKSCOPE_SAMPLES) + "/" + name + ".profile.json";
}

} // namespace

class TestInput : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QVERIFY(folder_.isValid()); }

    void presetsAreInputs_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<qint64>("tokens");
        QTest::newRow("bert-large") << "bert-large" << qint64{32} * 512;
        QTest::newRow("gpt2-xl") << "gpt2-xl" << qint64{4} * 1024;
        QTest::newRow("llama-7b") << "llama-7b" << qint64{2048};
    }
    void presetsAreInputs() {
        QFETCH(QString, id);
        QFETCH(qint64, tokens);
        const auto input = loadInput(id.toStdString());
        QVERIFY2(input, input ? "" : input.error().sentence().c_str());
        QVERIFY(input->kind == InputKind::ModelPreset && input->config);
        QCOMPARE(qint64{*input->profile.tokensPerStep}, tokens);
        QVERIFY(!input->displayName.empty());
    }
    void optionsReshapeAPreset() {
        AnalyticOptions options;
        options.batch = 2;
        options.sequence = 64;
        const auto input = loadInput("llama-7b", options);
        QVERIFY(input);
        QCOMPARE(qint64{*input->profile.tokensPerStep}, qint64{128});
        options.batch = 0;
        QVERIFY(!loadInput("llama-7b", options));
    }

    void contentCountsAndNotTheName() {
        QFile profile(sample("slow-link"));
        QVERIFY(profile.open(QIODevice::ReadOnly));
        const auto asText = loadInput(write("graph.txt.gz", profile.readAll()));
        QVERIFY2(asText, asText ? "" : asText.error().sentence().c_str());
        QVERIFY(asText->kind == InputKind::ProfileFile && !asText->config);
        const auto config = loadInput(write("profile.json", llamaConfig));
        QVERIFY2(config, config ? "" : config.error().sentence().c_str());
        QVERIFY(config->kind == InputKind::HuggingFaceConfig);
        QCOMPARE(config->config->hidden, std::int64_t{64});
    }
    void formatMayComeLast() {
        auto profile = readProfile(R"({"version": 1, "name": "n", "source": "s", "tensors": [],
            "link": {"name": "l", "device_to_host_bytes_per_s": 1, "host_to_device_bytes_per_s": 1,
            "latency_ns": 0}, "operators": [{"id": "o", "forward_ns": 1, "backward_ns": 1, "inputs": [],
            "outputs": [], "saved": []}], "format": "slackscope-profile"})",
                                   "f");
        QVERIFY(profile);
        const auto input =
            loadInput(write("last.json", R"({"version": 1, "name": "n", "source": "s", "tensors": [],
            "link": {"name": "l", "device_to_host_bytes_per_s": 1, "host_to_device_bytes_per_s": 1,
            "latency_ns": 0, "format": "slackscope-session"}, "operators": [{"id": "o", "forward_ns": 1,
            "backward_ns": 1, "inputs": [], "outputs": [], "saved": []}], "format": "slackscope-profile"})"));
        QVERIFY2(input, input ? "" : input.error().sentence().c_str());
        QVERIFY(input->profile == *profile);
    }

    void linkOptionsApplyToAProfile() {
        AnalyticOptions options;
        options.hostMemoryBytes = 0;
        options.deviceToHostBytesPerS = 5'000'000'000;
        const std::string file = sample("slow-link").toStdString();
        auto input = loadInput(file, options);
        QVERIFY(input);
        QCOMPARE(qint64{input->profile.link.deviceToHostBytesPerS}, qint64{5'000'000'000});
        QCOMPARE(qint64{input->profile.link.hostToDeviceBytesPerS}, qint64{3'000'000'000});
        QVERIFY(input->profile.link.hostMemoryBytes == 0 && !input->profile.link.fullDuplex);
        options.link = "nvlink-c2c";
        input = loadInput(file, options);
        QVERIFY(input && input->profile.link.fullDuplex);
    }
    void otherOptionsAreRefusedOnAProfile_data() {
        QTest::addColumn<QString>("says");
        for (const char* option : {"batch", "sequence", "precision", "attention", "loss", "device",
                                   "matmul efficiency", "memory efficiency", "launch time"})
            QTest::newRow(option) << QString(option);
    }
    void otherOptionsAreRefusedOnAProfile() {
        QFETCH(QString, says);
        AnalyticOptions options;
        if (says == "batch")
            options.batch = 1;
        if (says == "sequence")
            options.sequence = 1;
        if (says == "precision")
            options.precision = Precision::Bf16;
        if (says == "attention")
            options.attention = Attention::Flash;
        if (says == "loss")
            options.loss = Loss::Full;
        if (says == "device")
            options.device = "h100-sxm";
        if (says == "matmul efficiency")
            options.matmulEfficiency = 0.5;
        if (says == "memory efficiency")
            options.memoryEfficiency = 0.5;
        if (says == "launch time")
            options.launchNs = 1;
        refuse(sample("tiny-transformer").toStdString(), "the option " + says + " cannot apply", options);
    }

    void refusals_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("says");
        QTest::newRow("empty") << QByteArray("") << "is empty";
        QTest::newRow("gzip") << QByteArray("\x1f\x8b\x08\x00\x00", 5) << "gzip";
        QTest::newRow("binary") << QByteArray("\x7f"
                                              "ELF\x00\x01",
                                              6)
                                << "binary";
        QTest::newRow("UTF-16") << QByteArray("\xff\xfe{\x00}\x00", 6) << "UTF-16";
        QTest::newRow("plain text") << QByteArray("hello\n") << "not valid JSON at line 1";
        QTest::newRow("cut-off JSON") << QByteArray("{\"a\": [1,") << "cut off";
        QTest::newRow("trace") << QByteArray(R"({"schemaVersion": 1, "traceEvents": [{"ph": "X"}]})")
                               << "profiler";
        QTest::newRow("cut-off trace") << QByteArray(R"({"traceEvents": [{"ph": "X")") << "profiler";
        QTest::newRow("bare trace") << QByteArray(R"([{"name": "k", "ph": "X", "ts": 1}])") << "profiler";
        QTest::newRow("array") << QByteArray("[1, 2, 3]") << "no object";
        QTest::newRow("number") << QByteArray("42") << "no object";
        QTest::newRow("PipeDream graph")
            << QByteArray("node1 -- ReLU(inplace) -- forward_compute_time=0.5, backward_compute_time=0.2\n")
            << "PipeDream";
        QTest::newRow("session") << QByteArray(R"({"format": "slackscope-session", "version": 1})")
                                 << "session";
        QTest::newRow("timeline") << QByteArray(R"({"format": "slackscope-timeline", "version": 1})")
                                  << "timeline";
        QTest::newRow("other format") << QByteArray(R"({"format": "other"})") << "/format is \"other\"";
        QTest::newRow("format is a number") << QByteArray(R"({"format": 7})") << "neither a profile";
        QTest::newRow("some JSON") << QByteArray(R"({"args": {"lr": 1e5}})") << "neither a profile";
        QTest::newRow("profile of version 9")
            << QByteArray(R"({"format": "slackscope-profile", "version": 9})") << "reads version 1";
        QTest::newRow("config without layers")
            << QByteArray(R"({"model_type": "llama"})") << "missing hidden size";
        QTest::newRow("config too large")
            << QByteArray(llamaConfig).replace("\"vocab_size\": 100", "\"vocab_size\": 9000000000000")
            << "the vocabulary is 9000000000000";
        QTest::newRow("deep nesting") << QByteArray(300'000, '[') << "cut off";
        QTest::newRow("deep nesting in an object")
            << QByteArray("{\"a\":") + QByteArray(300'000, '[') + QByteArray(300'000, ']') + "}"
            << "deeper than 200";
    }
    void refusals() {
        QFETCH(QByteArray, content);
        QFETCH(QString, says);
        refuse(write("file", content), says);
    }

    void nothingHangsOnWhatIsNoFile() {
        refuse(folder_.path().toStdString(), "is a directory");
        refuse("", "is empty");
        if (QFile::exists(QStringLiteral("/proc/self/mem"))) // opens, and fails when it is read
            refuse("/proc/self/mem", "");
        refuse("/dev/zero", "a device");
        const std::string pipe = (folder_.path() + "/pipe").toStdString();
        QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
        refuse(pipe, "is a pipe");
        const std::string loop = (folder_.path() + "/loop").toStdString();
        QCOMPARE(symlink(loop.c_str(), loop.c_str()), 0);
        refuse(loop, "cannot be opened");
        const std::string file = write("secret", llamaConfig);
        QCOMPARE(chmod(file.c_str(), 0), 0);
        if (geteuid() != 0) // root reads everything
            refuse(file, "permissions");
    }
    void hugeFilesAreNotRead() {
        QFile file(folder_.path() + "/huge");
        QVERIFY(file.open(QIODevice::WriteOnly));
        if (!file.resize((qint64{2} << 30) + 1)) // a hole, no blocks
            QSKIP("no room for a sparse file");
        refuse(file.fileName().toStdString(), "above 2 GiB");
        file.remove();
    }
    void unknownNamesListTheNearest_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("nearest");
        QTest::newRow("gpt2xl") << "gpt2xl"
                                << "gpt2-xl";
        QTest::newRow("Llama-8B") << "Llama-8B"
                                  << "llama-3-8b";
        QTest::newRow("bert_large") << "bert_large"
                                    << "bert-large";
        QTest::newRow("mixtral") << "mixtral"
                                 << "mixtral-8x7b";
        QTest::newRow("empty") << ""
                               << "name a model or a file";
        QTest::newRow("long") << QString(5000, 'x') << "nearest models are";
    }
    void unknownNamesListTheNearest() {
        QFETCH(QString, name);
        QFETCH(QString, nearest);
        if (name.size() > 1000)
            refuse(name.toStdString(), "cannot be opened");
        else
            refuse(name.toStdString(), nearest);
    }

private:
    std::string write(const QString& name, const QByteArray& content) {
        QFile file(folder_.path() + "/" + name);
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("cannot write %s", qPrintable(file.fileName()));
        return file.fileName().toStdString();
    }
    static void refuse(const std::string& input, const QString& says, const AnalyticOptions& options = {}) {
        const auto loaded = loadInput(input, options);
        QVERIFY2(!loaded, input.c_str());
        const QString sentence = QString::fromStdString(loaded.error().sentence());
        QVERIFY2(sentence.contains(says) && !sentence.contains('\n') && sentence.endsWith('.'),
                 qPrintable(sentence));
    }

    QTemporaryDir folder_;
};

QTEST_APPLESS_MAIN(TestInput)
#include "test_input.moc"
