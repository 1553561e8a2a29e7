// The budget bar: its track, its keys and its fields.
#include "window_fixture.h"

#include "core/planner/strategy.h"
#include "core/profile/profile_json.h"
#include "tests/support/profiles.h"
#include "ui/budget/budget_bar.h"
#include "ui/budget/budget_track.h"
#include "ui/look/fields.h"

#include <QAccessible>
#include <QLineEdit>
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>

using namespace slackscope;
using slackscope::test::WindowFixture;

namespace {

std::vector<EffectPoint> everyHundredth(std::initializer_list<std::pair<double, BudgetEffect>> until) {
    std::vector<EffectPoint> points;
    for (int i = 1; i <= 100; ++i) {
        for (const auto& [end, effect] : until) {
            if (i / 100.0 <= end + 1e-9) {
                points.push_back({i / 100.0, effect});
                break;
            }
        }
    }
    return points;
}

void type(NumberField& field, const QString& text) {
    field.setFocus();
    field.selectAll();
    QTest::keyClicks(&field, text);
    QTest::keyClick(&field, Qt::Key_Return);
}

} // namespace

class TestBudget : public QObject {
    Q_OBJECT
private slots:
    void nothingIsClaimedBeforeTheSweep() {
        QCOMPARE(trackRegions({}, std::nullopt), (std::vector<TrackRegion>{{0, 1, std::nullopt}}));
        QCOMPARE(trackRegions({}, 0.25),
                 (std::vector<TrackRegion>{{0, 0.25, BudgetEffect::Infeasible}, {0.25, 1, std::nullopt}}));
    }
    void farPointsDoNotSpeakForWhatLiesBetween() {
        const std::vector<EffectPoint> points{{0.5, BudgetEffect::Recomputes}, {1, BudgetEffect::Free}};
        const auto regions = trackRegions(points, 0.1);
        for (const TrackRegion& region : regions)
            QVERIFY(region.effect == BudgetEffect::Infeasible || !region.effect);
    }
    void regionsCoverTheTrack() {
        const auto regions = trackRegions(everyHundredth({{0.1, BudgetEffect::Infeasible},
                                                          {0.4, BudgetEffect::Stalls},
                                                          {0.8, BudgetEffect::Recomputes},
                                                          {1, BudgetEffect::Free}}),
                                          0.105);
        QCOMPARE(regions.size(), std::size_t{4});
        QCOMPARE(regions.front().from, 0.0);
        QCOMPARE(regions.back().to, 1.0);
        for (std::size_t i = 1; i < regions.size(); ++i)
            QCOMPARE(regions[i].from, regions[i - 1].to);
        QCOMPARE(regions[0].to, 0.105); // the exact minimum
        QVERIFY(std::abs(regions[1].to - 0.405) < 1e-9);
    }
    void keysStep_data() {
        QTest::addColumn<double>("from");
        QTest::addColumn<int>("key");
        QTest::addColumn<double>("to");
        QTest::newRow("right") << 0.5 << static_cast<int>(Qt::Key_Right) << 0.505;
        QTest::newRow("up") << 0.5 << static_cast<int>(Qt::Key_Up) << 0.505;
        QTest::newRow("left") << 0.5 << static_cast<int>(Qt::Key_Left) << 0.495;
        QTest::newRow("right from an odd value") << 0.5031 << static_cast<int>(Qt::Key_Right) << 0.505;
        QTest::newRow("left from an odd value") << 0.5031 << static_cast<int>(Qt::Key_Left) << 0.5;
        QTest::newRow("page up") << 0.5 << static_cast<int>(Qt::Key_PageUp) << 0.55;
        QTest::newRow("page down") << 0.5 << static_cast<int>(Qt::Key_PageDown) << 0.45;
        QTest::newRow("end") << 0.5 << static_cast<int>(Qt::Key_End) << 1.0;
        QTest::newRow("home") << 0.5 << static_cast<int>(Qt::Key_Home) << smallestBudgetFraction;
        QTest::newRow("right at the end") << 1.0 << static_cast<int>(Qt::Key_Right) << 1.0;
    }
    void keysStep() {
        QFETCH(double, from);
        QFETCH(int, key);
        QFETCH(double, to);
        Look look(ThemeChoice::Light);
        BudgetTrack track(look);
        track.setFraction(from);
        QTest::keyClick(&track, static_cast<Qt::Key>(key));
        QVERIFY2(std::abs(track.fraction() - to) < 1e-9, qPrintable(QString::number(track.fraction())));
    }
    void theWheelSteps() {
        Look look(ThemeChoice::Light);
        BudgetTrack track(look);
        track.resize(500, 60);
        track.setFraction(0.5);
        QSignalSpy moved(&track, &BudgetTrack::moved);
        QWheelEvent up(QPointF(10, 10), QPointF(10, 10), {}, {0, 240}, Qt::NoButton, Qt::NoModifier,
                       Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&track, &up);
        QVERIFY(std::abs(track.fraction() - 0.51) < 1e-9);
        QCOMPARE(moved.count(), 1);
    }
    void dragsByTheHandle() {
        Look look(ThemeChoice::Light);
        BudgetTrack track(look);
        track.resize(800, 62);
        track.show();
        track.setFraction(0.5);
        QSignalSpy moved(&track, &BudgetTrack::moved);
        const QPoint start =
            track.handlePosition().toPoint() + QPoint(5, 0); // off its centre: it must not jump
        QTest::mousePress(&track, Qt::LeftButton, {}, start);
        QCOMPARE(track.fraction(), 0.5);
        QTest::mouseMove(&track, start + QPoint(77, 3));
        const double expected = 0.5 + 77 / (track.positionOf(1).x() - track.positionOf(0).x());
        QVERIFY(std::abs(track.fraction() - expected) < 0.002);
        QTest::mouseMove(&track, QPoint(5000, 0));
        QCOMPARE(track.fraction(), 1.0);
        QTest::mouseMove(&track, QPoint(-5000, 0));
        QCOMPARE(track.fraction(), smallestBudgetFraction);
        QTest::mouseRelease(&track, Qt::LeftButton);
        int gestures = 0;
        for (const QList<QVariant>& arguments : moved)
            gestures += arguments.at(1).toBool() ? 1 : 0;
        QCOMPARE(gestures, 1);
    }
    void speaksToScreenReaders() {
        Look look(ThemeChoice::Light);
        BudgetTrack track(look);
        track.setPeak(Bytes{10} << 30);
        track.setFraction(0.25);
        QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(&track);
        QVERIFY(accessible);
        QCOMPARE(accessible->role(), QAccessible::Slider);
        QCOMPARE(accessible->text(QAccessible::Value), QStringLiteral("25.0 %, 2.50 GiB"));
        QVERIFY(!accessible->text(QAccessible::Name).isEmpty());
        QVERIFY(accessible->valueInterface());
        accessible->valueInterface()->setCurrentValue(40.0);
        QCOMPARE(track.fraction(), 0.4);
    }
    void bothFieldsAreEditable() {
        WindowFixture f;
        QVERIFY(f.open("gpt2-xl"));
        BudgetBar& bar = f.window->budgetBar();
        type(bar.percentField(), QStringLiteral("62.5"));
        QCOMPARE(f.session.budgetFraction(), 0.625);
        QCOMPARE(bar.track().fraction(), 0.625);
        type(bar.percentField(), QStringLiteral("33,5")); // a comma counts as a point
        QCOMPARE(f.session.budgetFraction(), 0.335);
        type(bar.bytesField(), QStringLiteral("4"));
        QCOMPARE(f.session.budgetBytes(), Bytes{4} << 30);
        QVERIFY(f.settle());
        QCOMPARE(f.session.planned()->plan->budgetBytes, Bytes{4} << 30);
        type(bar.bytesField(), QStringLiteral("900")); // more than the peak
        QCOMPARE(f.session.budgetFraction(), 1.0);
        QVERIFY(bar.bytesField().value() < 100);
        QCOMPARE(f.controller.undoStack().count(), 4);
    }
    void smallProfilesCountInTheirOwnUnit() {
        WindowFixture f;
        QVERIFY(f.open("gpt2-xl"));
        QCOMPARE(f.window->budgetBar().bytesField().suffix().trimmed(), QStringLiteral("GiB"));
        Scenario scenario = f.controller.wantedScenario();
        scenario.options.batch = 1;
        scenario.options.sequence = 16;
        f.controller.setScenario(scenario);
        QVERIFY(slackscope::test::waitFor([&] { return f.session.step()->scenario == scenario; }));
        QVERIFY(f.settle());
        QCOMPARE(f.window->budgetBar().bytesField().suffix().trimmed(), QStringLiteral("MiB"));
    }
    void budgetsOfAnySizeFitTheirField_data() {
        QTest::addColumn<double>("factor"); // of a profile with a peak of some GiB
        QTest::addColumn<QString>("unit");
        QTest::newRow("GiB") << 1.0 << QStringLiteral("GiB");
        QTest::newRow("TiB") << 1024.0 << QStringLiteral("TiB");
        QTest::newRow("PiB") << 1024.0 * 1024 * 0.25 << QStringLiteral("PiB"); // sizes may not pass 8 in all
    }
    void budgetsOfAnySizeFitTheirField() {
        QFETCH(double, factor);
        QFETCH(QString, unit);
        Profile profile = test::layeredProfile(4);
        const Bytes peak = unlimitedPeak(StepGraph::build(profile).value());
        const double scale = factor * 4.9 * 1024 * 1024 * 1024 / static_cast<double>(peak);
        const auto scaled = [&](Bytes& bytes) {
            bytes = static_cast<Bytes>(static_cast<double>(bytes) * scale);
        };
        for (Tensor& tensor : profile.tensors) {
            scaled(tensor.bytes);
            scaled(tensor.gradientBytes);
        }
        for (Operator& op : profile.operators) {
            scaled(op.forwardWorkspaceBytes);
            scaled(op.backwardWorkspaceBytes);
        }
        WindowFixture f;
        QVERIFY(f.open(f.file(QStringLiteral("large.json"), QByteArray::fromStdString(writeProfile(profile)))
                           .toStdString()));
        NumberField& field = f.window->budgetBar().bytesField();
        QCOMPARE(field.suffix().trimmed(), unit);
        f.controller.setBudgetFraction(1, f.controller.nextGesture());
        const auto* edit = field.findChild<QLineEdit*>();
        QVERIFY2(edit->fontMetrics().horizontalAdvance(field.text()) <= edit->contentsRect().width() - 4,
                 qPrintable(field.text()));
        // What is typed is what is meant.
        type(field, QString::number(field.value() / 2, 'f', 2));
        QVERIFY(std::abs(f.session.budgetFraction() - 0.5) < 0.01);
        QVERIFY(f.settle());
    }
};

QTEST_MAIN(TestBudget)
#include "test_budget.moc"
