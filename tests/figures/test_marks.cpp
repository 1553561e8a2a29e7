// Hatches stay in their rectangle, labels keep out of each other's way.
#include "ui/figures/marks.h"

#include <QTest>

#include <random>

using namespace slackscope::figures;

class TestMarks : public QObject {
    Q_OBJECT

private slots:
    void hatchStaysInside_data() {
        QTest::addColumn<QRectF>("rect");
        QTest::addColumn<bool>("isVisible");
        QTest::newRow("cell") << QRectF(10, 20, 30, 12) << true;
        QTest::newRow("thin bar") << QRectF(100.3, 5, 4, 60) << true;
        QTest::newRow("negative") << QRectF(-50, -20, 25, 25) << true;
        QTest::newRow("empty") << QRectF(3, 3, 0, 10) << false;
    }
    void hatchStaysInside() {
        QFETCH(QRectF, rect);
        QFETCH(bool, isVisible);
        for (const Hatch hatch : {Hatch::Rising, Hatch::Falling}) {
            const QList<QLineF> lines = hatchLines(rect, hatch, 6);
            QCOMPARE(!lines.isEmpty(), isVisible);
            for (const QLineF& line : lines) {
                const QRectF reach = rect.adjusted(-1e-6, -1e-6, 1e-6, 1e-6);
                QVERIFY(reach.contains(line.p1()) && reach.contains(line.p2()));
                QVERIFY((line.dy() < 0) == (hatch == Hatch::Rising)); // drawn from left to right
                QVERIFY(qFuzzyCompare(std::abs(line.dx()), std::abs(line.dy())));
            }
        }
        QVERIFY(hatchLines(rect, Hatch::None, 6).isEmpty());
    }

    void labelsNeitherOverlapNorLeave() {
        std::mt19937 engine(3);
        const QRectF bounds(10, 10, 300, 120);
        LabelPlacer placer(bounds);
        std::vector<QRectF> placed;
        for (int i = 0; i < 200; ++i) {
            const QPointF at(static_cast<double>(engine() % 400), static_cast<double>(engine() % 200));
            const QRectF place = placer.place({{at, QSizeF(60, 15)}, {at - QPointF(0, 20), QSizeF(60, 15)}});
            if (place.isNull())
                continue;
            QVERIFY(bounds.contains(place));
            for (const QRectF& other : placed)
                QVERIFY(!other.intersects(place));
            placed.push_back(place);
        }
        QVERIFY(placed.size() > 5);
        QVERIFY(placer.place({{0, 0, 301, 10}}).isNull());
    }
};

QTEST_APPLESS_MAIN(TestMarks)
#include "test_marks.moc"
