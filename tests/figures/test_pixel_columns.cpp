// Level of detail against a naive oracle: nothing vanishes, no lane looks fuller than it is, no peak is lost.
#include "ui/figures/pixel_columns.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace slackscope;
using namespace slackscope::figures;

namespace {

constexpr double wide = std::numeric_limits<double>::infinity();

std::vector<Bar> randomBars(std::mt19937& engine, int count, int longest) {
    std::vector<Bar> bars;
    Nanoseconds now = 0;
    const auto below = [&](int limit) { return static_cast<int>(engine() % static_cast<unsigned>(limit)); };
    for (int i = 0; i < count; ++i) {
        now += below(3) == 0 ? below(longest) : 0;
        const Nanoseconds length = below(10) == 0 ? 0 : below(longest) + 1;
        bars.push_back({now, now + length, i, static_cast<BarKind>(below(static_cast<int>(barKindCount)))});
        now += length;
    }
    return bars;
}

// What a bar covers of a column, by its definition.
double overlap(const Bar& bar, const ColumnGrid& grid, int column) {
    const double width = grid.range.width() / grid.count;
    const double from = grid.range.fromNs + column * width;
    return std::max(0.0, std::min(static_cast<double>(bar.toNs), from + width) -
                             std::max(static_cast<double>(bar.fromNs), from)) /
           width;
}

} // namespace

class TestPixelColumns : public QObject {
    Q_OBJECT

private slots:
    void coverageIsTheOverlap_data() {
        QTest::addColumn<unsigned>("seed");
        QTest::addColumn<int>("bars");
        QTest::addColumn<int>("longest");
        QTest::addColumn<int>("columns");
        QTest::newRow("few long bars") << 1U << 12 << 400 << 100;
        QTest::newRow("many thin bars") << 2U << 3000 << 20 << 64;
        QTest::newRow("one column") << 3U << 50 << 30 << 1;
        QTest::newRow("more columns than time") << 4U << 10 << 4 << 500;
    }
    void coverageIsTheOverlap() {
        QFETCH(unsigned, seed);
        QFETCH(int, bars);
        QFETCH(int, longest);
        QFETCH(int, columns);
        std::mt19937 engine(seed);
        for (int round = 0; round < 20; ++round) {
            const std::vector<Bar> all = randomBars(engine, bars, longest);
            const auto end = static_cast<double>(all.back().toNs);
            const double from = round == 0 ? 0 : end * 0.3 * (round % 3) / 3;
            const ColumnGrid grid{{from, round % 4 == 3 ? end * 0.8 : end}, columns};
            std::vector<LaneColumn> seen;
            coverColumns(all, grid, wide, seen);
            QCOMPARE(seen.size(), static_cast<std::size_t>(columns));
            for (int column = 0; column < columns; ++column) {
                std::array<double, barKindCount> expected{};
                for (const Bar& bar : all)
                    expected[static_cast<std::size_t>(bar.kind)] += overlap(bar, grid, column);
                const LaneColumn& got = seen[static_cast<std::size_t>(column)];
                double sum = 0;
                for (std::size_t kind = 0; kind < barKindCount; ++kind) {
                    QVERIFY(std::abs(expected[kind] - static_cast<double>(got.covered[kind])) < 1e-3);
                    if (expected[kind] > 1e-9)
                        QVERIFY((got.touched >> kind) & 1U);
                    sum += static_cast<double>(got.covered[kind]);
                }
                QVERIFY(sum <= 1 + 1e-3);
            }
        }
    }

    void totalCoverageIsPreserved() {
        // 10^5 bars far thinner than a column: together they cover what they last.
        std::mt19937 engine(5);
        const std::vector<Bar> bars = randomBars(engine, 100'000, 40);
        double busy = 0;
        for (const Bar& bar : bars)
            busy += static_cast<double>(bar.toNs - bar.fromNs);
        const ColumnGrid grid{{0, static_cast<double>(bars.back().toNs)}, 1200};
        std::vector<LaneColumn> columns;
        coverColumns(bars, grid, wide, columns);
        double covered = 0;
        for (const LaneColumn& column : columns)
            covered +=
                static_cast<double>(std::accumulate(column.covered.begin(), column.covered.end(), 0.0F));
        QVERIFY(std::abs(covered / grid.count - busy / grid.range.width()) < 1e-3);
    }

    void wideBarsAreLeftOut() {
        const std::vector<Bar> bars{{0, 100, 0, BarKind::Forward}, {100, 101, 1, BarKind::Backward}};
        const ColumnGrid grid{{0, 1000}, 100};
        std::vector<LaneColumn> columns;
        coverColumns(bars, grid, 2, columns);
        QVERIFY(!((columns[3].touched >> static_cast<unsigned>(BarKind::Forward)) & 1U));
        QVERIFY((columns[10].touched >> static_cast<unsigned>(BarKind::Backward)) & 1U);
    }

    void nothingVanishes() {
        const Theme theme = Theme::light();
        const std::vector<Bar> bars{{500, 500, 0, BarKind::Offload}, // no time at all
                                    {700'000, 700'001, 1, BarKind::Offload},
                                    {1'000'000, 1'000'000, 2, BarKind::Offload}}; // at the very end
        const ColumnGrid grid{{0, 1'000'000}, 100};
        std::vector<LaneColumn> columns;
        coverColumns(bars, grid, wide, columns);
        const std::vector<QRgb> colors = blendColumns(columns, barColors(theme), theme.field);
        int visible = 0;
        for (const QRgb color : colors)
            visible += color != theme.field.rgb() ? 1 : 0;
        QCOMPARE(visible, 3);
        QVERIFY(colors[0] != theme.field.rgb());
        QVERIFY(colors[70] != theme.field.rgb());
        QVERIFY(colors[99] != theme.field.rgb());
    }

    void fullColumnsHaveThePureColor() {
        const Theme theme = Theme::dark();
        const std::vector<Bar> bars{{0, 100, 0, BarKind::Backward}};
        const ColumnGrid grid{{0, 100}, 10};
        std::vector<LaneColumn> columns;
        coverColumns(bars, grid, wide, columns);
        for (const QRgb color : blendColumns(columns, barColors(theme), theme.field))
            QCOMPARE(QColor(color), theme.backward);
    }

    void halfBusyLooksHalfBusy() {
        // Alternating busy and idle, far thinner than a column: each column is the middle of both colours.
        const Theme theme = Theme::light();
        std::vector<Bar> bars;
        for (int i = 0; i < 10'000; ++i)
            bars.push_back({i * 10, i * 10 + 5, i, BarKind::Offload});
        const ColumnGrid grid{{0, 100'000}, 50};
        std::vector<LaneColumn> columns;
        coverColumns(bars, grid, wide, columns);
        for (const QRgb color : blendColumns(columns, barColors(theme), theme.field)) {
            QVERIFY(std::abs(qRed(color) - (theme.offload.red() + theme.field.red()) / 2) <= 2);
            QVERIFY(std::abs(qGreen(color) - (theme.offload.green() + theme.field.green()) / 2) <= 2);
        }
    }

    void runsJoinEqualNeighbours() {
        const std::vector<ColumnRun<int>> runs = joined(std::vector<int>{1, 1, 2, 1});
        QCOMPARE(runs.size(), std::size_t{3});
        QCOMPARE(runs[0].to, 2);
        QCOMPARE(runs[2].from, 3);
        QVERIFY(joined(std::vector<int>{}).empty());
    }

    void valuesAreThoseOfTheStepFunction_data() {
        QTest::addColumn<unsigned>("seed");
        QTest::addColumn<int>("points");
        QTest::addColumn<int>("columns");
        QTest::newRow("sparse") << 11U << 10 << 200;
        QTest::newRow("dense") << 12U << 5000 << 80;
        QTest::newRow("one column") << 13U << 300 << 1;
    }
    void valuesAreThoseOfTheStepFunction() {
        QFETCH(unsigned, seed);
        QFETCH(int, points);
        QFETCH(int, columns);
        std::mt19937 engine(seed);
        for (int round = 0; round < 20; ++round) {
            std::vector<MemoryPoint> curve;
            Nanoseconds now = static_cast<Nanoseconds>(engine() % 5);
            for (int i = 0; i < points; ++i) {
                curve.push_back({now, static_cast<Bytes>(engine() % 1000)});
                now += static_cast<Nanoseconds>(engine() % 9); // several points at one instant too
            }
            const auto last = static_cast<double>(now + 5);
            const ColumnGrid grid{{std::floor(last * 0.1 * (round % 4)), last}, columns};
            const std::vector<ValueColumn> seen = valueColumns(curve, grid);
            const double width = grid.range.width() / columns;
            for (int column = 0; column < columns; ++column) {
                const double from = grid.range.fromNs + column * width;
                const double to =
                    column + 1 == columns ? grid.range.toNs : grid.range.fromNs + (column + 1) * width;
                // Values in force at some instant of [from, to), those of no duration included.
                std::vector<Bytes> values;
                Bytes before = 0;
                bool startsOnPoint = false;
                for (const MemoryPoint& point : curve) {
                    const auto at = static_cast<double>(point.atNs);
                    if (at < from)
                        before = point.residentBytes;
                    startsOnPoint = startsOnPoint || at == from;
                }
                if (!startsOnPoint || column > 0)
                    values.push_back(before);
                for (const MemoryPoint& point : curve) {
                    const auto at = static_cast<double>(point.atNs);
                    if (at >= from && at < to)
                        values.push_back(point.residentBytes);
                }
                const ValueColumn& got = seen[static_cast<std::size_t>(column)];
                QCOMPARE(got.high, *std::max_element(values.begin(), values.end()));
                QCOMPARE(got.low, *std::min_element(values.begin(), values.end()));
                QCOMPARE(got.last, values.back());
            }
        }
    }

    void stackKeepsThePeak() {
        std::mt19937 engine(21);
        std::vector<MemoryParts> points;
        Bytes peak = 0;
        for (int i = 0; i < 20'000; ++i) {
            points.push_back({i * 7, static_cast<Bytes>(engine() % 1000), static_cast<Bytes>(engine() % 100),
                              static_cast<Bytes>(engine() % 10)});
            peak = std::max(peak, points.back().sum());
        }
        const ColumnGrid grid{{0, 140'000}, 90};
        Bytes shown = 0;
        for (const MemoryParts& column : stackColumns(points, grid))
            shown = std::max(shown, column.sum());
        QCOMPARE(shown, peak);
    }

    void emptyInput() {
        const ColumnGrid grid{{0, 100}, 10};
        std::vector<LaneColumn> columns;
        coverColumns({}, grid, wide, columns);
        QCOMPARE(columns, std::vector<LaneColumn>(10));
        QCOMPARE(valueColumns({}, grid), std::vector<ValueColumn>(10));
        QVERIFY(valueColumns({}, {{0, 100}, 0}).empty());
    }
};

QTEST_APPLESS_MAIN(TestPixelColumns)
#include "test_pixel_columns.moc"
