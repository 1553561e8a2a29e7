// The tradeoff figure: steps, the region of the bound, names beside lines, and the marker under the mouse.
#include "tests/figures/samples.h"
#include "tests/support/profiles.h"
#include "ui/figures/budget_keys.h"
#include "ui/figures/tradeoff_plot.h"

#include <QSignalSpy>
#include <QTest>

#include <cmath>

using namespace slackscope;
using namespace slackscope::figures;

namespace {

constexpr Bytes peak = 1'000'000;

TradeoffCurve curveOf(const std::string& id, Bytes minimum, std::vector<TradeoffPoint> points) {
    return {id, QString::fromStdString(id), std::move(points), minimum};
}

// Three strategies that cross, and a bound above them.
TradeoffCurves sketch() {
    TradeoffCurves curves;
    curves.unlimitedPeak = peak;
    TradeoffCurve fast = curveOf("optimized", 50'000, {});
    TradeoffCurve flat = curveOf("recompute-all", 80'000, {});
    TradeoffCurve steep = curveOf("offload-only", 20'000, {});
    for (Bytes budget = 20'000; budget <= peak; budget += 10'000) {
        const double fraction = static_cast<double>(budget) / peak;
        if (budget >= 50'000)
            fast.points.push_back({budget, std::min(1.0, 0.8 + 0.25 * fraction)});
        if (budget >= 80'000)
            flat.points.push_back({budget, 0.76});
        steep.points.push_back({budget, std::min(1.0, 0.2 + fraction)});
        curves.bound.push_back({budget, std::min(1.0, 0.83 + 0.25 * fraction)});
    }
    curves.curves = {fast, flat, steep};
    return curves;
}

std::shared_ptr<const TradeoffCurves> shared(TradeoffCurves curves) {
    return std::make_shared<const TradeoffCurves>(std::move(curves));
}

const TradeoffCurves& ofLayers() {
    static const auto curves = test::tradeoffOf(test::layeredProfile(4), 20);
    return *curves;
}

struct PlotFixture {
    TradeoffPlot plot;
    PlotFixture() {
        plot.resize(284, 320);
        plot.setCurves(shared(sketch()), false);
        plot.setStrategy("optimized");
        plot.setMarker(TradeoffMarker{peak / 2, TradeoffPoint{peak / 2, 0.925}, false});
        plot.setSmallestBudget(0.001);
        plot.show();
        if (!QTest::qWaitForWindowExposed(&plot))
            qWarning("the plot did not appear");
    }
    // A place at this budget that no name takes.
    QPoint at(double fraction) const {
        const QRectF area = plot.places().area();
        QPointF place(area.left() + fraction * area.width(), area.bottom() - 2);
        while (plot.places().labelAt(place) >= 0)
            place.ry() -= 5;
        return place.toPoint();
    }
};

} // namespace

class TestTradeoff : public QObject {
    Q_OBJECT

private slots:
    void namesKeepApart_data() {
        QTest::addColumn<QSizeF>("size");
        QTest::addColumn<QString>("emphasized");
        QTest::addColumn<bool>("isNamed"); // every line, that is
        QTest::newRow("dock") << QSizeF(270, 300) << "slackswap" << true;
        QTest::newRow("low dock") << QSizeF(270, 190) << "slackswap" << false;
        QTest::newRow("dock, another strategy") << QSizeF(270, 300) << "offload-only" << true;
        QTest::newRow("page") << QSizeF(1560, 800) << "slackswap" << true;
        QTest::newRow("part of a page") << QSizeF(520, 330) << "sqrt-n" << true;
        QTest::newRow("tiny") << QSizeF(120, 90) << "slackswap" << false;
    }
    void namesKeepApart() {
        QFETCH(QSizeF, size);
        QFETCH(QString, emphasized);
        QFETCH(bool, isNamed);
        const TradeoffLayout layout(ofLayers(), emphasized.toStdString(), QRectF(QPointF(), size));
        std::vector<TradeoffLabel> labels = layout.labels();
        for (std::size_t i = 0; i < labels.size(); ++i) {
            QVERIFY(layout.area().contains(labels[i].rect));
            QVERIFY(!labels[i].rect.intersects(layout.boundLabel().rect));
            for (std::size_t k = 0; k < i; ++k) {
                QVERIFY(labels[i].curve != labels[k].curve);
                QVERIFY(!labels[i].rect.intersects(labels[k].rect));
            }
            QCOMPARE(layout.labelAt(labels[i].rect.center()), labels[i].curve);
        }
        QCOMPARE(layout.labelAt({-5, -5}), -1);
        if (!isNamed)
            return;
        // keep-all is one point in a corner: its name may find no place.
        for (std::int32_t i = 0; i < layout.curveCount(); ++i) {
            const bool found = std::any_of(labels.begin(), labels.end(),
                                           [&](const TradeoffLabel& label) { return label.curve == i; });
            QVERIFY2(found || ofLayers().curves[static_cast<std::size_t>(i)].points.size() == 1,
                     ofLayers().curves[static_cast<std::size_t>(i)].id.c_str());
        }
    }
    void aNameIsNearestToItsOwnLine() {
        const TradeoffCurves curves = sketch();
        const TradeoffLayout layout(curves, "optimized", QRectF(0, 0, 600, 400));
        QCOMPARE(layout.labels().size(), std::size_t{3});
        const auto distance = [&](std::int32_t curve, const QRectF& rect) {
            double least = 1e9;
            for (const QPolygonF& line : layout.lines(curve)) {
                for (const QPointF& point : line)
                    least = std::min(
                        least,
                        std::hypot(std::max({rect.left() - point.x(), 0.0, point.x() - rect.right()}),
                                   std::max({rect.top() - point.y(), 0.0, point.y() - rect.bottom()})));
            }
            return least;
        };
        for (const TradeoffLabel& label : layout.labels()) {
            for (std::int32_t other = 0; other < layout.curveCount(); ++other)
                QVERIFY(distance(label.curve, label.rect) <= distance(other, label.rect));
        }
    }
    void namesStayWhileTheCurvesAreRefined() {
        TradeoffCurves coarse = sketch();
        for (TradeoffCurve& curve : coarse.curves) {
            std::vector<TradeoffPoint> some;
            for (std::size_t i = 0; i < curve.points.size(); i += 4)
                some.push_back(curve.points[i]);
            curve.points = some;
        }
        const QRectF frame(0, 0, 300, 320);
        const TradeoffLayout before(coarse, "optimized", frame);
        const TradeoffLayout after(sketch(), "optimized", frame, &before);
        QCOMPARE(after.labels().size(), before.labels().size());
        for (const TradeoffLabel& label : after.labels()) {
            const auto same =
                std::find_if(before.labels().begin(), before.labels().end(),
                             [&](const TradeoffLabel& other) { return other.curve == label.curve; });
            QVERIFY(same != before.labels().end());
            QCOMPARE(label.rect, same->rect);
        }
    }

    void linesAreStepsThroughTheSamples() {
        const TradeoffCurves& curves = ofLayers();
        const TradeoffLayout layout(curves, "slackswap", QRectF(0, 0, 700, 500));
        for (std::int32_t i = 0; i < layout.curveCount(); ++i) {
            for (const QPolygonF& line : layout.lines(i)) {
                for (qsizetype k = 1; k < line.size(); ++k) {
                    // Flat at the lower budget's throughput, or upright at a sampled budget.
                    QVERIFY(line[k].x() == line[k - 1].x() || line[k].y() == line[k - 1].y());
                    QVERIFY(line[k].x() >= line[k - 1].x());
                }
            }
            for (const TradeoffPoint& point : curves.curves[static_cast<std::size_t>(i)].points) {
                const QPointF at(layout.x(point.budget), layout.y(point.throughput));
                if (at.y() > layout.area().bottom())
                    continue;
                bool isThere = false;
                for (const QPolygonF& line : layout.lines(i))
                    isThere = isThere || line.contains(at);
                QVERIFY(isThere);
            }
        }
    }
    void linesEndAtTheMinimumBudget() {
        const TradeoffCurves& curves = ofLayers();
        const TradeoffLayout layout(curves, "slackswap", QRectF(0, 0, 700, 500));
        for (std::int32_t i = 0; i < layout.curveCount(); ++i) {
            const TradeoffCurve& curve = curves.curves[static_cast<std::size_t>(i)];
            for (const QPolygonF& line : layout.lines(i))
                QVERIFY(line.first().x() >= layout.x(*curve.minimumBudget));
            if (!layout.exit(i))
                QCOMPARE(layout.lines(i).front().first().x(), layout.x(*curve.minimumBudget));
        }
    }
    void whatLiesBelowIsMarkedAsGoingOn() {
        const TradeoffCurves curves = sketch();
        QCOMPARE(lowestShown(curves, "optimized"), 0.75);
        // All of the one in use, but for its first steps.
        QVERIFY(std::abs(lowestShown(curves, "offload-only") - 0.25) < 1e-9);
        const TradeoffLayout layout(curves, "optimized", QRectF(0, 0, 700, 500));
        QVERIFY(!layout.exit(0) && !layout.exit(1));
        QVERIFY(layout.exit(2));
        QCOMPARE(layout.exit(2)->y(), layout.area().bottom());
        for (const QPolygonF& line : layout.lines(2)) {
            for (const QPointF& point : line)
                QVERIFY(layout.area().adjusted(-1e-6, 0, 1e-6, 1e-6).contains(point));
        }
    }
    void theRegionIsWhatNoSampleReaches() {
        const TradeoffCurves& curves = ofLayers();
        const TradeoffLayout layout(curves, "slackswap", QRectF(0, 0, 700, 500));
        const QPolygonF& region = layout.boundRegion();
        QCOMPARE(region.first(), layout.area().topLeft());
        for (qsizetype i = 2; i + 1 < region.size(); ++i) {
            QVERIFY(region[i].x() >= region[i - 1].x());
            QVERIFY(region[i].y() <= region[i - 1].y() + 1e-9); // a larger budget allows more
        }
        for (const TradeoffCurve& curve : curves.curves) {
            for (const TradeoffPoint& point : curve.points) {
                const QPointF at(layout.x(point.budget), layout.y(point.throughput) + 0.01);
                QVERIFY(!region.containsPoint(at, Qt::OddEvenFill));
            }
        }
    }

    void betweenSamplesTheRegionClaimsTheLargerBudgetsBound() {
        TradeoffCurves curves = sketch();
        // The first claims less than the second, as bounds of very small budgets may.
        curves.bound = {{100'000, 0.99}, {200'000, 0.85}, {600'000, 0.95}, {peak, 1}};
        const TradeoffLayout layout(curves, "optimized", QRectF(0, 0, 700, 500));
        const auto isInside = [&](Bytes budget, double throughput) {
            return layout.boundRegion().containsPoint(QPointF(layout.x(budget), layout.y(throughput)),
                                                      Qt::OddEvenFill);
        };
        QVERIFY(isInside(50'000, 0.86) && !isInside(50'000, 0.84));
        QVERIFY(isInside(150'000, 0.86) && !isInside(150'000, 0.84));
        QVERIFY(isInside(210'000, 0.96) && !isInside(210'000, 0.94));
        QVERIFY(isInside(590'000, 0.96) && !isInside(590'000, 0.94));
        QVERIFY(!isInside(610'000, 0.99));
    }

    void readsOnlyWhatWasSampled() {
        const TradeoffCurves curves = sketch();
        const auto readout = readTradeoff(curves, 503'700);
        QVERIFY(readout);
        QCOMPARE(readout->budget, Bytes{500'000});
        QCOMPARE(readout->rows.size(), std::size_t{4});
        QCOMPARE(readout->rows[0].value, QStringLiteral("92.5 %"));
        QCOMPARE(readout->rows[1].value, QStringLiteral("76.0 %"));
        QCOMPARE(readout->rows[3].value, QStringLiteral("95.5 %")); // the bound
        const auto low = readTradeoff(curves, 20'000);
        QCOMPARE(low->rows[0].value, QStringLiteral("needs 5.0 %"));
        QVERIFY(!low->rows[0].point);
        QVERIFY(tradeoffSummary(curves, 500'000).contains(QStringLiteral("optimized 92.5 %")));
    }
    void farSamplesSayNothing() {
        TradeoffCurves curves = sketch();
        curves.curves[1].points = {{80'000, 0.76}, {peak, 0.76}};
        const auto readout = readTradeoff(curves, peak / 2);
        QCOMPARE(readout->rows[1].value, QStringLiteral("not computed yet"));
        curves.curves[1].points = {{505'000, 0.76}};
        QCOMPARE(readTradeoff(curves, peak / 2)->rows[1].value, QStringLiteral("76.0 % at 50.5 %"));
    }

    void strategiesLookDifferent_data() {
        QTest::addColumn<bool>("isDark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void strategiesLookDifferent() {
        QFETCH(bool, isDark);
        const Theme theme = isDark ? Theme::dark() : Theme::light();
        const std::array<const char*, 7> ids{"keep-all",     "recompute-all", "sqrt-n",   "recompute-only",
                                             "offload-only", "slackswap",     "optimized"};
        for (std::size_t i = 0; i < ids.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                const StrategyStyle a = strategyStyle(ids[i], theme);
                const StrategyStyle b = strategyStyle(ids[k], theme);
                QVERIFY(a.color != b.color);
                QVERIFY(a.dashes != b.dashes);
            }
        }
    }

    void partialDataIsPainted_data() {
        QTest::addColumn<int>("what");
        QTest::newRow("nothing") << 0;
        QTest::newRow("no peak") << 1;
        QTest::newRow("bound only") << 2;
        QTest::newRow("one point") << 3;
        QTest::newRow("no curve is feasible") << 4;
        QTest::newRow("all below the axis") << 5;
        QTest::newRow("same throughput everywhere") << 6;
    }
    void partialDataIsPainted() {
        QFETCH(int, what);
        TradeoffCurves curves = sketch();
        if (what == 1)
            curves.unlimitedPeak = 0;
        if (what == 2 || what == 4)
            for (TradeoffCurve& curve : curves.curves)
                curve.points.clear();
        if (what == 3) {
            curves.bound.clear();
            curves.curves.resize(1);
            curves.curves[0].points = {{peak, 1}};
        }
        if (what == 4)
            curves.bound.clear();
        if (what == 5)
            curves.curves = {curveOf("slow", 10, {{10, 0.1}, {peak, 0.2}})};
        if (what == 6)
            curves.curves = {curveOf("even", 10, {{10, 1}, {peak, 1}}),
                             curveOf("also", 10, {{10, 1}, {peak, 1}})};
        for (const QSize size : {QSize(284, 300), QSize(200, 150), QSize(20, 10), QSize(900, 40)}) {
            TradeoffPlot plot;
            plot.resize(size);
            plot.setMessage(QStringLiteral("nothing yet"));
            plot.setMarker(TradeoffMarker{peak / 3, std::nullopt, true});
            if (what > 0)
                plot.setCurves(shared(curves), what == 3);
            QVERIFY(!plot.grab().isNull());
            QTest::mouseMove(&plot, plot.rect().center());
            QTest::mouseClick(&plot, Qt::LeftButton, {}, plot.rect().center());
            QTest::keyClick(&plot, Qt::Key_Right);
        }
    }

    void draggingIsOneGesture() {
        PlotFixture f;
        QSignalSpy moved(&f.plot, &TradeoffPlot::budgetMoved);
        const QPoint start = f.at(0.5) + QPoint(4, 0); // beside the line: it must not jump
        QTest::mousePress(&f.plot, Qt::LeftButton, {}, start);
        QCOMPARE(moved.count(), 1);
        QCOMPARE(moved.at(0).at(0).toDouble(), 0.5);
        for (int i = 1; i <= 10; ++i)
            QTest::mouseMove(&f.plot, start + QPoint(-4 * i, 0));
        QTest::mouseRelease(&f.plot, Qt::LeftButton, {}, start + QPoint(-40, 0));
        const double expected = 0.5 - 40 / f.plot.places().area().width();
        QVERIFY(std::abs(moved.last().at(0).toDouble() - expected) < 0.002);
        int gestures = 0;
        for (const QList<QVariant>& arguments : moved)
            gestures += arguments.at(1).toBool() ? 1 : 0;
        QCOMPARE(gestures, 1);
        // Past the ends it stays at them.
        QTest::mousePress(&f.plot, Qt::LeftButton, {}, f.plot.markerPosition().toPoint());
        QTest::mouseMove(&f.plot, QPoint(5000, 50));
        QCOMPARE(moved.last().at(0).toDouble(), 1.0);
        QTest::mouseMove(&f.plot, QPoint(-5000, 50));
        QCOMPARE(moved.last().at(0).toDouble(), 0.001);
        QTest::mouseRelease(&f.plot, Qt::LeftButton);
    }
    void aClickSetsTheBudget() {
        PlotFixture f;
        QSignalSpy moved(&f.plot, &TradeoffPlot::budgetMoved);
        QTest::mouseClick(&f.plot, Qt::LeftButton, {}, f.at(0.25));
        QVERIFY(std::abs(moved.last().at(0).toDouble() - 0.25) < 0.005);
        moved.clear();
        QTest::mouseClick(&f.plot, Qt::LeftButton, {}, QPoint(2, 2)); // beside the axes
        QCOMPARE(moved.count(), 0);
    }
    void keysStep_data() {
        QTest::addColumn<int>("key");
        QTest::addColumn<double>("to");
        QTest::newRow("right") << static_cast<int>(Qt::Key_Right) << 0.505;
        QTest::newRow("down") << static_cast<int>(Qt::Key_Down) << 0.495;
        QTest::newRow("page up") << static_cast<int>(Qt::Key_PageUp) << 0.55;
        QTest::newRow("home") << static_cast<int>(Qt::Key_Home) << 0.001;
        QTest::newRow("end") << static_cast<int>(Qt::Key_End) << 1.0;
    }
    void keysStep() {
        QFETCH(int, key);
        QFETCH(double, to);
        PlotFixture f;
        QSignalSpy moved(&f.plot, &TradeoffPlot::budgetMoved);
        QTest::keyClick(&f.plot, static_cast<Qt::Key>(key));
        QCOMPARE(moved.count(), 1);
        QVERIFY(std::abs(moved.at(0).at(0).toDouble() - to) < 1e-9);
        QVERIFY(moved.at(0).at(1).toBool());
    }
    void aNameChoosesItsStrategy() {
        PlotFixture f;
        QSignalSpy chosen(&f.plot, &TradeoffPlot::strategyChosen);
        QSignalSpy moved(&f.plot, &TradeoffPlot::budgetMoved);
        for (const TradeoffLabel& label : f.plot.places().labels()) {
            const std::string id = f.plot.curves()->curves[static_cast<std::size_t>(label.curve)].id;
            QTest::mouseMove(&f.plot, label.rect.center().toPoint());
            QCOMPARE(f.plot.cursor().shape(), Qt::PointingHandCursor);
            QTest::mouseClick(&f.plot, Qt::LeftButton, {}, label.rect.center().toPoint());
            QCOMPARE(chosen.last().at(0).toString().toStdString(), id);
        }
        QCOMPARE(chosen.count(), 3);
        QCOMPARE(moved.count(), 0);
        // What is greyed says nothing of the present profile.
        f.plot.setCurves(f.plot.curves(), true);
        QTest::mouseClick(&f.plot, Qt::LeftButton, {},
                          f.plot.places().labels().front().rect.center().toPoint());
        QCOMPARE(chosen.count(), 3);
    }
    void staleCurvesAreGreyed() {
        PlotFixture f;
        const auto strongest = [&] {
            const QImage image = f.plot.grab().toImage();
            const QColor color = strategyStyle("optimized", Theme::light()).color;
            int found = 0;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x)
                    found += image.pixelColor(x, y) == color ? 1 : 0;
            }
            return found;
        };
        f.plot.setMarker(std::nullopt);
        f.plot.clearFocus(); // its ring has the colour of the accent
        QVERIFY(strongest() > 50);
        f.plot.setCurves(f.plot.curves(), true);
        QCOMPARE(strongest(), 0);
    }
};

QTEST_MAIN(TestTradeoff)
#include "test_tradeoff.moc"
