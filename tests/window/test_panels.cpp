// Headline, scenario and inspector: what they say must be what the plan says.
#include "window_fixture.h"

#include "core/input/hardware.h"
#include "core/input/presets.h"
#include "core/planner/costs.h"
#include "core/planner/strategy.h"
#include "core/profile/profile_json.h"
#include "tests/support/profiles.h"
#include "ui/figures/format.h"
#include "ui/headline/headline.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/inspector/reason.h"
#include "ui/look/fields.h"
#include "ui/scenario/scenario_panel.h"
#include "ui/scenario/slack_bar.h"

#include <QCompleter>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QtTest>

using namespace slackscope;
using slackscope::test::waitFor;
using slackscope::test::WindowFixture;

namespace {

// All text of the labels that are shown.
QString words(const QWidget& widget) {
    QStringList texts;
    for (const QLabel* label : widget.findChildren<QLabel*>()) {
        if (label->isVisible())
            texts += label->text();
    }
    return texts.join(QLatin1Char('\n'));
}

void choose(ChoiceField& field, const QString& id) {
    const int index = field.findData(id);
    QVERIFY(index >= 0);
    field.setCurrentIndex(index);
    emit field.activated(index);
}

} // namespace

class TestPanels : public QObject {
    Q_OBJECT
private slots:
    void theHeadlineSaysWhatThePlanSays() {
        WindowFixture f;
        QVERIFY(f.open("gpt2-xl"));
        const Plan& plan = *f.session.planned()->plan;
        const QString shown = words(f.window->headline());
        QVERIFY(shown.contains(QString::number(plan.throughputOfIdeal() * 100, 'f', 1)));
        QVERIFY(shown.contains(figures::formatTime(plan.stepNs())));
        QVERIFY(shown.contains(figures::formatBytes(plan.budgetBytes)));
        QVERIFY(shown.contains(figures::formatBytes(plan.offloadedBytes)));
        QVERIFY(shown.contains(figures::formatTime(plan.simulated->timeline.recomputedNs)));
        QVERIFY(shown.contains(QStringLiteral("simulated, A100 + PCIe 4.0")));
        QVERIFY(shown.contains(QStringLiteral("fits in 80.0 GiB")));
    }
    void theBoundIsNeverUnderstated_data() {
        QTest::addColumn<Nanoseconds>("boundNs");
        QTest::addColumn<QString>("text");
        // The layered profile kept whole takes its ideal time.
        const auto graph = StepGraph::build(test::layeredProfile(4)).value();
        const Nanoseconds ideal = graph->idealNs();
        QTest::newRow("reached") << ideal << QStringLiteral("no plan can be faster");
        QTest::newRow("a hair above") << ideal - 1 << QStringLiteral("at most 0.1 % from the best possible");
        QTest::newRow("half") << ideal / 2 << QStringLiteral("at most 100");
    }
    void theBoundIsNeverUnderstated() {
        QFETCH(Nanoseconds, boundNs);
        QFETCH(QString, text);
        const auto graph = StepGraph::build(test::layeredProfile(4)).value();
        const Plan plan = findStrategy("keep-all")->prepare(graph, {}, {})->plan(unlimitedPeak(graph));
        QVERIFY2(boundText(plan, boundNs).startsWith(text), qPrintable(boundText(plan, boundNs)));
    }
    void saysWhetherTheModelFits_data() {
        QTest::addColumn<Bytes>("peak");
        QTest::addColumn<QString>("text");
        QTest::newRow("to the byte") << (Bytes{2} << 30) << QStringLiteral("fits in 8.00 GiB");
        QTest::newRow("by a GiB") << (Bytes{3} << 30) << QStringLiteral("over by 1.00 GiB");
    }
    void saysWhetherTheModelFits() {
        QFETCH(Bytes, peak);
        QFETCH(QString, text);
        Profile profile;
        QVERIFY(!deviceFit(profile, peak).fits.has_value());
        profile.device = Device{"small", Bytes{8} << 30, Bytes{6} << 30};
        QCOMPARE(deviceFit(profile, peak).text, text);
    }
    void anInfeasibleBudgetNamesTheSmallest() {
        WindowFixture f;
        QVERIFY(f.open("gpt2-xl"));
        f.controller.setBudgetFraction(0.002, f.controller.nextGesture());
        QVERIFY(f.settle());
        const Plan infeasible = *f.session.planned()->plan;
        QVERIFY(!infeasible.feasible());
        const QString shown = words(f.window->headline());
        QVERIFY(shown.contains(QString::fromStdString(infeasible.graph->op(infeasible.blocked->op).id)));
        QVERIFY(shown.contains(figures::formatBytes(infeasible.minimumBudgetBytes)));
        QTest::mouseClick(&f.window->headline().useMinimumButton(), Qt::LeftButton);
        QVERIFY(f.settle());
        QVERIFY(f.session.planned()->plan->feasible());
        QCOMPARE(f.session.planned()->plan->budgetBytes, infeasible.minimumBudgetBytes);
    }
    void everyFieldChangesTheScenario() {
        WindowFixture f;
        QVERIFY(f.open("gpt2-xl"));
        ScenarioPanel& panel = f.window->scenario();
        const auto number = [&](ScenarioField id) { return qobject_cast<NumberField*>(panel.field(id)); };
        const auto choice = [&](ScenarioField id) { return qobject_cast<ChoiceField*>(panel.field(id)); };
        number(ScenarioField::Batch)->setValue(2);
        number(ScenarioField::Sequence)->setValue(512);
        number(ScenarioField::MatmulEfficiency)->setValue(0.5);
        number(ScenarioField::MemoryEfficiency)->setValue(0.7);
        choose(*choice(ScenarioField::Device), QStringLiteral("h100-sxm"));
        choose(*choice(ScenarioField::Link), QStringLiteral("pcie5-x16"));
        number(ScenarioField::Bandwidth)->setValue(40);
        choice(ScenarioField::Attention)->setCurrentIndex(1);
        emit choice(ScenarioField::Attention)->activated(1);
        choice(ScenarioField::Precision)->setCurrentIndex(1);
        emit choice(ScenarioField::Precision)->activated(1);
        choice(ScenarioField::Loss)->setCurrentIndex(1);
        emit choice(ScenarioField::Loss)->activated(1);
        choose(*choice(ScenarioField::Strategy), QStringLiteral("offload-only"));
        AnalyticOptions expected;
        expected.batch = 2;
        expected.sequence = 512;
        expected.matmulEfficiency = 0.5;
        expected.memoryEfficiency = 0.7;
        expected.device = "h100-sxm";
        expected.link = "pcie5-x16";
        expected.deviceToHostBytesPerS = expected.hostToDeviceBytesPerS = 40'000'000'000;
        expected.attention = Attention::Eager;
        expected.precision = Precision::Fp16;
        expected.loss = Loss::Full;
        QVERIFY(waitFor([&] { return f.session.step()->scenario.options == expected; }));
        QVERIFY(f.settle());
        QCOMPARE(f.session.strategy(), std::string("offload-only"));
        const Profile& profile = f.session.step()->graph->profile();
        QCOMPARE(profile.device->name, findDevice("h100-sxm")->name);
        QCOMPARE(profile.link.deviceToHostBytesPerS, std::int64_t{40'000'000'000});
        QCOMPARE(*profile.tokensPerStep, 2 * 512);

        // Another model brings its own batch and sequence; the machine stays.
        choose(*choice(ScenarioField::Model), QStringLiteral("bert-large"));
        QVERIFY(waitFor([&] { return f.session.step()->scenario.input == "bert-large"; }));
        QCOMPARE(number(ScenarioField::Batch)->value(), 32.0);
        QCOMPARE(number(ScenarioField::Sequence)->value(), 512.0);
        QCOMPARE(f.session.step()->scenario.options.device, expected.device);
    }
    void aRefusedOptionGoesBack() {
        WindowFixture f;
        QVERIFY(f.open("bert-large"));
        auto* sequence = qobject_cast<NumberField*>(f.window->scenario().field(ScenarioField::Sequence));
        sequence->setValue(100000); // BERT has 512 learned positions
        QVERIFY(waitFor([&] { return !f.controller.isBusy(); }));
        QCOMPARE(sequence->value(), 512.0);
        QCOMPARE(f.session.step()->scenario.options, AnalyticOptions{});
    }
    void theThreeModelsOfThePaperComeFirst() {
        WindowFixture f;
        auto* model = qobject_cast<ChoiceField*>(f.window->scenario().field(ScenarioField::Model));
        QCOMPARE(model->itemData(0).toString(), QStringLiteral("bert-large"));
        QCOMPARE(model->itemData(1).toString(), QStringLiteral("gpt2-xl"));
        QCOMPARE(model->itemData(2).toString(), QStringLiteral("llama-7b"));
        QCOMPARE(model->completer()->filterMode(), Qt::MatchContains);
    }
    void everyNumberNamesItsSource_data() {
        QTest::addColumn<int>("field");
        QTest::addColumn<QString>("source");
        const auto row = [](const char* name, ScenarioField field, const std::string& source) {
            QTest::newRow(name) << static_cast<int>(field) << QString::fromStdString(source);
        };
        row("model", ScenarioField::Model, findModelPreset("gpt2-xl")->source);
        row("device", ScenarioField::Device, findDevice("a100-80gb-sxm")->source);
        row("link", ScenarioField::Link, findLink("pcie4-x16")->source);
        row("bandwidth", ScenarioField::Bandwidth, findLink("pcie4-x16")->source);
        row("batch", ScenarioField::Batch, "the model's default");
        row("sequence", ScenarioField::Sequence, "the model's default");
        row("matmul", ScenarioField::MatmulEfficiency, "0.60");
        row("memory", ScenarioField::MemoryEfficiency, "0.80");
        row("attention", ScenarioField::Attention, "arXiv 2205.14135");
        row("strategy", ScenarioField::Strategy, std::string(findStrategy("slackswap")->summary));
    }
    void everyNumberNamesItsSource() {
        QFETCH(int, field);
        QFETCH(QString, source);
        WindowFixture f({1600, 900});
        QVERIFY(f.open("gpt2-xl"));
        QWidget* widget = f.window->scenario().field(static_cast<ScenarioField>(field));
        QVERIFY(sourceOf(static_cast<ScenarioField>(field), f.session.step().get(), "slackswap")
                    .contains(source));
        QEnterEvent enter({}, {}, {});
        QCoreApplication::sendEvent(widget, &enter);
        QVERIFY2(f.window->scenario().sourceLine().text().contains(source),
                 qPrintable(f.window->scenario().sourceLine().text()));
        QVERIFY(f.window->scenario().sourceLine().isVisible());
    }
    void aFileKeepsItsOwnNumbers() {
        WindowFixture f;
        const QString path = f.file(QStringLiteral("layers.profile.json"),
                                    QByteArray::fromStdString(writeProfile(test::layeredProfile(6))));
        QVERIFY(f.open(path.toStdString()));
        ScenarioPanel& panel = f.window->scenario();
        QCOMPARE(qobject_cast<ChoiceField*>(panel.field(ScenarioField::Model))->currentText(),
                 QStringLiteral("layers.profile.json"));
        QVERIFY(!panel.field(ScenarioField::Batch)->isEnabled());
        QVERIFY(!panel.field(ScenarioField::Device)->isEnabled());
        QVERIFY(panel.field(ScenarioField::Link)->isEnabled());
        qobject_cast<NumberField*>(panel.field(ScenarioField::Bandwidth))->setValue(7);
        QVERIFY(
            waitFor([&] { return f.session.step()->scenario.options.deviceToHostBytesPerS.has_value(); }));
        QCOMPARE(f.session.step()->graph->profile().link.hostToDeviceBytesPerS, std::int64_t{7'000'000'000});
    }
    void slackBarsShowUsedOfAvailable() {
        WindowFixture f;
        QVERIFY(f.open("gpt2-xl"));
        const Slack& slack = f.session.planned()->plan->slack;
        QVERIFY(slack.usedDeviceToHostNs > 0);
        const auto bars = f.window->scenario().findChildren<SlackBar*>();
        QCOMPARE(bars.size(), 2);
        QVERIFY(bars[0]->text().endsWith(figures::formatTime(slack.deviceToHostNs)));
        QVERIFY(bars[1]->text().endsWith(figures::formatTime(slack.hostToDeviceNs)));
        QVERIFY(figures::formatTime(slack.usedDeviceToHostNs)
                    .startsWith(bars[0]->text().section(QLatin1Char(' '), 0, 0)));
    }
    void theInspectorExplainsEveryDecision_data() {
        QTest::addColumn<QString>("strategy");
        for (const StrategyInfo* info : strategies())
            QTest::newRow(std::string(info->id).c_str()) << QString::fromStdString(std::string(info->id));
    }
    void theInspectorExplainsEveryDecision() {
        QFETCH(QString, strategy);
        WindowFixture f;
        QVERIFY(f.open("bert-large"));
        f.controller.setStrategy(strategy.toStdString());
        f.controller.setBudgetFraction(strategy == QStringLiteral("keep-all") ? 1 : 0.6,
                                       f.controller.nextGesture());
        QVERIFY(f.settle());
        const PlannedStep& planned = *f.session.planned();
        QVERIFY(planned.plan->feasible());
        const StepGraph& graph = *planned.plan->graph;
        for (const TensorIndex t : graph.savedTensors()) {
            Selection selection;
            selection.tensors = {t};
            f.session.setSelection(selection);
            InspectorPanel& inspector = f.window->inspector();
            QCOMPARE(inspector.title(), QString::fromStdString(graph.tensor(t).id));
            QCOMPARE(inspector.reason(), reasonFor(planned, t));
            QVERIFY(!inspector.reason().isEmpty());
            const RecomputeCost& cost = planned.request.step->costs[static_cast<std::size_t>(t)];
            QCOMPARE(recomputeChain(graph, t).size(), static_cast<std::size_t>(cost.chainLength));
            if (cost.chainLength > 0)
                QVERIFY(inspector.fact(QStringLiteral("Recompute"))
                            .startsWith(figures::formatTime(cost.chainNs)));
            const int copies =
                planned.plan->decisions[static_cast<std::size_t>(t)] == Decision::Offload ? 1 : 0;
            QCOMPARE(inspector.events().findItems(QStringLiteral("O  offload"), Qt::MatchExactly).size(),
                     copies);
            QVERIFY(inspector.events().topLevelItemCount() >= 2);
        }
    }
    void theInspectorAddsUpSeveralTensors() {
        WindowFixture f;
        QVERIFY(f.open("bert-large"));
        const auto saved = f.session.step()->graph->savedTensors();
        Selection selection;
        selection.tensors.assign(saved.begin(), saved.end());
        f.session.setSelection(selection);
        QCOMPARE(f.window->inspector().title(), QStringLiteral("%1 tensors").arg(saved.size()));
        Bytes offloaded = 0;
        const Plan& plan = *f.session.planned()->plan;
        for (const TensorIndex t : saved)
            offloaded += plan.decisions[static_cast<std::size_t>(t)] == Decision::Offload
                             ? plan.graph->tensor(t).bytes
                             : 0;
        QCOMPARE(offloaded, plan.offloadedBytes);
        QVERIFY(f.window->inspector()
                    .fact(QStringLiteral("O offload"))
                    .startsWith(figures::formatBytes(offloaded)));
    }
};

QTEST_MAIN(TestPanels)
#include "test_panels.moc"
