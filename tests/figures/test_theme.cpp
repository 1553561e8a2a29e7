// Legible text, tellable colours, and numbers as people read them.
#include "ui/figures/format.h"
#include "ui/figures/theme.h"

#include <QFontInfo>
#include <QFontMetricsF>
#include <QTest>

#include <cmath>

using namespace slackscope;
using namespace slackscope::figures;

class TestTheme : public QObject {
    Q_OBJECT

private slots:
    void contrastIsThatOfTheStandard() {
        QVERIFY(std::abs(contrast(Qt::black, Qt::white) - 21) < 1e-9);
        QCOMPARE(contrast(Qt::red, Qt::red), 1.0);
        // Examples that WebAIM and the W3C publish: #767676 on white is 4.54, #0000ff on white 8.59.
        QVERIFY(std::abs(contrast(QColor(0x76, 0x76, 0x76), Qt::white) - 4.54) < 0.01);
        QVERIFY(std::abs(contrast(QColor(0, 0, 0xff), Qt::white) - 8.59) < 0.01);
    }

    void textIsLegible_data() {
        QTest::addColumn<QColor>("text");
        QTest::addColumn<QColor>("ground");
        for (const bool isDark : {false, true}) {
            const Theme theme = isDark ? Theme::dark() : Theme::light();
            for (const Theme::TextPair& pair : theme.textPairs()) {
                QTest::addRow("%s: %s on %s", isDark ? "dark" : "light", pair.name,
                              qPrintable(pair.ground.name()))
                    << pair.text << pair.ground;
            }
        }
    }
    void textIsLegible() {
        QFETCH(QColor, text);
        QFETCH(QColor, ground);
        QVERIFY2(contrast(text, ground) >= 4.5, qPrintable(QString::number(contrast(text, ground))));
    }

    void paletteTextIsLegible() {
        for (const Theme& theme : {Theme::light(), Theme::dark()}) {
            const QPalette palette = theme.palette();
            const auto check = [&](QPalette::ColorRole text, QPalette::ColorRole ground) {
                QVERIFY(contrast(palette.color(text), palette.color(ground)) >= 4.5);
            };
            check(QPalette::WindowText, QPalette::Window);
            check(QPalette::Text, QPalette::Base);
            check(QPalette::Text, QPalette::AlternateBase);
            check(QPalette::PlaceholderText, QPalette::Base);
            check(QPalette::ButtonText, QPalette::Button);
            check(QPalette::HighlightedText, QPalette::Highlight);
            check(QPalette::ToolTipText, QPalette::ToolTipBase);
            check(QPalette::Link, QPalette::Window);
        }
    }

    void passesDifferInLightness() {
        for (const Theme& theme : {Theme::light(), Theme::dark()})
            QVERIFY(contrast(theme.forward, theme.backward) >= 2);
    }

    void barsStandOutFromAnEmptyLane() {
        for (const Theme& theme : {Theme::light(), Theme::dark()}) {
            for (const QColor& bar : {theme.forward, theme.backward, theme.recompute, theme.offload,
                                      theme.prefetch, theme.memoryStall})
                QVERIFY(contrast(bar, theme.field) >= 1.9);
        }
    }

    void mixingIsLinear() {
        QCOMPARE(mixed(Qt::black, Qt::white, 0), QColor(Qt::black).convertTo(QColor::Rgb));
        QCOMPARE(mixed(Qt::black, Qt::white, 1), QColor(Qt::white).convertTo(QColor::Rgb));
        // Half of the light is 188 of 255 in sRGB.
        QCOMPARE(mixed(Qt::black, Qt::white, 0.5).red(), 188);
    }

    void fontIsThere() {
        QVERIFY(!fontFamily().isEmpty());
        QCOMPARE(QFontInfo(productFont(13)).family(), fontFamily());
        QVERIFY(QFontMetricsF(productFont(24)).height() > QFontMetricsF(productFont(12)).height());
    }

    void bytes_data() {
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<QString>("text");
        QTest::newRow("none") << qint64{0} << "0 B";
        QTest::newRow("bytes") << qint64{1023} << "1023 B";
        QTest::newRow("kibi") << qint64{1024} << "1.00 KiB";
        QTest::newRow("tens of mebi") << qint64{67108864} << "64.0 MiB";
        QTest::newRow("hundreds") << qint64{512} * 1048576 << "512 MiB";
        QTest::newRow("just below a gibi") << qint64{1073741823} << "1.00 GiB";
        QTest::newRow("gibi") << qint64{3479000000} << "3.24 GiB";
        QTest::newRow("largest") << (qint64{1} << 53) << "8.00 PiB";
    }
    void bytes() {
        QFETCH(qint64, bytes);
        QTEST(formatBytes(bytes), "text");
    }

    void times_data() {
        QTest::addColumn<qint64>("ns");
        QTest::addColumn<QString>("text");
        QTest::newRow("none") << qint64{0} << "0 ns";
        QTest::newRow("ns") << qint64{512} << "512 ns";
        QTest::newRow("micro") << qint64{26000} << QString::fromUtf8("26.0 µs");
        QTest::newRow("milli") << qint64{115700000} << "115.7 ms";
        QTest::newRow("short milli") << qint64{4600000} << "4.60 ms";
        QTest::newRow("seconds") << qint64{2500000000} << "2.50 s";
    }
    void times() {
        QFETCH(qint64, ns);
        QTEST(formatTime(ns), "text");
    }

    void otherNumbers() {
        QCOMPARE(formatInstant(40123456), QStringLiteral("40.123 ms"));
        QCOMPARE(formatPercent(0.9601), QStringLiteral("96.0 %"));
        QCOMPARE(formatBandwidth(24.8e9), QStringLiteral("24.8 GB/s"));
        QCOMPARE(formatRate(1000, 0), QStringLiteral("-"));
        QCOMPARE(formatRate(1'000'000, 1'000'000), QStringLiteral("1.00 GB/s"));
        QCOMPARE(formatCount(70800), QStringLiteral("70.8 k"));
        QCOMPARE(formatCount(812), QStringLiteral("812"));
        QCOMPARE(formatTimeTick(0, 1e6), QStringLiteral("0"));
        QCOMPARE(formatTimeTick(20e6, 20e6), QStringLiteral("20 ms"));
        QCOMPARE(formatTimeTick(20.5e6, 0.5e6), QStringLiteral("20.5 ms"));
        QCOMPARE(formatBytesTick(1.5 * 1073741824, 0.5 * 1073741824), QStringLiteral("1.5 GiB"));
        QCOMPARE(formatBytesTick(512.0 * 1048576, 512.0 * 1048576), QStringLiteral("512 MiB"));
    }
};

QTEST_MAIN(TestTheme)
#include "test_theme.moc"
