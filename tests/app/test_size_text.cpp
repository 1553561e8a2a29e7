// Budgets and sizes as people type them.
#include "app/cli/size_text.h"

#include <QtTest>

using namespace slackscope;
using namespace slackscope::cli;

namespace {

constexpr qint64 peak = 10'788'000'001;

QString text(const std::string& s) {
    return QString::fromStdString(s);
}

} // namespace

class TestSizeText : public QObject {
    Q_OBJECT
private slots:
    void budgets_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<qint64>("bytes");
        QTest::newRow("percent") << "50%" << peak / 2;
        QTest::newRow("percent with a fraction") << "33.25 %" << peak * 3325 / 10000;
        QTest::newRow("no budget at all") << "0%" << qint64{0};
        QTest::newRow("more than the peak") << "150%" << peak * 3 / 2;
        QTest::newRow("every byte of the peak") << "100%" << peak;
        QTest::newRow("bare bytes") << "5394000000" << qint64{5'394'000'000};
        QTest::newRow("bytes with their unit") << "12 B" << qint64{12};
        QTest::newRow("KB") << "3KB" << qint64{3000};
        QTest::newRow("MB") << "3MB" << qint64{3'000'000};
        QTest::newRow("GB") << "12GB" << qint64{12'000'000'000};
        QTest::newRow("TB") << "1TB" << qint64{1'000'000'000'000};
        QTest::newRow("KiB") << "3KiB" << qint64{3072};
        QTest::newRow("MiB") << "3MiB" << qint64{3 << 20};
        QTest::newRow("GiB") << "12GiB" << (qint64{12} << 30);
        QTest::newRow("TiB") << "1TiB" << (qint64{1} << 40);
        QTest::newRow("any case, blanks") << "  1.5 gib " << (qint64{3} << 29);
        QTest::newRow("decimals are exact") << "0.1GB" << qint64{100'000'000};
        QTest::newRow("largest") << "9007199254740992" << (qint64{1} << 53);
        QTest::newRow("leading zeros") << "007" << qint64{7};
    }
    void budgets() {
        QFETCH(QString, typed);
        const auto budget = parseBudget(typed.toStdString());
        QVERIFY2(budget, budget ? "" : budget.error().c_str());
        QTEST(qint64{budget->resolve(peak)}, "bytes");
    }
    void refused_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("says");
        QTest::newRow("empty") << ""
                               << "is empty";
        QTest::newRow("blank") << "  "
                               << "is empty";
        QTest::newRow("negative") << "-3GiB"
                                  << "is negative";
        QTest::newRow("negative percent") << "-1%"
                                          << "is negative";
        QTest::newRow("NaN") << "nan"
                             << "is not a size";
        QTest::newRow("infinity") << "inf"
                                  << "is not a size";
        QTest::newRow("exponent") << "1e9"
                                  << "is not a size";
        QTest::newRow("word") << "half"
                              << "is not a size";
        QTest::newRow("plus") << "+5"
                              << "is not a size";
        QTest::newRow("hexadecimal") << "0x10"
                                     << "is not a size";
        QTest::newRow("decimal comma") << "1,5GiB"
                                       << "is not a size";
        QTest::newRow("two points") << "1.2.3GB"
                                    << "is not a size";
        QTest::newRow("unknown unit") << "3PB"
                                      << "is not a size";
        QTest::newRow("two readings") << "12G"
                                      << "write GB (powers of 1000) or GiB (powers of 1024)";
        QTest::newRow("fraction of a byte") << "1.5"
                                            << "fraction of a byte";
        QTest::newRow("overflows") << "99999999999999999999"
                                   << "more than 2^53";
        QTest::newRow("overflows with its unit") << "9007199254740992KiB"
                                                 << "more than 2^53";
        QTest::newRow("one too many") << "9007199254740993"
                                      << "2^53";
        QTest::newRow("absurd percentage") << "1001%"
                                           << "is above 1000 %";
        QTest::newRow("trailing text") << "50% of it"
                                       << "is not a size";
    }
    void refused() {
        QFETCH(QString, typed);
        QFETCH(QString, says);
        const auto budget = parseBudget(typed.toStdString());
        QVERIFY2(!budget, "was taken");
        QVERIFY2(text(budget.error()).contains(says), budget.error().c_str());
    }
    void sizesHaveNoPercent() {
        QCOMPARE(parseSize("64GiB").value(), Bytes{64} << 30);
        QCOMPARE(parseSize("0").value(), Bytes{0});
        QVERIFY(!parseSize("50%"));
        QVERIFY(!text(parseSize("50%").error()).contains("percentage"));
    }
    void largestPeakDoesNotOverflow() {
        const Budget budget = parseBudget("1000%").value();
        QCOMPARE(budget.resolve(largestQuantity), largestQuantity * 10);
    }
};

QTEST_APPLESS_MAIN(TestSizeText)
#include "test_size_text.moc"
