// Text in pieces: nothing lost or reordered, JSON strings that every parser reads.
#include "core/report/text_writer.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QtTest>

using namespace slackscope;

class TestTextWriter : public QObject {
    Q_OBJECT
private slots:
    void piecesAddUp() {
        std::string all;
        std::string expected;
        int pieces = 0;
        {
            const TextSink sink = [&](std::string_view text) {
                all += text;
                ++pieces;
            };
            TextWriter out(sink);
            for (int i = 0; i < 100'000; ++i) {
                out << std::int64_t{i} << ",";
                expected += std::to_string(i) + ",";
            }
        }
        QVERIFY(all == expected);
        QVERIFY2(pieces > 1, "a large text must not stand in memory as a whole");
    }
    void strings_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("read");
        QTest::newRow("plain") << QByteArray("layer0.ln1") << "layer0.ln1";
        QTest::newRow("empty") << QByteArray("") << "";
        QTest::newRow("quotes and backslash") << QByteArray("a\"b\\c") << "a\"b\\c";
        QTest::newRow("control") << QByteArray("a\nb\x01") << "a\nb\x01";
        QTest::newRow("UTF-8") << QByteArray("\xce\xb1\xf0\x9f\x99\x82")
                               << QString::fromUtf8("\xce\xb1\xf0\x9f\x99\x82");
        QTest::newRow("not UTF-8") << QByteArray("a\xff") << QString("a") + QChar(0xfffd);
    }
    void strings() {
        QFETCH(QByteArray, text);
        QByteArray json = "[";
        const TextSink sink = [&](std::string_view piece) {
            json.append(piece.data(), static_cast<qsizetype>(piece.size()));
        };
        { TextWriter(sink).jsonString({text.constData(), static_cast<std::size_t>(text.size())}); }
        QJsonParseError error;
        const auto document = QJsonDocument::fromJson(json + "]", &error);
        QCOMPARE(error.error, QJsonParseError::NoError);
        QTEST(document.array().at(0).toString(), "read");
    }
    void numbers() {
        std::string all;
        const TextSink sink = [&](std::string_view text) { all += text; };
        {
            TextWriter out(sink);
            out.thousandths(12'034) << " ";
            out.thousandths(7) << " ";
            out.thousandths(-1'500) << " ";
            out.thousandths((std::int64_t{1} << 60) + 1) << " ";
            out.real(0.1) << " ";
            out.real(1.0);
        }
        QCOMPARE(all, std::string("12.034 0.007 -1.500 1152921504606846.977 0.1 1"));
    }
};

QTEST_APPLESS_MAIN(TestTextWriter)
#include "test_text_writer.moc"
