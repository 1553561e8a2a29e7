// The decision map: places, colours, selection.
#include "core/planner/strategy.h"
#include "tests/figures/samples.h"
#include "tests/support/profiles.h"
#include "ui/figures/decision_map.h"
#include "ui/figures/decision_painter.h"

#include <QSignalSpy>
#include <QTest>

using namespace slackscope;
using namespace slackscope::figures;

class TestDecisionMap : public QObject {
    Q_OBJECT

private slots:
    void everyCellCanBeHit_data() {
        QTest::addColumn<QSizeF>("size");
        QTest::addColumn<int>("layers");
        QTest::newRow("usual") << QSizeF(900, 220) << 24;
        QTest::newRow("96 layers") << QSizeF(900, 220) << 96;
        QTest::newRow("one layer") << QSizeF(900, 220) << 1;
        QTest::newRow("narrow") << QSizeF(320, 120) << 24;
        QTest::newRow("5000 tensors") << QSizeF(900, 220) << 0;
    }
    void everyCellCanBeHit() {
        QFETCH(QSizeF, size);
        QFETCH(int, layers);
        const auto graph =
            StepGraph::build(layers > 0 ? test::layeredProfile(layers) : test::plainChain(5000, 1, 1))
                .value();
        const DecisionGrid grid = makeDecisionGrid(*graph);
        const QRectF area = decisionArea(QRectF(QPointF(), size));
        const DecisionLayout layout(grid, area);
        for (std::size_t i = 0; i < grid.cells.size(); ++i) {
            const QRectF rect = layout.cellRect(grid.cells[i]);
            QVERIFY(area.contains(rect));
            QVERIFY(rect.width() > 0 && rect.height() > 0);
            QCOMPARE(layout.cellAt(grid, rect.center()), static_cast<std::int32_t>(i));
        }
        QCOMPARE(layout.cellAt(grid, {-5, -5}), none);
        QCOMPARE(layout.cellsIn(grid, layout.cells()).size(), grid.cells.size());
    }

    void cellsHaveTheColorOfTheirDecision() {
        const auto picture = test::mixedPicture();
        for (const Theme& theme : {Theme::light(), Theme::dark()}) {
            DecisionMap map;
            map.resize(1000, 230);
            map.setTheme(theme);
            map.setPicture(picture);
            const QImage image = map.grab().toImage();
            for (const TensorIndex t : picture->graph().savedTensors()) {
                const QRect rect = map.cellRect(t).toRect();
                const Decision decision = *picture->decision(t);
                const QColor color = decision == Decision::Keep      ? theme.keep
                                     : decision == Decision::Offload ? theme.offload
                                                                     : theme.recompute;
                int matching = 0;
                for (int x = rect.left(); x < rect.right(); ++x)
                    matching += image.pixelColor(x, rect.center().y()) == color ? 1 : 0;
                QVERIFY(matching > rect.width() / 4);
            }
        }
    }

    void repaintsWhatFlipsAsIfItWereAll_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<int>("layers");
        QTest::addColumn<bool>("bytes");
        QTest::newRow("usual") << QSize(1000, 230) << 12 << false;
        QTest::newRow("filled by bytes") << QSize(1000, 230) << 12 << true;
        QTest::newRow("cells that touch") << QSize(430, 120) << 96 << false;
    }
    void repaintsWhatFlipsAsIfItWereAll() {
        QFETCH(QSize, size);
        QFETCH(int, layers);
        QFETCH(bool, bytes);
        const auto graph = StepGraph::build(test::layeredProfile(layers)).value();
        const auto strategy = findStrategy("slackswap")->prepare(graph, {}, {});
        const auto show = [&](DecisionMap& map, const std::shared_ptr<const StepPicture>& picture) {
            map.setPicture(picture);
            return map.grab().toImage();
        };
        const auto mapOf = [&] {
            auto map = std::make_unique<DecisionMap>();
            map->resize(size);
            map->setShowBytes(bytes);
            return map;
        };
        const auto live = mapOf();
        std::shared_ptr<const StepPicture> before;
        int flips = 0;
        // Infeasible at its ends, too.
        for (const double part : {0.9, 0.6, 0.55, 0.5, 0.001, 0.5, 0.7, 0.001}) {
            const auto budget = static_cast<Bytes>(part * static_cast<double>(unlimitedPeak(graph)));
            const auto picture =
                StepPicture::build(std::make_shared<const Plan>(strategy->plan(budget)), {}, before);
            if (before) {
                QCOMPARE(&picture->grid(), &before->grid());
                for (const TensorIndex t : graph->savedTensors())
                    flips += picture->decision(t) != before->decision(t) ? 1 : 0;
            }
            QCOMPARE(show(*live, picture), show(*mapOf(), picture));
            before = picture;
        }
        QVERIFY(flips > 10);
        live->setTheme(Theme::dark());
        const auto dark = mapOf();
        dark->setTheme(Theme::dark());
        QCOMPARE(show(*live, before), show(*dark, before));
    }

    void infeasibleCellsAreUndecided() {
        DecisionMap map;
        map.resize(1000, 230);
        const auto picture = test::pictureOf(test::layeredProfile(6), "slackswap", 0.01);
        map.setPicture(picture);
        const QPointF center = map.cellRect(picture->graph().savedTensors()[1]).center();
        QCOMPARE(map.grab().toImage().pixelColor(center.toPoint()), Theme::light().undecided);
        QVERIFY(map.accessibleDescription().contains(QStringLiteral("at least")));
    }

    void clickBandAndKeysSelect() {
        const auto picture = test::mixedPicture();
        DecisionMap map;
        map.resize(1000, 230);
        map.setPicture(picture);
        QSignalSpy spy(&map, &DecisionMap::selectionChanged);
        const std::span<const TensorIndex> saved = picture->graph().savedTensors();
        QTest::mouseClick(&map, Qt::LeftButton, {}, map.cellRect(saved[3]).center().toPoint());
        QCOMPARE(map.selection(), (Selection{{saved[3]}, none}));
        QTest::keyClick(&map, Qt::Key_Right);
        QCOMPARE(spy.count(), 2);
        QTest::keyClick(&map, Qt::Key_Left);
        QCOMPARE(map.selection(), (Selection{{saved[3]}, none}));
        const QPoint from = map.cellRect(saved[3]).center().toPoint();
        const QPoint to = map.cellRect(saved[8]).center().toPoint();
        QTest::mousePress(&map, Qt::LeftButton, {}, from);
        QTest::mouseMove(&map, to);
        QTest::mouseRelease(&map, Qt::LeftButton, {}, to);
        QVERIFY(map.selection().tensors.size() > 1);
        for (const TensorIndex t : map.selection().tensors)
            QVERIFY(map.cellRect(t).intersects(QRectF(from, to).normalized()));
        QTest::mouseClick(&map, Qt::LeftButton, {}, QPoint(2, 2));
        QVERIFY(map.selection().empty());
    }

    void hoverNamesTheTensor() {
        const auto picture = test::mixedPicture();
        DecisionMap map;
        map.resize(1000, 230);
        map.setPicture(picture);
        map.show();
        QVERIFY(QTest::qWaitForWindowExposed(&map));
        HoverInfo latest;
        connect(&map, &DecisionMap::hovered, &map, [&](const HoverInfo& info) { latest = info; });
        for (const TensorIndex t : picture->graph().savedTensors()) {
            QTest::mouseMove(&map, map.cellRect(t).center().toPoint());
            QCOMPARE(latest.tensor, t);
            QCOMPARE(latest, picture->describeTensor(t));
        }
    }

    void bytesFillInProportion() {
        const auto picture = test::mixedPicture();
        DecisionMap map;
        map.resize(1000, 260);
        map.setPicture(picture);
        map.setShowBytes(true);
        const QImage image = map.grab().toImage();
        const Theme theme = Theme::light();
        const auto fillOf = [&](TensorIndex t) {
            const QRect rect = map.cellRect(t).toRect();
            const Decision decision = *picture->decision(t);
            const QColor color = decision == Decision::Keep ? theme.keep : theme.offload;
            int rows = 0;
            for (int y = rect.top(); y <= rect.bottom(); ++y)
                rows += image.pixelColor(rect.left() + 2, y) == color ? 1 : 0;
            return static_cast<double>(rows) / rect.height();
        };
        for (const TensorIndex t : picture->graph().savedTensors()) {
            if (picture->decision(t) == Decision::Recompute || picture->graph().tensor(t).bytes == 0)
                continue;
            const double share = static_cast<double>(picture->graph().tensor(t).bytes) /
                                 static_cast<double>(picture->grid().largestBytes);
            QVERIFY(std::abs(fillOf(t) - share) < 0.12);
        }
    }
};

QTEST_MAIN(TestDecisionMap)
#include "test_decision_map.moc"
