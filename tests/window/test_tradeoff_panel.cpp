// The tradeoff dock: its marker is the budget, the sweep behind it shows how far it is and can be stopped.
#include "window_fixture.h"

#include "core/profile/profile_json.h"
#include "tests/support/profiles.h"
#include "ui/budget/budget_bar.h"
#include "ui/budget/budget_track.h"
#include "ui/figures/tradeoff_plot.h"
#include "ui/look/fields.h"
#include "ui/tradeoff/tradeoff_panel.h"
#include "ui/window/export_dialog.h"

#include <QAction>
#include <QDockWidget>
#include <QProgressBar>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>

#include <atomic>
#include <stdexcept>

using namespace slackscope;
using slackscope::test::waitFor;
using slackscope::test::WindowFixture;

namespace {

bool swept(WindowFixture& f) {
    return waitFor([&] { return f.controller.sweep().isComplete(); }, 60000);
}

// A profile whose sweep is over in no time.
QString smallProfile(WindowFixture& f, int layers = 2) {
    return f.file(QStringLiteral("%1.profile.json").arg(layers),
                  QByteArray::fromStdString(writeProfile(test::layeredProfile(layers))));
}

} // namespace

class TestTradeoffPanel : public QObject {
    Q_OBJECT
private slots:
    void theMarkerIsTheBudget() {
        WindowFixture f({1600, 900});
        QVERIFY(f.open(smallProfile(f).toStdString()));
        QVERIFY(swept(f));
        figures::TradeoffPlot& plot = f.window->tradeoff().plot();
        const QPoint start = plot.markerPosition().toPoint();
        const double width = plot.places().area().width();
        QTest::mousePress(&plot, Qt::LeftButton, {}, start);
        for (int i = 1; i <= 12; ++i)
            QTest::mouseMove(&plot, start + QPoint(4 * i, -3));
        QTest::mouseRelease(&plot, Qt::LeftButton, {}, start + QPoint(48, -3));
        QVERIFY(std::abs(f.session.budgetFraction() - (0.5 + 48 / width)) < 0.005);
        QCOMPARE(f.window->budgetBar().track().fraction(), f.session.budgetFraction());
        QVERIFY(f.settle());
        QCOMPARE(f.window->stepPlot().picture()->plan().budgetBytes, f.session.budgetBytes());
        // One drag, one step back; and the marker follows the other handles.
        QCOMPARE(f.controller.undoStack().count(), 1);
        f.controller.undoStack().undo();
        QCOMPARE(f.session.budgetFraction(), 0.5);
        QCOMPARE(plot.markerPosition().toPoint(), start);
        QTest::keyClick(&plot, Qt::Key_PageUp);
        QCOMPARE(f.session.budgetFraction(), 0.55);
        QVERIFY(std::abs(plot.markerPosition().x() - start.x() - 0.05 * width) < 2);
    }
    void showsEveryStrategyAndTheBound() {
        WindowFixture f({1600, 900});
        QVERIFY(f.open(smallProfile(f).toStdString()));
        QVERIFY(swept(f));
        QVERIFY(!f.window->tradeoff().progressBar().isVisible());
        QVERIFY(!f.window->tradeoff().sweepButton().isVisible());
        const auto curves = f.window->tradeoff().curves();
        QVERIFY(curves);
        QCOMPARE(curves->curves.size(), strategies().size());
        QVERIFY(!curves->bound.empty());
        const SweepProgress& sweep = f.controller.sweep();
        for (const figures::TradeoffCurve& curve : curves->curves) {
            QVERIFY(!curve.points.empty());
            const SweepCurve* from = sweep.find(curve.id);
            QCOMPARE(curve.minimumBudget, from->minimumBudgetBytes);
            QCOMPARE(curve.points.front().budget, *from->minimumBudgetBytes);
            for (const figures::TradeoffPoint& point : curve.points) {
                const auto found =
                    std::find_if(from->points.begin(), from->points.end(),
                                 [&](const SweepPoint& other) { return other.budgetBytes == point.budget; });
                QVERIFY(found != from->points.end() && found->throughputOfIdeal == point.throughput);
            }
        }
        QVERIFY(f.window->tradeoff().plot().accessibleDescription().contains(QStringLiteral("50.0 %")));
    }
    void aNameChoosesItsStrategy() {
        WindowFixture f({1600, 900});
        QVERIFY(f.open(smallProfile(f).toStdString()));
        QVERIFY(swept(f));
        figures::TradeoffPlot& plot = f.window->tradeoff().plot();
        for (const figures::TradeoffLabel& label : plot.places().labels()) {
            const std::string id = plot.curves()->curves[static_cast<std::size_t>(label.curve)].id;
            if (id == f.session.strategy())
                continue;
            QTest::mouseClick(&plot, Qt::LeftButton, {}, label.rect.center().toPoint());
            QCOMPARE(f.session.strategy(), id);
            QVERIFY(f.settle());
            f.controller.undoStack().undo();
            return;
        }
        QFAIL("no other strategy is named");
    }
    void theSweepShowsProgressAndCanBeCancelled() {
        WindowFixture f({1600, 900});
        TradeoffPanel& panel = f.window->tradeoff();
        f.controller.open("gpt2-xl");
        QVERIFY(waitFor([&] { return panel.progressBar().isVisible() && panel.progressBar().value() > 0; }));
        QCOMPARE(panel.sweepButton().text(), QStringLiteral("Cancel"));
        panel.sweepButton().click();
        QVERIFY(!f.controller.sweep().isRunning);
        QVERIFY(!panel.progressBar().isVisible());
        const double fraction = f.controller.sweep().fraction;
        QVERIFY(f.settle());
        QCOMPARE(f.controller.sweep().fraction, fraction);
        QCOMPARE(panel.sweepButton().text(), QStringLiteral("Resume"));
        panel.sweepButton().click();
        QVERIFY(f.controller.sweep().isRunning);
        QVERIFY(panel.progressBar().isVisible());
        QVERIFY(waitFor([&] { return f.controller.sweep().fraction > fraction; }, 60000));
        panel.sweepButton().click();
        QVERIFY(!f.controller.sweep().isRunning);
    }
    void aFailedSweepCanBeTriedAgain() {
        std::atomic<bool> fails = true;
        Session session("slackswap");
        SessionController controller(
            session, [&](const SweepRequest& request, SweepObserver* observer, const StopRequested& stop) {
                if (fails)
                    throw std::runtime_error("broken");
                return runSweep(request, observer, stop);
            });
        const Look look(ThemeChoice::Light);
        TradeoffPanel panel(controller, look);
        panel.resize(300, 300);
        panel.show();
        WindowFixture files;
        controller.open(smallProfile(files).toStdString());
        QVERIFY(waitFor([&] { return !controller.sweep().failure.isEmpty(); }));
        QVERIFY(!panel.progressBar().isVisible());
        QVERIFY(panel.sweepButton().isVisible());
        QCOMPARE(panel.sweepButton().text(), QStringLiteral("Try again"));
        QVERIFY(!panel.curves());
        fails = false;
        panel.sweepButton().click();
        QVERIFY(waitFor([&] { return controller.sweep().isComplete(); }, 60000));
        QVERIFY(panel.curves() && !panel.sweepButton().isVisible());
    }
    void oldCurvesStayGreyedUntilThereAreNewOnes() {
        WindowFixture f({1600, 900});
        QVERIFY(f.open(smallProfile(f).toStdString()));
        QVERIFY(swept(f));
        figures::TradeoffPlot& plot = f.window->tradeoff().plot();
        const auto before = plot.curves();
        QVERIFY(before && !plot.isStale());
        bool wasStale = false;
        QObject::connect(&f.session, &Session::stepChanged, &plot, [&] {
            wasStale = plot.isStale() && plot.curves() == before && !f.window->tradeoff().curves();
        });
        QVERIFY(f.open(smallProfile(f, 3).toStdString()));
        QVERIFY(swept(f));
        QVERIFY(wasStale);
        QVERIFY(!plot.isStale() && plot.curves() != before);
        QCOMPARE(plot.curves()->unlimitedPeak, f.session.step()->unlimitedPeakBytes);
    }
    void theDockIsOneOfTheOthers() {
        WindowFixture f({1600, 900});
        auto* dock = f.window->findChild<QDockWidget*>(QStringLiteral("tradeoff"));
        QVERIFY(dock && dock->isVisible());
        f.action(QStringLiteral("Tradeoff"))->trigger();
        QVERIFY(!dock->isVisible());
        f.window->close();
        f.window = std::make_unique<MainWindow>(f.controller, f.look, f.settings);
        f.window->show();
        dock = f.window->findChild<QDockWidget*>(QStringLiteral("tradeoff"));
        QVERIFY(!dock->isVisible());
        f.action(QStringLiteral("Reset Layout"))->trigger();
        QVERIFY(dock->isVisible());
    }
    void exportsTheTradeoff() {
        WindowFixture f({1600, 900});
        QVERIFY(f.open(smallProfile(f).toStdString()));
        QVERIFY(swept(f));
        ExportDialog* dialog = f.window->openExportDialog();
        for (ChoiceField* field : dialog->findChildren<ChoiceField*>()) {
            for (const QString& choice : {QStringLiteral("Tradeoff"), QStringLiteral("SVG")}) {
                if (const int index = field->findText(choice); index >= 0)
                    field->setCurrentIndex(index);
            }
        }
        QCOMPARE(dialog->request().view, figures::FigureView::Tradeoff);
        const QString path = f.path(QStringLiteral("tradeoff.svg"));
        QSignalSpy written(dialog, &ExportDialog::written);
        dialog->saveTo(path);
        QVERIFY(written.wait());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        QCOMPARE(bytes, *figures::renderFigure(f.session.planned()->picture, dialog->request()));
        QVERIFY(bytes.contains("simulated throughput, % of ideal"));
    }
};

QTEST_MAIN(TestTradeoffPanel)
#include "test_tradeoff_panel.moc"
