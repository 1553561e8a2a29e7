// Reading and writing profile files: round trips, defaults, refusals, and mutated files that must never
// crash.
#include "core/profile/profile_json.h"
#include "tests/support/cases.h"

#include <QtTest>

#include <algorithm>
#include <random>

using namespace slackscope;

namespace {

// One operator; every optional key left out.
const std::string minimal = R"({
  "format": "slackscope-profile", "version": 1, "name": "n", "source": "s",
  "link": {"name": "l", "device_to_host_bytes_per_s": 100, "host_to_device_bytes_per_s": 100, "latency_ns": 5},
  "tensors": [{"id": "x", "bytes": 8, "gradient_bytes": 0}, {"id": "y", "bytes": 16}],
  "operators": [{"id": "f", "forward_ns": 10, "backward_ns": 20, "inputs": ["x"], "outputs": ["y"], "saved": ["x"]}]
})";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    const auto at = text.find(what);
    if (at == std::string::npos)
        qFatal("the test's text does not hold %s", what.c_str());
    return text.replace(at, what.size(), with);
}

Profile manyOperators(int count) {
    Profile profile;
    profile.name = "chain";
    profile.source = "test";
    profile.link = {"link", 25'000'000'000, 25'000'000'000, 10'000, true, std::nullopt};
    profile.tensors.push_back({"t0", "hidden", 4096, 0});
    for (int i = 0; i < count; ++i) {
        profile.tensors.push_back({"t" + std::to_string(i + 1), "hidden", 4096, 4096});
        profile.operators.push_back(
            {"op" + std::to_string(i), "linear", i / 10, 1000, 2000, {i}, {i + 1}, {i}, 0, 64, i % 2 == 0});
    }
    return profile;
}

QString fromStd(const std::string& text) {
    return QString::fromStdString(text);
}

} // namespace

class TestProfileJson : public QObject {
    Q_OBJECT
private slots:
    void absentKeysGetTheirDefaults() {
        const auto profile = readProfile(minimal, "f.json");
        QVERIFY2(profile, profile ? "" : profile.error().sentence().c_str());
        QCOMPARE(profile->tensors[0].gradientBytes, Bytes{0});
        QCOMPARE(profile->tensors[1].gradientBytes, Bytes{16});
        QCOMPARE(profile->operators[0].forwardWorkspaceBytes, Bytes{0});
        QCOMPARE(profile->operators[0].backwardWorkspaceBytes, Bytes{0});
        QVERIFY(profile->operators[0].recomputable);
        QVERIFY(!profile->operators[0].layer);
        QVERIFY(profile->link.fullDuplex);
        QVERIFY(!profile->link.hostMemoryBytes);
        QVERIFY(!profile->device);
        QVERIFY(!profile->tokensPerStep);
    }

    void unknownKeysAreIgnored() {
        const auto profile = readProfile(
            replaced(minimal, "\"version\": 1,", "\"version\": 1, \"later\": [{\"a\": null}],"), "f");
        QVERIFY(profile);
        QVERIFY(*profile == *readProfile(minimal, "f"));
    }

    void integralFloatsAreWholeNumbers() {
        auto profile = readProfile(replaced(minimal, "\"device_to_host_bytes_per_s\": 100",
                                            "\"device_to_host_bytes_per_s\": 2.5e10"),
                                   "f");
        QVERIFY(profile);
        QCOMPARE(profile->link.deviceToHostBytesPerS, std::int64_t{25'000'000'000});
        profile = readProfile(replaced(minimal, "\"bytes\": 8", "\"bytes\": 8.0"), "f");
        QVERIFY(profile);
        QCOMPARE(profile->tensors[0].bytes, Bytes{8});
    }

    void byteOrderMarkIsAccepted() { QVERIFY(readProfile("\xef\xbb\xbf" + minimal, "f")); }

    void writingThenReadingGivesTheSameProfile_data() {
        QTest::addColumn<int>("row");
        QTest::newRow("minimal") << 0;
        QTest::newRow("chain") << 1;
        QTest::newRow("everything set") << 2;
    }
    void writingThenReadingGivesTheSameProfile() {
        QFETCH(int, row);
        Profile profile = row == 1 ? manyOperators(50) : *readProfile(minimal, "f");
        if (row == 2) {
            profile.name = "quotes \" back\\slash / and \xc3\xa9 \xe2\x82\xac";
            profile.tokensPerStep = 4096;
            profile.samplesPerStep = 4;
            profile.device = Device{"A100", largestQuantity, 0};
            profile.link.fullDuplex = false;
            profile.link.hostMemoryBytes = 0;
            profile.tensors[0].kind = "norm 1";
            profile.operators[0].layer = 0;
            profile.operators[0].kind = "layer norm";
            profile.operators[0].forwardWorkspaceBytes = 7;
            profile.operators[0].backwardWorkspaceBytes = 9;
            profile.operators[0].recomputable = false;
        }
        const auto again = readProfile(writeProfile(profile), "f");
        QVERIFY2(again, again ? "" : again.error().sentence().c_str());
        QVERIFY(*again == profile);
        QCOMPARE(fromStd(writeProfile(*again)), fromStd(writeProfile(profile)));
    }

    void textThatIsNotUtf8IsWrittenWithReplacements() {
        Profile profile = *readProfile(minimal, "f");
        profile.name = "bad \xff byte";
        QVERIFY(readProfile(writeProfile(profile), "f"));
    }

    void refusals_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const std::string& text, const char* pointer,
                            const char* says) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QString(pointer) << QString(says);
        };
        const auto change = [](const char* what, const char* with) { return replaced(minimal, what, with); };
        row("empty", "", "", "is empty");
        row("blanks only", " \n\t ", "", "is empty");
        row("cut off", minimal.substr(0, 200), "", "cut off");
        row("cut off in a string", minimal.substr(0, 15), "", "byte 15 of 15");
        row("no JSON", "node1 -- ReLU", "", "line 1, column 2");
        row("second line", "{\n  oops", "", "line 2, column 3");
        row("trailing text", minimal + "x", "", "not valid JSON");
        row("NaN", change("\"bytes\": 8", "\"bytes\": NaN"), "", "not valid JSON");
        row("Infinity", change("\"bytes\": 8", "\"bytes\": Infinity"), "", "not valid JSON");
        row("beyond a double", change("\"bytes\": 8", "\"bytes\": 1e999"), "", "number overflow");
        row("comment", "// c\n" + minimal, "", "not valid JSON");
        row("trailing comma", change("\"saved\": [\"x\"]", "\"saved\": [\"x\",]"), "", "not valid JSON");
        row("bad UTF-8 in a name", change("\"n\"", "\"\xff\xfe\""), "", "UTF-8");
        row("bad UTF-8 outside strings", "\xff" + minimal, "", "not valid JSON");
        row("lone surrogate", change("\"n\"", "\"\\ud800\""), "", "not valid JSON");
        row("deep arrays", std::string(100'000, '['), "", "deeper than 200");
        std::string objects;
        for (int i = 0; i < 50'000; ++i)
            objects += "{\"a\":";
        row("deep objects", objects, "", "deeper than 200");
        row("repeated key", change("\"name\": \"n\"", "\"name\": \"n\", \"name\": \"m\""), "/name", "twice");
        row("repeated key in a tensor", change("\"bytes\": 16", "\"bytes\": 16, \"bytes\": 17"),
            "/tensors/1/bytes", "twice");
        row("array at the top", "[1]", "", "must be an object");
        row("null at the top", "null", "", "must be an object");
        row("no format", "{}", "/format", "is missing");
        row("other format", change("slackscope-profile", "other"), "/format", "\"other\"");
        row("no version", change("\"version\": 1, ", ""), "/version", "is missing");
        row("version 2", change("\"version\": 1", "\"version\": 2"), "/version", "reads version 1");
        row("version as text", change("\"version\": 1", "\"version\": \"1\""), "/version", "without quotes");
        row("no name", change("\"name\": \"n\", ", ""), "/name", "is missing");
        row("name is a number", change("\"name\": \"n\"", "\"name\": 3"), "/name", "must be a string");
        row("no link", change("\"link\"", "\"lnk\""), "/link", "is missing");
        row("link is a string",
            replaced(R"({"format": "slackscope-profile", "version": 1, "name": "n", "source": "s",
            "link": "pcie", "tensors": [], "operators": []})",
                     "pcie", "pcie"),
            "/link", "must be an object");
        row("no latency", change(", \"latency_ns\": 5", ""), "/link/latency_ns", "is missing");
        row("no bandwidth", change("\"device_to_host_bytes_per_s\": 100, ", ""),
            "/link/device_to_host_bytes_per_s", "is missing");
        row("zero bandwidth",
            change("\"device_to_host_bytes_per_s\": 100", "\"device_to_host_bytes_per_s\": 0"),
            "/link/device_to_host_bytes_per_s", "must be positive");
        row("negative bandwidth",
            change("\"host_to_device_bytes_per_s\": 100", "\"host_to_device_bytes_per_s\": -1"),
            "/link/host_to_device_bytes_per_s", "must be positive");
        row("duplex is a number", change("\"latency_ns\": 5", "\"latency_ns\": 5, \"full_duplex\": 1"),
            "/link/full_duplex", "true or false");
        row("host memory is null",
            change("\"latency_ns\": 5", "\"latency_ns\": 5, \"host_memory_bytes\": null"),
            "/link/host_memory_bytes", "is null");
        row("no tensors", change("\"tensors\"", "\"tensor\""), "/tensors", "is missing");
        row("tensors is an object",
            change("\"tensors\": [{\"id\": \"x\", \"bytes\": 8, \"gradient_bytes\": 0}, "
                   "{\"id\": \"y\", \"bytes\": 16}]",
                   "\"tensors\": {}"),
            "/tensors", "must be an array");
        row("tensor is null", change("{\"id\": \"y\", \"bytes\": 16}", "null"), "/tensors/1",
            "must be an object");
        row("tensor without id", change("\"id\": \"y\", ", ""), "/tensors/1/id", "is missing");
        row("tensor without bytes", change(", \"bytes\": 16", ""), "/tensors/1/bytes", "is missing");
        row("negative bytes", change("\"bytes\": 16", "\"bytes\": -16"), "/tensors/1/bytes",
            "never negative");
        row("fractional bytes", change("\"bytes\": 16", "\"bytes\": 1.5"), "/tensors/1/bytes", "is 1.5");
        row("bytes as text", change("\"bytes\": 16", "\"bytes\": \"16\""), "/tensors/1/bytes",
            "without quotes");
        row("bytes above 2^53", change("\"bytes\": 16", "\"bytes\": 9007199254740993"), "/tensors/1/bytes",
            "2^53");
        row("bytes 2^60", change("\"bytes\": 16", "\"bytes\": 1152921504606846976"), "/tensors/1/bytes",
            "2^53");
        row("bytes beyond 64 bits", change("\"bytes\": 16", "\"bytes\": 99999999999999999999"),
            "/tensors/1/bytes", "2^53");
        row("bytes 1e300", change("\"bytes\": 16", "\"bytes\": 1e300"), "/tensors/1/bytes", "2^53");
        row("negative gradient", change("\"gradient_bytes\": 0", "\"gradient_bytes\": -1"),
            "/tensors/0/gradient_bytes", "never negative");
        row("kind is a list", change("\"bytes\": 16", "\"bytes\": 16, \"kind\": []"), "/tensors/1/kind",
            "must be a string");
        row("repeated tensor id", change("\"bytes\": 16}", "\"bytes\": 16}, {\"id\": \"x\", \"bytes\": 1}"),
            "/tensors/2/id", "repeats");
        row("no operators",
            change("\"operators\": [{\"id\": \"f\", \"forward_ns\": 10, \"backward_ns\": 20, "
                   "\"inputs\": [\"x\"], \"outputs\": [\"y\"], \"saved\": [\"x\"]}]",
                   "\"operators\": []"),
            "/operators", "at least one");
        row("operator is a number", change("\"operators\": [", "\"operators\": [7, "), "/operators/0",
            "must be an object");
        row("no backward time", change("\"backward_ns\": 20, ", ""), "/operators/0/backward_ns",
            "is missing");
        row("negative time", change("\"forward_ns\": 10", "\"forward_ns\": -10"), "/operators/0/forward_ns",
            "never negative");
        row("fractional time", change("\"forward_ns\": 10", "\"forward_ns\": 10.25"),
            "/operators/0/forward_ns", "whole number");
        row("no inputs", change("\"inputs\": [\"x\"], ", ""), "/operators/0/inputs", "is missing");
        row("inputs is a string", change("\"inputs\": [\"x\"]", "\"inputs\": \"x\""), "/operators/0/inputs",
            "must be an array");
        row("dangling input", change("\"inputs\": [\"x\"]", "\"inputs\": [\"x\", \"ghost\"]"),
            "/operators/0/inputs/1", "\"ghost\"");
        row("dangling saved", change("\"saved\": [\"x\"]", "\"saved\": [\"z\"]"), "/operators/0/saved/0",
            "\"z\"");
        row("id is a number", change("\"outputs\": [\"y\"]", "\"outputs\": [1]"), "/operators/0/outputs/0",
            "must be a tensor id");
        row("reads its own output", change("\"inputs\": [\"x\"]", "\"inputs\": [\"x\", \"y\"]"),
            "/operators/0/inputs/1", "");
        row("negative layer", change("\"forward_ns\": 10", "\"layer\": -1, \"forward_ns\": 10"),
            "/operators/0/layer", "from 0");
        row("huge layer", change("\"forward_ns\": 10", "\"layer\": 3000000000, \"forward_ns\": 10"),
            "/operators/0/layer", "2^31");
        row("recomputable is text",
            change("\"forward_ns\": 10", "\"recomputable\": \"no\", \"forward_ns\": 10"),
            "/operators/0/recomputable", "true or false");
        row("device without name", change("\"tensors\"", "\"device\": {\"memory_bytes\": 1}, \"tensors\""),
            "/device/name", "is missing");
        row("device is a string", change("\"tensors\"", "\"device\": \"A100\", \"tensors\""), "/device",
            "must be an object");
        row("negative tokens", change("\"tensors\"", "\"tokens_per_step\": -4, \"tensors\""),
            "/tokens_per_step", "never negative");
    }
    void refusals() {
        QFETCH(QByteArray, text);
        QFETCH(QString, pointer);
        QFETCH(QString, says);
        const auto profile = readProfile(text.toStdString(), "dir/f.json");
        QVERIFY(!profile);
        QCOMPARE(fromStd(profile.error().file), QString("dir/f.json"));
        // Depth errors point at the place, 200 steps down.
        if (says != "deeper than 200")
            QCOMPARE(fromStd(profile.error().pointer), pointer);
        const QString sentence = fromStd(profile.error().sentence());
        QVERIFY2(sentence.contains(says), qPrintable(sentence));
        QVERIFY2(sentence.startsWith("dir/f.json: ") && sentence.endsWith('.') && !sentence.contains('\n'),
                 qPrintable(sentence));
    }

    void sentencesStayOnOneLineAndShort() {
        const InputError error{"f\n.json", "/a", "names " + quotedText(std::string(10'000, 'x') + "\n")};
        const QString sentence = fromStd(error.sentence());
        QVERIFY(!sentence.contains('\n'));
        QVERIFY2(sentence.size() < 300, qPrintable(QString::number(sentence.size())));
    }

    void samplesLoad_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"tiny-transformer", "residual-branch", "slow-link"})
            QTest::newRow(name) << QString(name);
    }
    void samplesLoad() {
        QFETCH(QString, name);
        QFile file(QString(SLACKSCOPE_SAMPLES) + "/" + name + ".profile.json");
        QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.fileName()));
        const auto profile = readProfile(file.readAll().toStdString(), name.toStdString());
        QVERIFY2(profile, profile ? "" : profile.error().sentence().c_str());
        QVERIFY(!profile->name.empty());
    }

    void readsAHundredThousandOperatorsInLinearTime() {
        const Profile profile = manyOperators(test::cases(100'000));
        const std::string text = writeProfile(profile);
        QElapsedTimer timer;
        timer.start();
        const auto again = readProfile(text, "f");
        const auto milliseconds = timer.elapsed();
        QVERIFY(again);
        QVERIFY(*again == profile);
        qInfo("%zu bytes in %lld ms", text.size(), static_cast<long long>(milliseconds));
        QVERIFY2(milliseconds < 100'000, "reading is not linear"); // takes 1.3 s
    }

    void mutatedFilesGiveAProfileOrOneSentence() {
        const std::string original = writeProfile(manyOperators(4));
        std::mt19937 random(20240607); // NOLINT: the same mutations every time
        const auto below = [&](std::size_t limit) { return random() % limit; };
        int accepted = 0;
        for (int round = 0; round < test::cases(5000); ++round) {
            std::string text = original;
            for (std::size_t change = 0; change <= below(3); ++change) {
                const std::size_t at = below(text.size());
                switch (below(5)) {
                case 0:
                    text[at] = static_cast<char>(below(256));
                    break;
                case 1:
                    text.erase(at, 1 + below(20));
                    break;
                case 2:
                    text.insert(at, text.substr(below(text.size()), below(40)));
                    break;
                case 3:
                    text.insert(at, std::string(1, "{}[]\",:-.0e9"[below(12)]));
                    break;
                default:
                    text.resize(std::max<std::size_t>(at, 1));
                }
            }
            const auto profile = readProfile(text, "f");
            if (profile) {
                ++accepted;
                QVERIFY(!validate(*profile));
                QVERIFY(*readProfile(writeProfile(*profile), "f") == *profile);
            } else {
                const std::string sentence = profile.error().sentence();
                QVERIFY2(sentence.find('\n') == std::string::npos && sentence.size() < 2000,
                         sentence.c_str());
                QVERIFY2(!profile.error().reason.empty(), text.c_str());
            }
        }
        QVERIFY2(accepted > 0 && accepted < test::cases(5000), "the mutations are too mild or too strong");
    }
};

QTEST_APPLESS_MAIN(TestProfileJson)
#include "test_profile_json.moc"
