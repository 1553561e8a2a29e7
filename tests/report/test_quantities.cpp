// Sizes, times and rates as text.
#include "core/report/quantities.h"

#include <QtTest>

#include <clocale>

using namespace slackscope;

class TestQuantities : public QObject {
    Q_OBJECT
private slots:
    void bytes_data() {
        QTest::addColumn<qint64>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("none") << qint64{0} << "0 bytes";
        QTest::newRow("one") << qint64{1} << "1 byte";
        QTest::newRow("below a KiB") << qint64{1023} << "1023 bytes";
        QTest::newRow("a KiB") << qint64{1024} << "1.00 KiB";
        QTest::newRow("rounds up to a MiB") << qint64{1024 * 1024 - 1} << "1.00 MiB";
        QTest::newRow("GiB") << qint64{5'394'000'000} << "5.02 GiB";
        QTest::newRow("negative") << qint64{-3 * 1024 * 1024} << "-3.00 MiB";
        QTest::newRow("largest") << (qint64{1} << 53) << "8.00 PiB";
    }
    void bytes() {
        QFETCH(qint64, value);
        QTEST(QString::fromStdString(formatBytes(value)), "text");
    }
    void times_data() {
        QTest::addColumn<qint64>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("none") << qint64{0} << "0 ns";
        QTest::newRow("ns") << qint64{999} << "999 ns";
        QTest::newRow("us") << qint64{12'345} << "12.3 us";
        QTest::newRow("rounds up to a ms") << qint64{999'960} << "1.00 ms";
        QTest::newRow("ms") << qint64{4'600'000} << "4.60 ms";
        QTest::newRow("many ms") << qint64{266'100'000} << "266.1 ms";
        QTest::newRow("s") << qint64{12'500'000'000} << "12.50 s";
    }
    void times() {
        QFETCH(qint64, value);
        QTEST(QString::fromStdString(formatNanoseconds(value)), "text");
    }
    void countsAreGrouped() {
        QCOMPARE(formatCount(0), std::string("0"));
        QCOMPARE(formatCount(999), std::string("999"));
        QCOMPARE(formatCount(1000), std::string("1,000"));
        QCOMPARE(formatCount(-1234567), std::string("-1,234,567"));
    }
    void ratesKeepThreeDigits() {
        QCOMPARE(formatRate(15392.7), std::string("15,393"));
        QCOMPARE(formatRate(15.03), std::string("15.0"));
        QCOMPARE(formatRate(0.4249), std::string("0.42"));
        QCOMPARE(formatRate(9.999), std::string("10.0"));
        QCOMPARE(formatPercent(0.9782), std::string("97.8 %"));
    }
    void exactBytesAreSaidOnce() {
        QCOMPARE(formatExactBytes(30), std::string("30 bytes"));
        QCOMPARE(formatExactBytes(1), std::string("1 byte"));
        QCOMPARE(formatExactBytes(1024), std::string("1.00 KiB (1,024 bytes)"));
        QCOMPARE(formatExactBytes(5'394'000'000), std::string("5.02 GiB (5,394,000,000 bytes)"));
    }
    void bandwidthsHaveAFittingUnit() {
        QCOMPARE(formatBandwidth(1), std::string("1 B/s"));
        QCOMPARE(formatBandwidth(999), std::string("999 B/s"));
        QCOMPARE(formatBandwidth(1500), std::string("1.5 KB/s"));
        QCOMPARE(formatBandwidth(800'000'000), std::string("800 MB/s"));
        QCOMPARE(formatBandwidth(999'999'999), std::string("1 GB/s"));
        QCOMPARE(formatBandwidth(12'345'678'900), std::string("12.346 GB/s"));
        QCOMPARE(formatBandwidth(2'000'000'000'000'000), std::string("2000 TB/s"));
    }
    void sameInEveryLocale() {
        // Qt sets the user's locale; German writes a decimal comma. Where it is not installed this shows
        // nothing.
        std::setlocale(LC_ALL, "de_DE.UTF-8");
        QCOMPARE(formatReal(1.5, 2), std::string("1.50"));
        std::setlocale(LC_ALL, "C");
    }
};

QTEST_APPLESS_MAIN(TestQuantities)
#include "test_quantities.moc"
