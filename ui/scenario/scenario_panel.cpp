#include "ui/scenario/scenario_panel.h"

#include "ui/look/fields.h"
#include "ui/look/look.h"
#include "ui/scenario/slack_bar.h"

#include "core/input/hardware.h"
#include "core/input/presets.h"
#include "core/planner/strategy.h"

#include <QEvent>
#include <QFileInfo>
#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>

#include <cmath>

namespace slackscope {

namespace {

constexpr double bytesPerGb = 1e9;
constexpr int tightSpacing = 4; // between fields
constexpr int easySpacing = 8;
constexpr int easyFromHeight = 620; // px of the panel

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

void choose(ChoiceField* field, const QVariant& data) {
    const QSignalBlocker quiet(field);
    field->setCurrentIndex(field->findData(data));
    if (field->isEditable() && !field->hasFocus()) {
        field->setEditText(field->currentText());
        field->lineEdit()->setCursorPosition(0); // a long name shows its beginning
    }
}

} // namespace

ScenarioPanel::ScenarioPanel(SessionController& controller, const Look& look, QWidget* parent)
    : QWidget(parent), controller_(controller), model_(new ChoiceField(look)),
      batch_(new NumberField({}, 0, 1, 1e6)), sequence_(new NumberField(tr("tokens"), 0, 1, 1e8)),
      attention_(new ChoiceField(look)), precision_(new ChoiceField(look)), loss_(new ChoiceField(look)),
      device_(new ChoiceField(look)), link_(new ChoiceField(look)),
      bandwidth_(new NumberField(tr("GB/s"), 1, 0.1, 1e5)), matmul_(new NumberField({}, 2, 0.01, 1)),
      memory_(new NumberField({}, 2, 0.01, 1)), strategy_(new ChoiceField(look)),
      toHost_(new SlackBar(look, SlackBar::Direction::DeviceToHost)),
      toDevice_(new SlackBar(look, SlackBar::Direction::HostToDevice)), grid_(new QGridLayout),
      source_(new QLabel) {
    setAccessibleName(tr("Scenario"));
    matmul_->setSingleStep(0.05);
    memory_->setSingleStep(0.05);
    model_->makeSearchable();

    auto* open = new QToolButton;
    open->setText(QStringLiteral("…"));
    open->setToolTip(tr("Open a profile or a Hugging Face config.json"));
    open->setAccessibleName(tr("Open file"));
    open->setFixedSize(18, 24);
    connect(open, &QToolButton::clicked, this, &ScenarioPanel::openRequested);
    auto* modelRow = new QWidget;
    auto* modelLayout = new QHBoxLayout(modelRow);
    modelLayout->setContentsMargins(0, 0, 0, 0);
    modelLayout->setSpacing(3);
    modelLayout->addWidget(model_, 1);
    modelLayout->addWidget(open);

    QGridLayout* grid = grid_;
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(tightSpacing);
    grid->setColumnStretch(1, 1);
    addRow(grid, ScenarioField::Model, tr("Model"), modelRow);
    addRow(grid, ScenarioField::Batch, tr("Batch"), batch_);
    addRow(grid, ScenarioField::Sequence, tr("Sequence"), sequence_);
    addRow(grid, ScenarioField::Attention, tr("Attention"), attention_);
    addRow(grid, ScenarioField::Precision, tr("Precision"), precision_);
    addRow(grid, ScenarioField::Loss, tr("Loss"), loss_);
    addRule(grid);
    addRow(grid, ScenarioField::Device, tr("Device"), device_);
    addRow(grid, ScenarioField::Link, tr("Link"), link_);
    addRow(grid, ScenarioField::Bandwidth, tr("Bandwidth"), bandwidth_);
    addRow(grid, ScenarioField::MatmulEfficiency, tr("Matmul eff."), matmul_);
    addRow(grid, ScenarioField::MemoryEfficiency, tr("Memory eff."), memory_);
    addRule(grid);
    addRow(grid, ScenarioField::Strategy, tr("Strategy"), strategy_);
    matmul_->setAccessibleName(tr("Matmul efficiency"));
    memory_->setAccessibleName(tr("Memory efficiency"));
    model_->setAccessibleName(tr("Model"));

    auto* slackRow = new QHBoxLayout;
    slackRow->setSpacing(8);
    auto* slackTitle = new QLabel(tr("Slack"));
    setRole(slackTitle, TextRole::Title);
    auto* slackHint = new QLabel(tr("transfer a step can hide"));
    setRole(slackHint, TextRole::Caption);
    slackRow->addWidget(slackTitle);
    slackRow->addStretch();
    slackRow->addWidget(slackHint);

    setRole(source_, TextRole::Caption);
    source_->setWordWrap(true);
    source_->setAlignment(Qt::AlignLeft | Qt::AlignBottom);

    source_->setAccessibleName(tr("Source of the number"));

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(cardPadding, 4, cardPadding, 10);
    layout->setSpacing(5);
    layout->addLayout(grid);
    layout->addSpacing(3);
    layout->addLayout(slackRow);
    layout->addWidget(toHost_);
    layout->addWidget(toDevice_);
    layout->addStretch(1);
    source_->setParent(this); // stands in what the layout leaves free

    fillChoices();
    connectFields();
    showScenario();
    showStrategy();
    showSlack();
}

void ScenarioPanel::addRow(QGridLayout* grid, ScenarioField id, const QString& label, QWidget* field) {
    auto* caption = new QLabel(label);
    setRole(caption, TextRole::Caption);
    const int row = grid->rowCount();
    grid->addWidget(caption, row, 0);
    grid->addWidget(field, row, 1);
    caption->setBuddy(field);
    field->setAccessibleName(label);
    rows_.push_back({id, caption, field});
    caption->installEventFilter(this);
    field->installEventFilter(this);
}

void ScenarioPanel::addRule(QGridLayout* grid) {
    auto* rule = new QFrame;
    rule->setObjectName(QStringLiteral("rule"));
    rule->setFixedHeight(1);
    auto* holder = new QWidget;
    auto* layout = new QVBoxLayout(holder);
    layout->setContentsMargins(0, 3, 0, 3);
    layout->addWidget(rule);
    grid->addWidget(holder, grid->rowCount(), 0, 1, 2);
}

void ScenarioPanel::fillChoices() {
    for (const ModelPreset& preset : modelPresets())
        model_->addItem(text(preset.name), text(preset.id));
    attention_->addItem(tr("Flash"), static_cast<int>(Attention::Flash));
    attention_->addItem(tr("Eager"), static_cast<int>(Attention::Eager));
    precision_->addItem(QStringLiteral("bf16"), static_cast<int>(Precision::Bf16));
    precision_->addItem(QStringLiteral("fp16"), static_cast<int>(Precision::Fp16));
    precision_->addItem(QStringLiteral("fp32"), static_cast<int>(Precision::Fp32));
    loss_->addItem(tr("Chunked"), static_cast<int>(Loss::Chunked));
    loss_->addItem(tr("Full logits"), static_cast<int>(Loss::Full));
    for (const DeviceSpec& device : devices())
        device_->addItem(text(device.name), text(device.id));
    for (const LinkSpec& link : links())
        link_->addItem(text(link.name), text(link.id));
    for (const StrategyInfo* strategy : strategies()) {
        strategy_->addItem(text(strategy->name), text(strategy->id));
        strategy_->setItemData(strategy_->count() - 1, text(strategy->summary), Qt::ToolTipRole);
    }
}

void ScenarioPanel::change(const std::function<void(AnalyticOptions&)>& edit) {
    Scenario scenario = controller_.wantedScenario();
    edit(scenario.options);
    if (scenario != controller_.wantedScenario())
        controller_.setScenario(scenario);
}

void ScenarioPanel::connectFields() {
    connect(model_, &ChoiceField::chosen, this, [this](int index) {
        Scenario scenario = controller_.wantedScenario();
        const std::string input = model_->itemData(index).toString().toStdString();
        if (input == scenario.input)
            return;
        scenario.input = input;
        // Each model has a batch and a sequence of its own; the machine stays.
        scenario.options.batch.reset();
        scenario.options.sequence.reset();
        controller_.setScenario(scenario);
    });
    const auto onNumber = [this](NumberField* field, void (*set)(AnalyticOptions&, double)) {
        connect(field, &NumberField::entered, this, [this, set](double value) {
            change([&](AnalyticOptions& options) { set(options, value); });
        });
    };
    onNumber(batch_, [](AnalyticOptions& o, double value) { o.batch = std::llround(value); });
    onNumber(sequence_, [](AnalyticOptions& o, double value) { o.sequence = std::llround(value); });
    onNumber(matmul_, [](AnalyticOptions& o, double value) { o.matmulEfficiency = value; });
    onNumber(memory_, [](AnalyticOptions& o, double value) { o.memoryEfficiency = value; });
    onNumber(bandwidth_, [](AnalyticOptions& o, double value) {
        o.deviceToHostBytesPerS = o.hostToDeviceBytesPerS = std::llround(value * bytesPerGb);
    });
    const auto onChoice = [this](ChoiceField* field, void (*set)(AnalyticOptions&, const QVariant&)) {
        connect(field, &ChoiceField::chosen, this, [this, field, set](int index) {
            change([&](AnalyticOptions& options) { set(options, field->itemData(index)); });
        });
    };
    onChoice(attention_, [](AnalyticOptions& o, const QVariant& v) { o.attention = Attention{v.toInt()}; });
    onChoice(precision_, [](AnalyticOptions& o, const QVariant& v) { o.precision = Precision{v.toInt()}; });
    onChoice(loss_, [](AnalyticOptions& o, const QVariant& v) { o.loss = Loss{v.toInt()}; });
    onChoice(device_, [](AnalyticOptions& o, const QVariant& v) { o.device = v.toString().toStdString(); });
    onChoice(link_, [](AnalyticOptions& o, const QVariant& v) {
        o.link = v.toString().toStdString();
        o.deviceToHostBytesPerS.reset(); // the new link's own
        o.hostToDeviceBytesPerS.reset();
    });
    connect(strategy_, &ChoiceField::chosen, this, [this](int index) {
        controller_.setStrategy(strategy_->itemData(index).toString().toStdString());
    });

    Session& session = controller_.session();
    connect(&controller_, &SessionController::wantedScenarioChanged, this, &ScenarioPanel::showScenario);
    connect(&session, &Session::stepChanged, this, &ScenarioPanel::showScenario);
    connect(&session, &Session::strategyChanged, this, &ScenarioPanel::showStrategy);
    connect(&session, &Session::planChanged, this, &ScenarioPanel::showSlack);
}

void ScenarioPanel::showScenario() {
    const LoadedStepPtr& step = controller_.session().step();
    const Scenario& wanted = controller_.wantedScenario();

    // A file stands in the list while it is the input.
    {
        const QSignalBlocker quiet(model_);
        const bool known = findModelPreset(wanted.input).has_value();
        const int presets = static_cast<int>(modelPresets().size());
        while (model_->count() > presets)
            model_->removeItem(model_->count() - 1);
        if (!known && !wanted.input.empty())
            model_->addItem(QFileInfo(text(wanted.input)).fileName(), text(wanted.input));
    }
    choose(model_, text(wanted.input));

    // What was asked for; where nothing was, what the model that is loaded has by default.
    const bool sameInput = step && step->scenario.input == wanted.input;
    const bool shaped = sameInput && step->config.has_value();
    AnalyticOptions options = wanted.options;
    if (shaped)
        options = withDefaults(*step->config, options);
    // A profile from a file has no shape to change, and before the first input there is nothing to show.
    const bool shapeless = !step || (sameInput && !shaped);
    for (ChoiceField* field : {attention_, precision_, loss_, device_})
        field->setEnabled(!shapeless);
    link_->setEnabled(step != nullptr);
    if (shapeless) {
        for (NumberField* field : {batch_, sequence_, matmul_, memory_})
            field->showNothing();
        for (ChoiceField* field : {attention_, precision_, loss_, device_}) {
            field->setPlaceholderText(QStringLiteral("\u2013"));
            choose(field, QVariant());
        }
        if (step && step->graph->profile().device)
            device_->setPlaceholderText(text(step->graph->profile().device->name));
        link_->setPlaceholderText(step ? text(step->graph->profile().link.name) : QStringLiteral("\u2013"));
    }
    if (!step) {
        choose(link_, QVariant());
        bandwidth_->showNothing();
    }
    if (!shapeless && options.batch)
        batch_->show(static_cast<double>(*options.batch));
    if (!shapeless && options.sequence)
        sequence_->show(static_cast<double>(*options.sequence));
    if (shaped) {
        choose(attention_, static_cast<int>(*options.attention));
        choose(precision_, static_cast<int>(*options.precision));
        choose(loss_, static_cast<int>(*options.loss));
        choose(device_, text(*options.device));
        choose(link_, text(*options.link));
        matmul_->show(*options.matmulEfficiency);
        memory_->show(*options.memoryEfficiency);
    } else if (sameInput) {
        choose(link_, options.link ? QVariant(text(*options.link)) : QVariant());
    }
    if (step && options.deviceToHostBytesPerS)
        bandwidth_->show(static_cast<double>(*options.deviceToHostBytesPerS) / bytesPerGb);
    else if (sameInput)
        bandwidth_->show(static_cast<double>(step->graph->profile().link.deviceToHostBytesPerS) / bytesPerGb);

    for (const Row& row : rows_) {
        const QString source = sourceOf(row.id, step.get(), controller_.session().strategy());
        row.label->setToolTip(source);
        row.field->setToolTip(source);
    }
    showSource(shownSource_);
}

void ScenarioPanel::showStrategy() {
    choose(strategy_, text(controller_.session().strategy()));
    strategy_->setToolTip(sourceOf(ScenarioField::Strategy, nullptr, controller_.session().strategy()));
    showSource(shownSource_);
}

void ScenarioPanel::showSlack() {
    const PlannedStepPtr& planned = controller_.session().planned();
    if (!planned)
        return;
    const Slack& slack = planned->plan->slack;
    toHost_->setSlack(slack.usedDeviceToHostNs, slack.deviceToHostNs);
    toDevice_->setSlack(slack.usedHostToDeviceNs, slack.hostToDeviceNs);
}

QWidget* ScenarioPanel::field(ScenarioField field) const {
    if (field == ScenarioField::Model)
        return model_;
    for (const Row& row : rows_) {
        if (row.id == field)
            return row.field;
    }
    return nullptr;
}

bool ScenarioPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Enter || event->type() == QEvent::FocusIn) {
        for (const Row& row : rows_) {
            if (row.field == watched || row.label == watched)
                showSource(row.id);
        }
    }
    return QWidget::eventFilter(watched, event);
}

void ScenarioPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    grid_->setVerticalSpacing(height() >= easyFromHeight ? easySpacing : tightSpacing);
    fitSourceLine();
}

void ScenarioPanel::showSource(ScenarioField field) {
    shownSource_ = field;
    source_->setText(sourceOf(field, controller_.session().step().get(), controller_.session().strategy()));
    fitSourceLine();
}

void ScenarioPanel::fitSourceLine() {
    // Shown whole or not at all: the tool tips say the same.
    layout()->activate();
    const int top = toDevice_->geometry().bottom() + 8;
    const int textWidth = width() - 2 * cardPadding;
    const int textHeight = source_->heightForWidth(textWidth);
    source_->setVisible(!source_->text().isEmpty() && textHeight <= height() - 8 - top);
    source_->setGeometry(cardPadding, height() - 8 - textHeight, textWidth, textHeight);
}

} // namespace slackscope
