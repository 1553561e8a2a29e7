// Zoom, pan and history of the time axis.
#include "ui/figures/time_view.h"

#include <QTest>

#include <cmath>
#include <random>

using namespace slackscope::figures;

class TestTimeView : public QObject {
    Q_OBJECT

private slots:
    void mapsThereAndBack() {
        const TimeMap map({100, 300}, 50, 400);
        QCOMPARE(map.pixel(100), 50.0);
        QCOMPARE(map.pixel(300), 450.0);
        QCOMPARE(map.time(250), 200.0);
        QCOMPARE(TimeMap({5, 5}, 0, 100).time(40), 5.0);
    }

    void wholeStepHasAWidth() {
        QCOMPARE(wholeStep(1000).toNs, 1000.0);
        QVERIFY(wholeStep(0).width() > 0);
    }

    void zoomKeepsTheAnchorAndStaysInside() {
        std::mt19937 engine(7);
        std::uniform_real_distribution<double> part(0, 1);
        const TimeRange whole = wholeStep(1'000'000);
        TimeRange range = whole;
        for (int i = 0; i < 2000; ++i) {
            const double share = part(engine);
            const double anchor = range.fromNs + share * range.width();
            const TimeRange next = zoomed(range, anchor, std::exp(part(engine) * 2 - 1), whole);
            QVERIFY(next.fromNs >= whole.fromNs - 1e-6 && next.toNs <= whole.toNs + 1e-6);
            QVERIFY(next.width() >= shortestViewNs - 1e-6);
            // Where no edge was in the way, the anchor keeps its place.
            if (next.fromNs > 1 && next.toNs < whole.toNs - 1 && next.width() > shortestViewNs + 1)
                QVERIFY(std::abs((anchor - next.fromNs) / next.width() - share) < 1e-6);
            range = next;
        }
    }

    void panStopsAtTheEnds() {
        const TimeRange whole = wholeStep(1000);
        QCOMPARE(panned({100, 300}, -500, whole), (TimeRange{0, 200}));
        QCOMPARE(panned({100, 300}, 5000, whole), (TimeRange{800, 1000}));
        QCOMPARE(panned({100, 300}, 50, whole), (TimeRange{150, 350}));
    }

    void framingAddsAir() {
        const TimeRange framedRange = framed({400, 600}, wholeStep(1000));
        QVERIFY(framedRange.fromNs < 400 && framedRange.toNs > 600 && framedRange.width() < 300);
        QCOMPARE(framed({0, 1000}, wholeStep(1000)), wholeStep(1000));
    }

    void historyGoesBackAndForth() {
        ViewHistory history;
        QVERIFY(!history.back());
        history.visit({0, 10});
        history.visit({0, 5});
        history.visit({0, 5}); // no entry for no change
        history.visit({1, 2});
        QCOMPARE(*history.back(), (TimeRange{0, 5}));
        QCOMPARE(*history.back(), (TimeRange{0, 10}));
        QVERIFY(!history.back());
        QCOMPARE(*history.forward(), (TimeRange{0, 5}));
        history.visit({3, 4}); // forgets {1, 2}
        QVERIFY(!history.canGoForward());
        QCOMPARE(*history.back(), (TimeRange{0, 5}));
    }
};

QTEST_APPLESS_MAIN(TestTimeView)
#include "test_time_view.moc"
