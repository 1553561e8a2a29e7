// The plot under a user's hands: hovering, selecting, zooming, dragging.
#include "tests/figures/samples.h"
#include "tests/support/profiles.h"
#include "ui/figures/export.h"
#include "ui/figures/step_plot.h"

#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

using namespace slackscope;
using namespace slackscope::figures;

class TestStepPlot : public QObject {
    Q_OBJECT

    std::unique_ptr<StepPlot> shown(const std::shared_ptr<const StepPicture>& picture,
                                    QSize size = {1000, 460}) {
        auto plot = std::make_unique<StepPlot>();
        plot->resize(size);
        plot->setPicture(picture);
        plot->show();
        QCoreApplication::processEvents();
        return plot;
    }
    // The widget that gets the mouse.
    static QWidget* canvas(StepPlot& plot) { return plot.childAt(plot.rect().center()); }
    static void send(StepPlot& plot, QEvent::Type type, QPointF at, Qt::MouseButton button,
                     Qt::MouseButtons held, Qt::KeyboardModifiers keys = Qt::NoModifier) {
        QMouseEvent event(type, at, plot.mapToGlobal(at), button, held, keys);
        QCoreApplication::sendEvent(canvas(plot), &event);
    }
    static void hover(StepPlot& plot, QPointF at) {
        send(plot, QEvent::MouseMove, at, Qt::NoButton, Qt::NoButton);
    }
    static void drag(StepPlot& plot, QPointF from, QPointF to, Qt::KeyboardModifiers keys = Qt::NoModifier) {
        send(plot, QEvent::MouseButtonPress, from, Qt::LeftButton, Qt::LeftButton, keys);
        for (int i = 1; i <= 8; ++i)
            send(plot, QEvent::MouseMove, from + (to - from) * i / 8, Qt::NoButton, Qt::LeftButton, keys);
        send(plot, QEvent::MouseButtonRelease, to, Qt::LeftButton, Qt::NoButton, keys);
    }
    static void click(StepPlot& plot, QPointF at) {
        send(plot, QEvent::MouseButtonPress, at, Qt::LeftButton, Qt::LeftButton);
        send(plot, QEvent::MouseButtonRelease, at, Qt::LeftButton, Qt::NoButton);
    }
    static QPointF centerOf(const StepPlot& plot, Lane lane, const Bar& bar) {
        return {plot.pixelOf(static_cast<double>(bar.fromNs + bar.toNs) / 2),
                plot.laneRect(lane).center().y()};
    }

private slots:
    void hoverNamesEveryBar() {
        const auto picture = test::mixedPicture(24);
        const auto plot = shown(picture);
        QSignalSpy spy(plot.get(), &StepPlot::hovered);
        HoverInfo latest;
        connect(plot.get(), &StepPlot::hovered, plot.get(), [&](const HoverInfo& info) { latest = info; });
        for (const Lane lane : allLanes) {
            for (std::size_t i = 0; i < picture->bars(lane).size(); i += 3) {
                hover(*plot, centerOf(*plot, lane, picture->bars(lane)[i]));
                QCOMPARE(latest, picture->describeBar(lane, static_cast<std::int32_t>(i)));
            }
        }
        QVERIFY(spy.count() > 10);
        hover(*plot, {2, 2});
        QVERIFY(latest.title.isEmpty());
    }

    void hoverInManyBars() {
        const auto picture = test::pictureOf(test::plainChain(50'000, 100, 10), "keep-all", 0);
        const auto plot = shown(picture);
        HoverInfo latest;
        connect(plot.get(), &StepPlot::hovered, plot.get(), [&](const HoverInfo& info) { latest = info; });
        for (std::size_t i = 0; i < 100'000; i += 7919) {
            hover(*plot, centerOf(*plot, Lane::Compute, picture->bars(Lane::Compute)[i]));
            QCOMPARE(latest.op, picture->bars(Lane::Compute)[i].id);
        }
    }

    void clickSelectsTheTensor() {
        const auto picture = test::mixedPicture();
        const auto plot = shown(picture);
        QSignalSpy spy(plot.get(), &StepPlot::selectionChanged);
        const Bar& copy = picture->bars(Lane::DeviceToHost)[2];
        click(*plot, centerOf(*plot, Lane::DeviceToHost, copy));
        QCOMPARE(plot->selection(), (Selection{{copy.id}, none}));
        QCOMPARE(spy.count(), 1);
        const Bar& bar = picture->bars(Lane::Compute)[9];
        click(*plot, centerOf(*plot, Lane::Compute, bar));
        QCOMPARE(plot->selection(), (Selection{{picture->tensorOf(Lane::Compute, 9)}, bar.id}));
        QTest::keyClick(plot.get(), Qt::Key_Escape);
        QVERIFY(plot->selection().empty());
        QCOMPARE(spy.count(), 3);
        plot->setSelection({{3}, none});
        QCOMPARE(spy.count(), 3);
    }

    void selectionChangesThePicture() {
        const auto picture = test::mixedPicture();
        const auto plot = shown(picture);
        const QImage before = plot->grab().toImage();
        plot->setSelection({{picture->bars(Lane::DeviceToHost)[1].id}, none});
        QCoreApplication::processEvents();
        const QImage selected = plot->grab().toImage();
        QVERIFY(before != selected);
        plot->setSelection({});
        QCoreApplication::processEvents();
        QCOMPARE(plot->grab().toImage(), before);
    }

    void exportLeavesTheSelectionAlone() {
        const auto picture = test::mixedPicture();
        ExportRequest request;
        request.size = {700, 500};
        const QByteArray before = *renderFigure(picture, request);
        const auto plot = shown(picture);
        const Selection chosen{{picture->bars(Lane::DeviceToHost)[1].id}, none};
        plot->setSelection(chosen);
        plot->fitSelection();
        QCoreApplication::processEvents();
        const QImage seen = plot->grab().toImage();
        QCOMPARE(*renderFigure(picture, request), before);
        QCOMPARE(plot->selection(), chosen);
        QCOMPARE(plot->grab().toImage(), seen);
    }

    void wheelZoomsAtTheCursor() {
        const auto picture = test::mixedPicture();
        const auto plot = shown(picture);
        const QPointF at = plot->laneRect(Lane::Compute).center() + QPointF(100, 0);
        const double anchor = plot->viewRange().fromNs + (at.x() - plot->memoryRect().left()) /
                                                             plot->memoryRect().width() *
                                                             plot->viewRange().width();
        QWheelEvent wheel(at, plot->mapToGlobal(at), {}, {0, 240}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(canvas(*plot), &wheel);
        QCoreApplication::processEvents();
        QVERIFY(plot->viewRange().width() < 0.7 * static_cast<double>(picture->stepNs()));
        QVERIFY(std::abs(plot->pixelOf(anchor) - at.x()) < 0.01);
    }

    void keysZoomPanAndFit() {
        const auto picture = test::mixedPicture();
        const auto plot = shown(picture);
        const TimeRange whole = plot->viewRange();
        QCOMPARE(whole, wholeStep(picture->stepNs()));
        QTest::keyClick(plot.get(), Qt::Key_W);
        const TimeRange closer = plot->viewRange();
        QVERIFY(closer.width() < whole.width());
        QTest::keyClick(plot.get(), Qt::Key_D);
        QVERIFY(plot->viewRange().fromNs > closer.fromNs);
        QTest::keyClick(plot.get(), Qt::Key_A);
        QTest::keyClick(plot.get(), Qt::Key_Minus);
        QVERIFY(plot->viewRange().width() > closer.width());
        QTest::keyClick(plot.get(), Qt::Key_Plus);
        QTest::keyClick(plot.get(), Qt::Key_Home);
        QCOMPARE(plot->viewRange(), whole);
        plot->setSelection({{picture->bars(Lane::DeviceToHost)[0].id}, none});
        QTest::keyClick(plot.get(), Qt::Key_F);
        const Interval extent = *picture->extent(plot->selection());
        QVERIFY(plot->viewRange().fromNs <= static_cast<double>(extent.fromNs));
        QVERIFY(plot->viewRange().toNs >= static_cast<double>(extent.toNs));
        QTest::keyClick(plot.get(), Qt::Key_0);
        QCOMPARE(plot->viewRange(), whole);
    }

    void historyOfViews() {
        const auto plot = shown(test::mixedPicture());
        const TimeRange whole = plot->viewRange();
        QVERIFY(!plot->canGoBack());
        plot->setViewRange({1000, 100'000});
        plot->setViewRange({2000, 50'000});
        QTest::keyClick(plot.get(), Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(plot->viewRange(), (TimeRange{1000, 100'000}));
        QTest::keyClick(plot.get(), Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(plot->viewRange(), whole);
        QTest::keyClick(plot.get(), Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(plot->viewRange(), (TimeRange{1000, 100'000}));
    }

    void dragPans() {
        const auto picture = test::mixedPicture();
        const auto plot = shown(picture);
        const auto step = static_cast<double>(picture->stepNs());
        plot->setViewRange({step * 0.4, step * 0.6});
        const QPointF from = plot->laneRect(Lane::Compute).center();
        drag(*plot, from, from - QPointF(100, 0));
        const double moved = 100 / plot->memoryRect().width() * step * 0.2;
        QVERIFY(std::abs(plot->viewRange().fromNs - (step * 0.4 + moved)) < 1);
        QVERIFY(plot->selection().empty());
    }

    void shiftDragReadsAStretch() {
        const auto picture = test::mixedPicture();
        const auto plot = shown(picture);
        QSignalSpy spy(plot.get(), &StepPlot::rangeSelected);
        const QPointF from = plot->laneRect(Lane::Compute).center();
        drag(*plot, from, from + QPointF(120, 0), Qt::ShiftModifier);
        QCOMPARE(spy.count(), 1);
        QVERIFY(plot->rangeReadout());
        QCOMPARE(*plot->rangeReadout(), picture->read(plot->rangeReadout()->interval));
        QVERIFY(std::abs(plot->pixelOf(static_cast<double>(plot->rangeReadout()->interval.fromNs)) -
                         from.x()) < 1);
        QTest::keyClick(plot.get(), Qt::Key_Escape);
        QVERIFY(!plot->rangeReadout());
        QCOMPARE(spy.count(), 2);
    }

    void budgetLineIsDragged() {
        const auto picture = test::mixedPicture();
        const auto plot = shown(picture);
        const Bytes budget = picture->plan().budgetBytes;
        plot->setBudgetLimits(budget / 2, budget * 3 / 2);
        std::vector<Bytes> dragged;
        connect(plot.get(), &StepPlot::budgetDragged, plot.get(),
                [&](Bytes bytes) { dragged.push_back(bytes); });
        QSignalSpy finished(plot.get(), &StepPlot::budgetDragFinished);
        const QPointF from(plot->memoryRect().left() + 50, plot->pixelOfBytes(budget));
        drag(*plot, from, from - QPointF(0, 20));
        QCOMPARE(dragged.size(), std::size_t{8});
        QCOMPARE(finished.count(), 1);
        QVERIFY(std::abs(plot->pixelOfBytes(dragged.back()) - (from.y() - 20)) < 1);
        const QPointF again(from.x(), plot->pixelOfBytes(dragged.back()));
        drag(*plot, again, QPointF(again.x(), plot->memoryRect().bottom() + 80));
        QCOMPARE(dragged.back(), budget / 2); // stops at the limit
    }

    void playheadIsDragged() {
        const auto picture = test::mixedPicture();
        const auto plot = shown(picture);
        plot->setPlayhead(picture->stepNs() / 2);
        QSignalSpy spy(plot.get(), &StepPlot::playheadDragged);
        const QPointF from(plot->pixelOf(static_cast<double>(picture->stepNs() / 2)),
                           plot->laneRect(Lane::Compute).center().y());
        drag(*plot, from, from + QPointF(60, 0));
        QVERIFY(spy.count() > 0);
        QVERIFY(std::abs(plot->pixelOf(static_cast<double>(*plot->playhead())) - (from.x() + 60)) < 1);
    }

    void wholeViewFollowsTheStep() {
        const auto plot = shown(test::mixedPicture(4));
        const auto longer = test::mixedPicture(8);
        plot->setPicture(longer);
        QCOMPARE(plot->viewRange(), wholeStep(longer->stepNs()));
        plot->setViewRange({1000, 50'000});
        plot->setPicture(test::mixedPicture(4));
        QCOMPARE(plot->viewRange(), (TimeRange{1000, 50'000}));
    }

    void peakIsPaintedAtEveryZoom() {
        // A peak of no more than one operator among 10^5, in a view of about a thousand pixels.
        Profile profile = test::plainChain(50'000, 100, 1);
        profile.operators[25'000].forwardWorkspaceBytes = 400'000;
        const auto picture = test::pictureOf(std::move(profile), "keep-all", 0);
        const auto plot = shown(picture);
        const QImage image = plot->grab().toImage();
        const Theme theme = Theme::light();
        const int x = static_cast<int>(plot->pixelOf(static_cast<double>(picture->peakNs())));
        const int y = static_cast<int>(plot->pixelOfBytes(picture->peakBytes() * 3 / 4));
        bool isFilled = false;
        for (int dx = -2; dx <= 2; ++dx) {
            const QColor color = image.pixelColor(x + dx, y);
            isFilled = isFilled || color == theme.memory || color == theme.memoryFill;
        }
        QVERIFY(isFilled);
    }

    void survivesOddPictures_data() {
        QTest::addColumn<int>("what");
        QTest::newRow("none") << 0;
        QTest::newRow("infeasible") << 1;
        QTest::newRow("one operator") << 2;
        QTest::newRow("no time") << 3;
    }
    void survivesOddPictures() {
        QFETCH(int, what);
        const std::shared_ptr<const StepPicture> picture =
            what == 0   ? nullptr
            : what == 1 ? test::pictureOf(test::layeredProfile(3), "slackswap", 0.01)
            : what == 2 ? test::pictureOf(test::plainChain(1, 10, 10), "keep-all", 0)
                        : test::pictureOf(test::plainChain(4, 0, 10), "keep-all", 0);
        const auto plot = shown(picture, {340, 300});
        for (const bool stacked : {false, true}) {
            plot->setStacked(stacked);
            plot->setBaseline(picture);
            plot->setPlayhead(0);
            plot->setSelection({{0}, 0});
            const QPointF center = plot->laneRect(Lane::Compute).center();
            hover(*plot, center);
            click(*plot, center);
            drag(*plot, center, center + QPointF(40, 0), Qt::ShiftModifier);
            for (const int key : {Qt::Key_W, Qt::Key_F, Qt::Key_A, Qt::Key_Home, Qt::Key_Escape})
                QTest::keyClick(plot.get(), static_cast<Qt::Key>(key));
            QVERIFY(!plot->grab().isNull());
        }
        QVERIFY(!plot->accessibleName().isEmpty());
        QCOMPARE(plot->accessibleDescription().isEmpty(), what == 0);
    }
};

QTEST_MAIN(TestStepPlot)
#include "test_step_plot.moc"
