// Pins and what-ifs: what is shown is simulated, what is pinned is planned so, and all of it can be undone.
#include "window_fixture.h"

#include "core/planner/what_if.h"
#include "core/profile/profile_json.h"
#include "tests/support/profiles.h"
#include "ui/figures/format.h"
#include "ui/headline/headline.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/inspector/pin_list.h"
#include "ui/inspector/reason.h"
#include "ui/inspector/what_if_panel.h"
#include "ui/window/message_bar.h"

#include <QAction>
#include <QPushButton>
#include <QToolButton>
#include <QTreeWidget>
#include <QtTest>

using namespace slackscope;
using slackscope::test::waitFor;
using slackscope::test::WindowFixture;

namespace {

const QString pending = QStringLiteral("…");

struct PinsFixture : WindowFixture {
    explicit PinsFixture(const std::string& input = "gpt2-xl") : WindowFixture({1280, 720}) {
        controller.setStrategy("slackswap");
        if (!open(input))
            qFatal("the input does not open");
    }
    TensorIndex tensor(const std::string& id) const {
        const auto& tensors = session.step()->graph->profile().tensors;
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            if (tensors[i].id == id)
                return static_cast<TensorIndex>(i);
        }
        return none;
    }
    TensorIndex select(const std::string& id) {
        const TensorIndex t = tensor(id);
        Selection selection;
        selection.tensors = {t};
        session.setSelection(selection);
        return t;
    }
    WhatIfPanel& whatIf() const { return window->inspector().whatIf(); }
    PinList& pins() const { return window->inspector().pins(); }
    Decision decided(TensorIndex t) const {
        return session.planned()->plan->decisions[static_cast<std::size_t>(t)];
    }
    // Whether the panel shows these answers.
    bool shows(Rest rest, const WhatIfs& answers) const {
        for (const Decision decision : allDecisions) {
            const WhatIf& answer = answers[static_cast<std::size_t>(decision)];
            if (answer.outcome == WhatIf::Outcome::Runs &&
                whatIf().stepText(decision, rest) != figures::formatTime(answer.stepNs))
                return false;
            if (answer.outcome == WhatIf::Outcome::OverBudget &&
                whatIf().differenceText(decision, rest) != figures::formatBytes(answer.missingBytes))
                return false;
            if (answer.outcome == WhatIf::Outcome::Impossible &&
                whatIf().stepText(decision, rest) != QStringLiteral("no"))
                return false;
        }
        return true;
    }
};

Reason example(Reason::Kind kind, Decision decision) {
    Reason reason;
    reason.kind = kind;
    reason.decision = decision;
    reason.bytes = Bytes{4} << 20;
    reason.outNs = reason.backNs = 500'000;
    reason.recompute = {80'000, 1, 3};
    reason.ranked = 9;
    reason.budgetBytes = Bytes{2} << 30;
    reason.peakBytes = Bytes{1} << 30;
    reason.unlimitedPeakBytes = Bytes{3} << 30;
    reason.linkUsedNs = 8'000'000;
    reason.linkNs = 9'000'000;
    return reason;
}

} // namespace

Q_DECLARE_METATYPE(slackscope::Reason)

class TestPins : public QObject {
    Q_OBJECT
private slots:
    void whatIfsAreSimulated_data() {
        QTest::addColumn<QString>("tensor");
        QTest::newRow("recomputed") << QStringLiteral("layer3.ln1.out");
        QTest::newRow("large") << QStringLiteral("layer47.gelu.out");
        QTest::newRow("offloaded") << QStringLiteral("layer0.qkv.out");
        QTest::newRow("profile input") << QStringLiteral("tokens");
        QTest::newRow("no gap") << QStringLiteral("loss.input_gradient");
    }
    void whatIfsAreSimulated() {
        QFETCH(QString, tensor);
        PinsFixture f;
        QVERIFY(f.whatIf().isHidden());
        const TensorIndex t = f.select(tensor.toStdString());
        QVERIFY(f.whatIf().isVisible());
        const Plan& plan = *f.session.planned()->plan;
        const WhatIfs held = whatIfHeld(plan, t, {}).value();
        const WhatIfs replanned = whatIfReplanned(plan, t, {}).value();
        QVERIFY(waitFor([&] { return f.shows(Rest::Held, held) && f.shows(Rest::Replanned, replanned); }));
        for (const Decision decision : allDecisions) {
            const bool now = decision == f.decided(t);
            QCOMPARE(f.whatIf().state(decision), now ? QStringLiteral("now") : QString());
            if (now)
                QCOMPARE(f.whatIf().differenceText(decision, Rest::Held), QStringLiteral("same"));
            const auto obstacle = obstacleTo(*plan.graph, t, decision);
            QCOMPARE(f.whatIf().pinButton(decision).isEnabled(), !obstacle);
            if (obstacle)
                QVERIFY(f.whatIf().pinButton(decision).accessibleName().contains(obstacleWords(*obstacle)));
        }
        f.session.setSelection({});
        QVERIFY(f.whatIf().isHidden());
    }

    void theNewestTensorWins() {
        PinsFixture f;
        for (const char* id : {"layer0.qkv.out", "layer1.qkv.out", "layer2.gelu.out", "layer3.ln1.out"})
            f.select(id);
        const TensorIndex t = f.select("layer4.gelu.out");
        const WhatIfs replanned = whatIfReplanned(*f.session.planned()->plan, t, {}).value();
        QVERIFY(waitFor([&] { return f.shows(Rest::Replanned, replanned); }));
        // Numbers of another tensor are never shown as this one's.
        f.select("layer5.qkv.out");
        QCOMPARE(f.whatIf().stepText(Decision::Keep, Rest::Held), pending);
        QCOMPARE(f.whatIf().stepText(Decision::Keep, Rest::Replanned), pending);
    }

    void oldNumbersStayWhileTheBudgetMoves() {
        PinsFixture f;
        const TensorIndex t = f.select("layer3.ln1.out");
        const WhatIfs before = whatIfReplanned(*f.session.planned()->plan, t, {}).value();
        QVERIFY(waitFor([&] { return f.shows(Rest::Replanned, before); }));
        QVERIFY(!f.whatIf().isOld(Rest::Held) && !f.whatIf().isOld(Rest::Replanned));
        const QImage fresh = f.whatIf().grab().toImage();
        // As old ones, at once.
        f.controller.setBudgetFraction(0.6, f.controller.nextGesture());
        QVERIFY(f.whatIf().isOld(Rest::Held) && f.whatIf().isOld(Rest::Replanned));
        QVERIFY(f.shows(Rest::Replanned, before));
        QVERIFY(f.whatIf().grab().toImage() != fresh);
        QVERIFY(f.settle());
        QVERIFY(f.whatIf().stepText(Decision::Keep, Rest::Held) != pending);
        const WhatIfs held = whatIfHeld(*f.session.planned()->plan, t, {}).value();
        const WhatIfs after = whatIfReplanned(*f.session.planned()->plan, t, {}).value();
        QVERIFY(waitFor([&] { return !f.whatIf().isOld(Rest::Held); }));
        QVERIFY(f.shows(Rest::Held, held));
        QVERIFY(waitFor([&] { return !f.whatIf().isOld(Rest::Replanned); }));
        QVERIFY(f.shows(Rest::Replanned, after));
        // Nothing is said of numbers that are not there.
        f.select("layer5.qkv.out");
        QVERIFY(!f.whatIf().isOld(Rest::Held) && !f.whatIf().isOld(Rest::Replanned));
    }

    void aPinIsOneUndoStep() {
        PinsFixture f;
        const TensorIndex t = f.select("layer3.ln1.out");
        QCOMPARE(f.decided(t), Decision::Recompute);
        const int steps = f.controller.undoStack().count();
        QVERIFY(f.whatIf().unpinButton().isHidden());
        f.whatIf().pinButton(Decision::Keep).setFocus();
        QTest::keyClick(&f.whatIf().pinButton(Decision::Keep), Qt::Key_Space);
        QCOMPARE(f.controller.undoStack().count(), steps + 1);
        QVERIFY(f.whatIf().pinButton(Decision::Keep).isChecked());
        QVERIFY(f.settle());
        QCOMPARE(f.decided(t), Decision::Keep);
        QCOMPARE(f.session.planned()->plan->pins, (Pins{{t, Decision::Keep}}));
        QCOMPARE(f.whatIf().state(Decision::Keep), QStringLiteral("now, pinned"));
        QVERIFY(f.window->inspector().reason().startsWith(QStringLiteral("You pinned it.")));
        // To something else: the old pin goes.
        QTest::mouseClick(&f.whatIf().pinButton(Decision::Offload), Qt::LeftButton);
        QVERIFY(!f.whatIf().pinButton(Decision::Keep).isChecked());
        QVERIFY(f.settle());
        QCOMPARE(f.decided(t), Decision::Offload);
        QCOMPARE(f.controller.undoStack().count(), steps + 2);
        f.controller.undoStack().undo();
        QVERIFY(f.settle());
        QCOMPARE(f.decided(t), Decision::Keep);
        f.controller.undoStack().undo();
        QVERIFY(f.settle());
        QCOMPARE(f.decided(t), Decision::Recompute);
        QVERIFY(f.session.pins().empty());
        f.controller.undoStack().redo();
        QVERIFY(f.settle());
        QVERIFY(f.whatIf().unpinButton().isVisible());
        QTest::mouseClick(&f.whatIf().unpinButton(), Qt::LeftButton);
        QVERIFY(f.settle());
        QCOMPARE(f.decided(t), Decision::Recompute);
        QVERIFY(f.whatIf().unpinButton().isHidden());
    }

    void aCheckedPinUnpins() {
        PinsFixture f;
        f.select("layer3.ln1.out");
        QTest::mouseClick(&f.whatIf().pinButton(Decision::Keep), Qt::LeftButton);
        QCOMPARE(f.session.pins().size(), std::size_t{1});
        QTest::mouseClick(&f.whatIf().pinButton(Decision::Keep), Qt::LeftButton);
        QVERIFY(f.session.pins().empty());
        QVERIFY(!f.whatIf().pinButton(Decision::Keep).isChecked());
    }

    void pinsAreListedAndCleared() {
        PinsFixture f;
        QAction* clear = f.action(QStringLiteral("Clear Pins"));
        QVERIFY(clear && !clear->isEnabled());
        QVERIFY(f.pins().isHidden());
        const std::vector<std::string> ids{"layer0.ln1.out", "layer1.ln1.out", "layer2.ln1.out",
                                           "layer3.ln1.out"};
        for (const std::string& id : ids)
            f.controller.setPin(f.tensor(id), Decision::Keep);
        QVERIFY(clear->isEnabled());
        QVERIFY(!f.pins().isHidden());
        QTreeWidget& list = f.pins().list();
        QCOMPARE(list.topLevelItemCount(), 4);
        QCOMPARE(list.topLevelItem(1)->text(0), QStringLiteral("layer1.ln1.out"));
        QCOMPARE(list.topLevelItem(1)->text(1), QStringLiteral("keep"));
        // The button of a row clears it; so does Delete. Both are undoable.
        auto* button = qobject_cast<QToolButton*>(list.itemWidget(list.topLevelItem(1), 2));
        QVERIFY(button && button->accessibleName().contains(QStringLiteral("layer1.ln1.out")));
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(waitFor([&] { return list.topLevelItemCount() == 3; }));
        QVERIFY(list.findItems(QStringLiteral("layer1.ln1.out"), Qt::MatchExactly).isEmpty());
        list.setCurrentItem(list.topLevelItem(2));
        QTest::keyClick(&list, Qt::Key_Delete);
        QCOMPARE(list.topLevelItemCount(), 2);
        // Enter selects the tensor.
        list.setCurrentItem(list.topLevelItem(1));
        QTest::keyClick(&list, Qt::Key_Return);
        QCOMPARE(f.session.selection().tensor(), f.tensor("layer2.ln1.out"));
        const int steps = f.controller.undoStack().count();
        QTest::mouseClick(&f.pins().clearAllButton(), Qt::LeftButton);
        QVERIFY(f.session.pins().empty());
        QVERIFY(f.pins().isHidden());
        QCOMPARE(f.controller.undoStack().count(), steps + 1);
        f.controller.undoStack().undo();
        QCOMPARE(f.session.pins().size(), std::size_t{2});
        clear->trigger();
        QVERIFY(f.session.pins().empty());
        QVERIFY(f.settle());
        QVERIFY(f.session.planned()->plan->pins.empty());
    }

    void pinsFollowTheirTensors() {
        PinsFixture f;
        f.controller.setPin(f.tensor("layer3.ln1.out"), Decision::Keep);
        f.controller.setPin(f.tensor("layer40.gelu.out"), Decision::Recompute);
        Scenario smaller = f.session.step()->scenario;
        smaller.options.batch = 2;
        f.controller.setScenario(smaller);
        QVERIFY(waitFor([&] { return f.session.step()->scenario == smaller; }) && f.settle());
        QCOMPARE(f.session.pins().size(), std::size_t{2});
        QCOMPARE(f.decided(f.tensor("layer3.ln1.out")), Decision::Keep);
        QVERIFY(f.window->messageBar().text().isEmpty());
        // BERT-Large has 24 layers.
        QVERIFY(f.open("bert-large"));
        QCOMPARE(f.session.pins(), (Pins{{f.tensor("layer3.ln1.out"), Decision::Keep}}));
        QVERIFY2(f.window->messageBar().text().contains(QStringLiteral("Pins dropped: 1")),
                 qPrintable(f.window->messageBar().text()));
        f.controller.undoStack().undo();
        QVERIFY(f.settle());
        QCOMPARE(f.session.pins().size(), std::size_t{2});
        QCOMPARE(f.decided(f.tensor("layer40.gelu.out")), Decision::Recompute);
        QCOMPARE(f.pins().list().topLevelItemCount(), 2);
    }

    void aRefusedPinIsNone() {
        Profile profile = test::layeredProfile(4);
        Bytes largest = 0;
        for (const Tensor& tensor : profile.tensors)
            largest = std::max(largest, tensor.bytes);
        profile.link.hostMemoryBytes = largest;
        WindowFixture f;
        const QString path =
            f.file(QStringLiteral("small-host.json"), QByteArray::fromStdString(writeProfile(profile)));
        QVERIFY(f.open(path.toStdString()));
        const StepGraph& graph = *f.session.step()->graph;
        std::vector<TensorIndex> movable;
        for (const TensorIndex t : graph.savedTensors()) {
            if (canOffload(graph, t) && 2 * graph.tensor(t).bytes > largest)
                movable.push_back(t);
        }
        QVERIFY(movable.size() >= 2);
        f.controller.setPin(movable[0], Decision::Offload);
        QCOMPARE(f.session.pins().size(), std::size_t{1});
        Selection selection;
        selection.tensors = {movable[1]};
        f.session.setSelection(selection);
        QToolButton& pin = f.window->inspector().whatIf().pinButton(Decision::Offload);
        QTest::mouseClick(&pin, Qt::LeftButton);
        QCOMPARE(f.session.pins().size(), std::size_t{1});
        QVERIFY(!pin.isChecked());
        QVERIFY(f.window->messageBar().text().contains(QStringLiteral("host memory")));
    }

    void pinsThatMakeABudgetTooSmallCanBeCleared() {
        PinsFixture f;
        const StepGraph& graph = *f.session.step()->graph;
        for (const TensorIndex t : graph.savedTensors()) {
            if (graph.tensor(t).bytes > Bytes{30} << 20)
                f.controller.setPin(t, Decision::Keep);
        }
        QVERIFY(f.settle());
        QVERIFY(!f.session.planned()->plan->feasible());
        const TensorIndex t = f.select("layer3.gelu.out");
        QVERIFY(f.whatIf().isVisible());
        QCOMPARE(f.whatIf().stepText(Decision::Keep, Rest::Held), QStringLiteral("–"));
        const WhatIfs replanned = whatIfReplanned(*f.session.planned()->plan, t, {}).value();
        QVERIFY(waitFor([&] { return f.shows(Rest::Replanned, replanned); }));
        QCOMPARE(f.whatIf().state(Decision::Keep), QStringLiteral("pinned"));
        f.action(QStringLiteral("Clear Pins"))->trigger();
        QVERIFY(f.settle());
        QVERIFY(f.session.planned()->plan->feasible());
    }

    void theMapMarksPinnedCells_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << QSize(1600, 900) << false;
        QTest::newRow("dark") << QSize(1600, 900) << true;
        QTest::newRow("small cells") << QSize(1000, 620) << false;
    }
    void theMapMarksPinnedCells() {
        QFETCH(QSize, size);
        QFETCH(bool, dark);
        PinsFixture f;
        f.look.setChoice(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        f.window->resize(size);
        const TensorIndex t = f.tensor("layer3.ln1.out");
        const TensorIndex other = f.tensor("layer5.ln1.out");
        const Decision now = f.decided(t);
        figures::DecisionMap& map = f.window->decisionMap();
        const auto inkOf = [&](TensorIndex tensor) {
            const QImage image = map.grab().toImage();
            const QRect cell = map.cellRect(tensor).toAlignedRect();
            int inked = 0;
            for (int y = cell.top(); y <= cell.bottom(); ++y) {
                for (int x = cell.left(); x <= cell.right(); ++x)
                    inked += figures::contrast(image.pixelColor(x, y), f.look.theme().text) < 1.3 ? 1 : 0;
            }
            return inked;
        };
        const int before = inkOf(t);
        const int otherBefore = inkOf(other);
        f.controller.setPin(t, now); // the colour stays the same
        QVERIFY(f.settle());
        QCOMPARE(f.decided(other), Decision::Recompute);
        QVERIFY2(inkOf(t) > before, qPrintable(QString::number(before)));
        QCOMPARE(inkOf(other), otherBefore);
        QVERIFY(map.accessibleDescription().contains(QStringLiteral("Pinned: 1")));
        QVERIFY(f.session.planned()
                    ->picture->describeTensor(t)
                    .lines.join(QLatin1Char('\n'))
                    .contains(QStringLiteral("pinned")));
    }

    void reasonsHaveWords_data() {
        QTest::addColumn<Reason>("reason");
        QTest::addColumn<QString>("sentence");
        using Kind = Reason::Kind;
        const QString recompute = QStringLiteral("Recomputing costs 80.0 µs, 20.0 µs per MiB (rank 3 of 9).");
        const QString offload = QStringLiteral("Offloading takes 500.0 µs each way.");
        const QString hidden = QStringLiteral("Its copies (500.0 µs each way) hide in computation.");
        const auto row = [](const char* name, const Reason& reason, const QString& sentence) {
            QTest::newRow(name) << reason << sentence;
        };
        row("pinned", example(Kind::Pinned, Decision::Keep),
            QStringLiteral("You pinned it. ") + offload + QLatin1Char(' ') + recompute);
        row("not needed", example(Kind::NotNeeded, Decision::Keep),
            QStringLiteral("The plan peaks at 1.00 GiB of 2.00 GiB without freeing it. ") + recompute +
                QLatin1Char(' ') + offload);
        row("all fits", example(Kind::AllFits, Decision::Keep),
            QStringLiteral("The budget of 2.00 GiB holds everything (unlimited peak 3.00 GiB)."));
        row("no bytes", example(Kind::NoBytes, Decision::Keep), QStringLiteral("It takes no memory."));
        Reason reason = example(Kind::NoChoice, Decision::Keep);
        reason.toOffload = reason.toRecompute = Obstacle::NoGap;
        row("no gap", reason,
            QStringLiteral("Nothing else would free memory: nothing runs between its last forward and its "
                           "first backward use."));
        reason = example(Kind::OnlyOffload, Decision::Offload);
        reason.toRecompute = Obstacle::NotRecomputable;
        row("only offload", reason,
            QStringLiteral("It cannot be recomputed: its operator or one before it may not run again. ") +
                hidden);
        row("offload", example(Kind::Offloaded, Decision::Offload), hidden + QLatin1Char(' ') + recompute);
        reason = example(Kind::Offloaded, Decision::Offload);
        reason.waitNs = 7'000;
        row("offload that waits", reason,
            QStringLiteral("Its copies (500.0 µs each way) let the step wait 7.0 µs. ") + recompute);
        reason = example(Kind::OnlyRecompute, Decision::Recompute);
        reason.toOffload = Obstacle::NoHost;
        row("only recompute", reason,
            QStringLiteral("It cannot be offloaded: the host takes no tensors. ") + recompute);
        row("segment", example(Kind::Segment, Decision::Recompute),
            QStringLiteral("Its segment is made again as a whole from what is kept around it. Alone: ") +
                recompute);
        row("recompute", example(Kind::Recomputed, Decision::Recompute),
            recompute +
                QStringLiteral(" Offloading takes 500.0 µs each way, and the link already carries 8.00 ms of "
                               "copies out where 9.00 ms can hide."));
    }
    void reasonsHaveWords() {
        QFETCH(Reason, reason);
        QFETCH(QString, sentence);
        const QString shown = reasonSentence(reason);
        // Digits after the point are formatTime's business.
        const auto plain = [](QString text) {
            return text.replace(QRegularExpression(QStringLiteral("(\\d)\\.\\d+ ")), QStringLiteral("\\1 "));
        };
        QCOMPARE(plain(shown), plain(sentence));
    }
};

QTEST_MAIN(TestPins)
#include "test_pins.moc"
