// The session: newest requests win, what is refused changes nothing, and undo takes back what was done.
#include "window_fixture.h"

#include "core/planner/strategy.h"
#include "core/profile/profile_json.h"
#include "tests/support/profiles.h"
#include "ui/session/newest_worker.h"

#include <QFile>
#include <QSignalSpy>
#include <QThread>
#include <QtTest>

#include <atomic>
#include <new>
#include <stdexcept>
#include <utility>

using namespace slackscope;
using slackscope::test::SessionFixture;
using slackscope::test::waitFor;

namespace {

QByteArray profileText(int layers) {
    return QByteArray::fromStdString(writeProfile(test::layeredProfile(layers)));
}

} // namespace

class TestSession : public QObject {
    Q_OBJECT
private slots:
    void aWaitingTaskIsReplaced() {
        NewestWorker worker;
        std::atomic<bool> go = false;
        std::atomic<bool> started = false;
        std::vector<int> ran;
        std::atomic<bool> done = false;
        worker.submit(1, [&](const StopRequested&) {
            started = true;
            while (!go)
                QThread::msleep(1);
            ran.push_back(0);
        });
        QVERIFY(waitFor([&] { return started.load(); }));
        for (int i = 1; i < 100; ++i)
            worker.submit(1, [&ran, i](const StopRequested&) { ran.push_back(i); });
        worker.submit(1, [&](const StopRequested&) {
            ran.push_back(100);
            done = true;
        });
        go = true;
        QVERIFY(waitFor([&] { return done.load(); }));
        QCOMPARE(ran, (std::vector<int>{0, 100}));
    }
    void runningWorkIsToldToStop_data() {
        QTest::addColumn<int>("nextGroup");
        QTest::addColumn<bool>("stops");
        QTest::newRow("the same group") << 1 << false;
        QTest::newRow("another group") << 2 << true;
        QTest::newRow("cancel") << 0 << true;
    }
    void runningWorkIsToldToStop() {
        QFETCH(int, nextGroup);
        QFETCH(bool, stops);
        NewestWorker worker;
        std::atomic<bool> started = false;
        std::atomic<bool> asked = false;
        std::atomic<bool> stopped = false;
        std::atomic<bool> done = false;
        worker.submit(1, [&](const StopRequested& stop) {
            started = true;
            while (!asked)
                QThread::msleep(1);
            stopped = stop();
            done = true;
        });
        QVERIFY(waitFor([&] { return started.load(); }));
        if (nextGroup == 0)
            worker.cancel();
        else
            worker.submit(static_cast<quint64>(nextGroup), [](const StopRequested&) {});
        asked = true;
        QVERIFY(waitFor([&] { return done.load(); }));
        QCOMPARE(stopped.load(), stops);
    }
    void plansAtOnce() {
        SessionFixture f;
        QVERIFY(f.open("gpt2-xl"));
        QCOMPARE(f.session.strategy(), std::string("slackswap"));
        QCOMPARE(f.session.budgetFraction(), 0.5);
        const Plan& plan = *f.session.planned()->plan;
        QVERIFY(plan.feasible());
        QCOMPARE(plan.budgetBytes, f.session.budgetBytes());
        QVERIFY(plan.simulated->timeline.peakBytes <= plan.budgetBytes);
        QCOMPARE(f.session.planned()->picture->stepNs(), plan.stepNs());
    }
    void refinesWhileNobodyAsks() {
        Session session;
        SessionController controller(session);
        QCOMPARE(session.strategy(), std::string(strategies().front()->id));
        std::vector<Nanoseconds> shown;
        connect(&session, &Session::planChanged, &session,
                [&] { shown.push_back(session.planned()->plan->stepNs()); });
        controller.open("gpt2-xl");
        controller.setBudgetFraction(0.4, controller.nextGesture());
        QVERIFY(waitFor([&] { return session.planned() && session.isCurrent(); }));
        const auto prepared = findStrategy(session.strategy())->prepare(session.step()->graph, {}, {});
        refineFully(*prepared, {});
        const Plan best = prepared->plan(session.budgetBytes());
        QVERIFY(waitFor([&] { return session.planned()->plan->stepNs() == best.stepNs(); }));
        QCOMPARE(session.planned()->plan->decisions, best.decisions);
        QVERIFY(std::is_sorted(shown.rbegin(), shown.rend())); // it only gets better
    }
    void theLastOfAFloodIsShown() {
        SessionFixture f;
        QVERIFY(f.open("bert-large"));
        QSignalSpy plans(&f.session, &Session::planChanged);
        const int gesture = f.controller.nextGesture();
        std::vector<Bytes> shown;
        connect(&f.session, &Session::planChanged, &f.session,
                [&] { shown.push_back(f.session.planned()->request.budgetBytes); });
        for (int i = 0; i < 400; ++i) {
            f.controller.setBudgetFraction(0.2 + 0.002 * i, gesture);
            if (i % 20 == 0)
                QCoreApplication::processEvents();
        }
        QVERIFY(f.settle());
        QVERIFY(plans.count() < 400);
        // Budgets only rose, so an older answer after a newer one would show as a fall.
        QVERIFY(std::is_sorted(shown.begin(), shown.end()));
        const Plan expected = findStrategy("slackswap")
                                  ->prepare(f.session.step()->graph, {}, {})
                                  ->plan(f.session.budgetBytes());
        QCOMPARE(f.session.budgetFraction(), 0.2 + 0.002 * 399);
        QCOMPARE(f.session.planned()->plan->stepNs(), expected.stepNs());
        QCOMPARE(f.session.planned()->plan->decisions, expected.decisions);
    }
    void aFloodOfStrategiesEndsAtTheLast() {
        SessionFixture f;
        QVERIFY(f.open("bert-large"));
        for (int round = 0; round < 10; ++round) {
            for (const StrategyInfo* info : strategies())
                f.controller.setStrategy(std::string(info->id));
        }
        f.controller.setStrategy("sqrt-n");
        QVERIFY(f.settle());
        QCOMPARE(f.session.planned()->plan->strategy, std::string("sqrt-n"));
    }
    void scenarioChangesKeepThePercentage() {
        SessionFixture f;
        QVERIFY(f.open("bert-large"));
        f.controller.setBudgetFraction(0.37, f.controller.nextGesture());
        const Bytes before = f.session.budgetBytes();
        Scenario scenario = f.controller.wantedScenario();
        scenario.options.batch = 4;
        f.controller.setScenario(scenario);
        QVERIFY(waitFor([&] { return f.session.step()->scenario == scenario; }));
        QVERIFY(f.settle());
        QCOMPARE(f.session.budgetFraction(), 0.37);
        QVERIFY(f.session.budgetBytes() < before / 4);
        QCOMPARE(f.session.planned()->plan->budgetBytes, f.session.budgetBytes());
    }
    void aRefusedInputChangesNothing_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("not JSON") << QByteArray("hello");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("bytes") << QByteArray("\xff\xfe\x00\x01", 4);
        QTest::newRow("an unknown version") << QByteArray(R"({"format":"slackscope-profile","version":99})");
        QTest::newRow("half a profile") << profileText(2).left(300);
    }
    void aRefusedInputChangesNothing() {
        QFETCH(QByteArray, bytes);
        QTemporaryDir directory;
        const QString path = directory.filePath(QStringLiteral("broken.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        file.close();
        SessionFixture f;
        QVERIFY(f.open("bert-large"));
        const PlannedStepPtr before = f.session.planned();
        QSignalSpy failed(&f.controller, &SessionController::failed);
        f.controller.open(path.toStdString());
        QVERIFY(failed.wait());
        const QString sentence = failed.first().first().toString();
        QVERIFY2(sentence.contains(QStringLiteral("broken.json")), qPrintable(sentence));
        QCOMPARE(f.session.planned(), before);
        QCOMPARE(f.controller.wantedScenario().input, std::string("bert-large"));
        QVERIFY(!f.controller.isBusy());
        QVERIFY(!f.controller.undoStack().canUndo());
    }
    void aDragIsOneUndoStep() {
        SessionFixture f;
        QVERIFY(f.open("bert-large"));
        const int drag = f.controller.nextGesture();
        for (const double fraction : {0.51, 0.55, 0.6, 0.7})
            f.controller.setBudgetFraction(fraction, drag);
        f.controller.setBudgetFraction(0.3, f.controller.nextGesture());
        QCOMPARE(f.controller.undoStack().count(), 2);
        f.controller.undoStack().undo();
        QCOMPARE(f.session.budgetFraction(), 0.7);
        f.controller.undoStack().undo();
        QCOMPARE(f.session.budgetFraction(), 0.5);
        QVERIFY(!f.controller.undoStack().canUndo());
        f.controller.undoStack().redo();
        QCOMPARE(f.session.budgetFraction(), 0.7);
        QVERIFY(f.settle());
        QCOMPARE(f.session.planned()->plan->budgetBytes, f.session.budgetBytes());
    }
    void aDragBackToItsStartIsNone() {
        SessionFixture f;
        QVERIFY(f.open("bert-large"));
        const int drag = f.controller.nextGesture();
        for (const double fraction : {0.6, 0.7, 0.5})
            f.controller.setBudgetFraction(fraction, drag);
        QVERIFY(!f.controller.undoStack().canUndo());
    }
    void undoTakesBackScenarioAndStrategy() {
        SessionFixture f;
        QVERIFY(f.open("bert-large"));
        f.controller.setStrategy("recompute-all");
        QVERIFY(f.open("gpt2"));
        f.controller.undoStack().undo();
        QCOMPARE(f.session.step()->scenario.input, std::string("bert-large"));
        QCOMPARE(f.controller.wantedScenario().input, std::string("bert-large"));
        QCOMPARE(f.session.strategy(), std::string("recompute-all"));
        f.controller.undoStack().undo();
        QCOMPARE(f.session.strategy(), std::string("slackswap"));
        QVERIFY(f.settle());
        QCOMPARE(f.session.planned()->request.step, f.session.step());
        QCOMPARE(f.session.planned()->plan->strategy, std::string("slackswap"));
    }
    void undoBeatsALoadUnderWay() {
        SessionFixture f;
        QVERIFY(f.open("bert-large"));
        f.controller.setStrategy("sqrt-n");
        QVERIFY(f.open("gpt2"));
        f.controller.open("llama-7b");
        f.controller.undoStack().undo();
        QTest::qWait(300);
        QVERIFY(f.settle());
        QCOMPARE(f.session.step()->scenario.input, std::string("bert-large"));
    }
    void cancelKeepsTheOldPicture() {
        SessionFixture f;
        QVERIFY(f.open("bert-large"));
        const PlannedStepPtr before = f.session.planned();
        QSignalSpy cancelled(&f.controller, &SessionController::cancelled);
        f.controller.setBudgetFraction(0.8, f.controller.nextGesture());
        f.controller.cancel();
        QCOMPARE(cancelled.count(), 1);
        QTest::qWait(200);
        QCOMPARE(f.session.planned(), before);
        QVERIFY(!f.session.isCurrent());
        f.controller.resume();
        QVERIFY(f.settle());
        QVERIFY(f.session.isCurrent());
    }
    void aLoadThatWasCancelledCanBeTriedAgain() {
        SessionFixture f;
        QVERIFY(f.open("bert-large"));
        f.controller.open("gpt2");
        f.controller.cancel();
        QCOMPARE(f.controller.wantedScenario().input, std::string("bert-large"));
        f.controller.resume();
        QVERIFY(waitFor([&] { return f.session.step()->scenario.input == "gpt2"; }));
        QVERIFY(f.settle());
        QVERIFY(f.session.isCurrent());
    }
    void anotherProfileClearsTheSelection() {
        SessionFixture f;
        QVERIFY(f.open("bert-large"));
        Selection selection;
        selection.tensors = {f.session.step()->graph->savedTensors().front()};
        f.session.setSelection(selection);
        f.controller.setBudgetFraction(0.4, f.controller.nextGesture());
        QVERIFY(f.settle());
        QCOMPARE(f.session.selection(), selection); // another budget keeps it
        QVERIFY(f.open("gpt2"));
        QVERIFY(f.session.selection().empty());
    }
    void findsTheBoundOnceTheBudgetRests() {
        SessionFixture f;
        QVERIFY(f.open("bert-large"));
        for (const double fraction : {0.5, 0.4}) {
            f.controller.setBudgetFraction(fraction, f.controller.nextGesture());
            QVERIFY(f.settle());
            const Plan& plan = *f.session.planned()->plan;
            QVERIFY(waitFor([&] { return f.session.lowerBoundNs() > plan.lowerBoundNs; }, 60000));
            // The solver starts from the budget before: the last digits may differ from a fresh start.
            const Nanoseconds fresh = LowerBound(plan.graph).stepNs(plan.budgetBytes, plan.stepNs());
            QVERIFY(std::abs(f.session.lowerBoundNs() - fresh) <= fresh / 1'000'000);
            QVERIFY(f.session.lowerBoundNs() <= plan.stepNs());
        }
        // A bound of another budget is never shown.
        f.controller.setBudgetFraction(0.9, f.controller.nextGesture());
        QVERIFY(f.settle());
        QVERIFY(f.session.lowerBoundNs() <= f.session.planned()->plan->stepNs());
    }
    void sweepsInTheBackground() {
        SessionFixture f;
        QVERIFY(f.open("bert-large"));
        bool isKnown = false;
        bool isFirst = false; // the strategy in use, perhaps with others
        QObject::connect(&f.controller, &SessionController::sweepChanged, [&] {
            const SweepProgress& known = f.controller.sweep();
            if (std::exchange(isKnown, isKnown || known.fraction > 0) || !isKnown)
                return;
            isFirst = !known.find(f.session.strategy())->points.empty();
        });
        QVERIFY(waitFor([&] { return f.controller.sweep().isComplete(); }, 60000));
        const SweepProgress& progress = f.controller.sweep();
        QVERIFY(isKnown && isFirst);
        QCOMPARE(progress.step, f.session.step());
        QCOMPARE(progress.fraction, 1.0);
        QVERIFY(!progress.isRunning);
        QCOMPARE(progress.sweep.curves.size(), strategies().size());
        QVERIFY(progress.sweep.bound.size() >= progress.sweep.grid.size());
        for (const SweepCurve& curve : progress.sweep.curves) {
            const auto prepared = findStrategy(curve.strategy)->prepare(f.session.step()->graph, {}, {});
            refineFully(*prepared, {});
            QVERIFY(curve.points.size() >= progress.sweep.grid.size());
            for (std::size_t i = 0; i < curve.points.size(); i += 7)
                QCOMPARE(curve.points[i], sweepPointOf(prepared->plan(curve.points[i].budgetBytes)));
            QCOMPARE(curve.minimumBudgetBytes, prepared->plan(0).minimumBudgetBytes);
            const auto first = std::find_if(curve.points.begin(), curve.points.end(),
                                            [](const SweepPoint& point) { return point.feasible; });
            QCOMPARE(first->budgetBytes, *curve.minimumBudgetBytes);
        }
        const Effects swept = f.controller.sweepEffects();
        QVERIFY(!swept.isOld);
        const std::vector<EffectPoint>& effects = swept.points;
        QCOMPARE(effects.size(), progress.find(f.session.strategy())->points.size());
        QCOMPARE(effects.front().effect, BudgetEffect::Infeasible);
        QCOMPARE(effects.back().effect, BudgetEffect::Free);
        // Another strategy is there already, and its colours are its own.
        f.controller.setStrategy("keep-all");
        QVERIFY(f.controller.sweep().isComplete());
        QCOMPARE(f.controller.sweepEffects().points.size(), progress.find("keep-all")->points.size());
    }
    // What a sweep found after its last report is there when another begins.
    void aRestartLosesNothing() {
        std::atomic<int> runs = 0;
        Session session("slackswap");
        SessionController controller(session,
                                     [&](const SweepRequest& request, SweepObserver* observer,
                                         const StopRequested& stop) -> std::optional<Sweep> {
                                         if (++runs == 1) {
                                             observer->minimumFound(0, 1000);
                                             SweepPoint point;
                                             point.budgetBytes = 1000;
                                             observer->pointFound(0, point);
                                         }
                                         while (!stop())
                                             QThread::msleep(1);
                                         return request.strategies.empty() ? Sweep{} : std::optional<Sweep>();
                                     });
        controller.open("bert-large");
        QVERIFY(waitFor([&] { return runs == 1; }));
        QTest::qWait(20);
        QVERIFY(controller.sweep().find("slackswap")->points.empty()); // not reported
        controller.resumeSweep();
        QCOMPARE(controller.sweep().find("slackswap")->points.size(), std::size_t{1});
        QCOMPARE(controller.sweep().find("slackswap")->minimumBudgetBytes, std::optional<Bytes>(1000));
        QVERIFY(waitFor([&] { return runs == 2; }));
        controller.cancelSweep();
        QCOMPARE(controller.sweep().find("slackswap")->points.size(), std::size_t{1});
        QVERIFY(!controller.sweep().isRunning && controller.sweep().failure.isEmpty());
    }
    void aFailedSweepSaysSo_data() {
        QTest::addColumn<bool>("outOfMemory");
        QTest::addColumn<QString>("words");
        QTest::newRow("memory") << true << QStringLiteral("more memory than this computer can give");
        QTest::newRow("fault") << false << QStringLiteral("internal error: broken");
    }
    void aFailedSweepSaysSo() {
        QFETCH(bool, outOfMemory);
        QFETCH(QString, words);
        std::atomic<bool> fails = true;
        Session session("slackswap");
        SessionController controller(
            session, [&](const SweepRequest& request, SweepObserver* observer, const StopRequested& stop) {
                if (!fails)
                    return runSweep(request, observer, stop);
                if (outOfMemory)
                    throw std::bad_alloc();
                throw std::runtime_error("broken");
            });
        QSignalSpy failed(&controller, &SessionController::failed);
        controller.open("bert-large");
        QVERIFY(waitFor([&] { return !controller.sweep().failure.isEmpty(); }));
        QCOMPARE(failed.count(), 1);
        QVERIFY(failed.first().first().toString().contains(words));
        QVERIFY(controller.sweep().failure.contains(words));
        QVERIFY(!controller.sweep().isRunning && !controller.sweep().isComplete());
        QVERIFY(session.isCurrent() || waitFor([&] { return session.isCurrent(); })); // the plan is there
        fails = false;
        controller.resumeSweep();
        QVERIFY(controller.sweep().isRunning && controller.sweep().failure.isEmpty());
        QVERIFY(waitFor([&] { return controller.sweep().isComplete(); }, 60000));
    }
    void sweepsAreCancelledAndGoOn() {
        SessionFixture f;
        QVERIFY(f.open("bert-large"));
        QVERIFY(waitFor([&] { return f.controller.sweep().fraction > 0; }, 60000));
        f.controller.cancelSweep();
        const SweepProgress stopped = f.controller.sweep();
        QVERIFY(!stopped.isRunning);
        QVERIFY(!stopped.isComplete());
        QTest::qWait(150);
        QCOMPARE(f.controller.sweep().fraction, stopped.fraction);
        QVERIFY(f.controller.sweep().sweep == stopped.sweep);
        f.controller.resumeSweep();
        QVERIFY(f.controller.sweep().isRunning);
        QVERIFY(waitFor([&] { return f.controller.sweep().isComplete(); }, 60000));
        for (std::size_t i = 0; i < stopped.sweep.curves.size(); ++i) { // nothing is lost
            for (const SweepPoint& point : stopped.sweep.curves[i].points) {
                const auto& points = f.controller.sweep().sweep.curves[i].points;
                QVERIFY(std::find(points.begin(), points.end(), point) != points.end());
            }
        }
        // Another step starts from nothing; the colours of the track stay, as old ones, until there are new
        // ones.
        const Effects before = f.controller.sweepEffects();
        bool staysAsOld = true;
        bool isKnownAgain = false;
        const auto look = [&] {
            const Effects now = f.controller.sweepEffects();
            isKnownAgain = isKnownAgain || (!now.isOld && f.session.step()->scenario.input == "llama-7b");
            staysAsOld = staysAsOld && (isKnownAgain ? !now.isOld : now.points == before.points);
        };
        QObject::connect(&f.controller, &SessionController::sweepChanged, look);
        QVERIFY(f.open("llama-7b"));
        QVERIFY(waitFor([&] { return isKnownAgain; }, 60000));
        QVERIFY(staysAsOld);
        QVERIFY(waitFor([&] { return f.controller.sweep().step == f.session.step(); }));
        QVERIFY(!f.controller.sweep().isComplete());
    }
};

QTEST_MAIN(TestSession)
#include "test_session.moc"
