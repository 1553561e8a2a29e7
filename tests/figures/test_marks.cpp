// Hatches stay in their rectangle, labels keep out of each other's way.
#include "ui/figures/marks.h"

#include <QTest>

#include <random>

using namespace slackscope;
using namespace slackscope::figures;

class TestMarks : public QObject {
    Q_OBJECT

private slots:
    void smallCellsDifferByMoreThanColor_data() {
        QTest::addColumn<QRectF>("cell");
        QTest::newRow("3 by 3") << QRectF(4, 4, 3, 3);
        QTest::newRow("4 by 4") << QRectF(4, 4, 4, 4);
        QTest::newRow("6 by 6") << QRectF(4, 4, 6, 6);
        QTest::newRow("7 by 7, between pixels") << QRectF(4.5, 4, 7, 7);
        QTest::newRow("narrow") << QRectF(4, 4, 2, 17);
        QTest::newRow("less than a pixel") << QRectF(4, 4, 0.7, 17);
        QTest::newRow("low") << QRectF(4, 4, 14, 2);
        QTest::newRow("part of a filled cell") << QRectF(4, 8, 7, 3);
    }
    void smallCellsDifferByMoreThanColor() {
        QFETCH(QRectF, cell);
        for (const Theme& theme : {Theme::light(), Theme::dark()}) {
            for (const double ratio : {1.0, 2.0}) {
                // Where a mark is, whatever its colour.
                std::vector<QImage> marks;
                for (const Decision decision : allDecisions) {
                    QImage image((QSizeF(24, 24) * ratio).toSize(), QImage::Format_RGB32);
                    image.setDevicePixelRatio(ratio);
                    const QColor ground = decisionColor(theme, decision);
                    image.fill(ground);
                    QPainter painter(&image);
                    paintSmallDecision(painter, cell, decision, theme);
                    painter.end();
                    QImage mark(image.size(), QImage::Format_Mono);
                    for (int y = 0; y < image.height(); ++y) {
                        for (int x = 0; x < image.width(); ++x)
                            mark.setPixel(x, y, contrast(image.pixelColor(x, y), ground) > 1.5 ? 1 : 0);
                    }
                    marks.push_back(mark);
                }
                QVERIFY(marks[0] != marks[1]);
                QVERIFY(marks[0] != marks[2]);
                QVERIFY(marks[1] != marks[2]);
            }
        }
    }

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
