#include "ui/inspector/inspector_panel.h"

#include "ui/figures/format.h"
#include "ui/inspector/decision_mark.h"
#include "ui/inspector/pin_list.h"
#include "ui/inspector/reason.h"
#include "ui/inspector/what_if_panel.h"
#include "ui/look/look.h"

#include "core/planner/costs.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QTreeWidget>

#include <algorithm>
#include <array>

namespace slackscope {

using figures::formatBytes;
using figures::formatTime;
using figures::TensorEvent;

namespace {

constexpr std::size_t mostFacts = 7;
constexpr int scrollBarWidth = 10; // as in the style sheet
constexpr int mostNamed = 3;       // operators named in a line
constexpr int mostEventRows = 12;  // more scroll on their own

QString name(const std::string& id) {
    return QString::fromStdString(id);
}

QString operatorList(const StepGraph& graph, std::span<const OperatorIndex> operators) {
    QStringList names;
    for (const OperatorIndex op : operators.first(std::min<std::size_t>(operators.size(), mostNamed)))
        names += name(graph.op(op).id);
    QString list = names.join(QStringLiteral(", "));
    if (operators.size() > mostNamed)
        list += InspectorPanel::tr(" and %1 more").arg(operators.size() - mostNamed);
    return list;
}

QString eventText(const StepGraph& graph, const TensorEvent& event, const figures::Bar& bar) {
    switch (event.role) {
    case TensorEvent::Role::Produced:
        return InspectorPanel::tr("F  made by %1").arg(name(graph.op(bar.id).id));
    case TensorEvent::Role::ForwardUse:
        return InspectorPanel::tr("F  read by %1").arg(name(graph.op(bar.id).id));
    case TensorEvent::Role::Offload:
        return InspectorPanel::tr("O  offload");
    case TensorEvent::Role::Prefetch:
        return InspectorPanel::tr("P  prefetch");
    case TensorEvent::Role::Recomputed:
        return InspectorPanel::tr("R  made again by %1").arg(name(graph.op(bar.id).id));
    case TensorEvent::Role::RecomputeUse:
        return InspectorPanel::tr("R  read by %1").arg(name(graph.op(bar.id).id));
    case TensorEvent::Role::BackwardUse:
        return InspectorPanel::tr("B  read by %1").arg(name(graph.op(bar.id).id));
    }
    return {};
}

} // namespace

InspectorPanel::InspectorPanel(SessionController& controller, const Look& look, QWidget* parent)
    : QWidget(parent), session_(controller.session()), title_(new QLabel), subtitle_(new QLabel),
      chip_(new DecisionChip(look)), reason_(new QLabel), whatIf_(new WhatIfPanel(controller, look)),
      factHolder_(new QWidget), eventsTitle_(new QLabel(tr("Events"))), events_(new QTreeWidget),
      pins_(new PinList(controller)) {
    setAccessibleName(tr("Inspector"));
    setRole(title_, TextRole::Name);
    setRole(subtitle_, TextRole::Caption);
    setRole(eventsTitle_, TextRole::Title);
    for (QLabel* label : {title_, subtitle_, reason_}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    auto* facts = new QGridLayout(factHolder_);
    facts->setContentsMargins(0, 0, 0, 0);
    facts->setHorizontalSpacing(10);
    facts->setVerticalSpacing(4);
    facts->setColumnStretch(1, 1);
    for (std::size_t i = 0; i < mostFacts; ++i) {
        auto* factName = new QLabel;
        auto* factValue = new QLabel;
        setRole(factName, TextRole::Caption);
        factValue->setAlignment(Qt::AlignRight);
        factValue->setTextInteractionFlags(Qt::TextSelectableByMouse);
        facts->addWidget(factName, static_cast<int>(i), 0);
        facts->addWidget(factValue, static_cast<int>(i), 1);
        factRows_.emplace_back(factName, factValue);
    }
    events_->setColumnCount(3);
    events_->setHeaderLabels({tr("what"), tr("start"), tr("takes")});
    events_->setRootIsDecorated(false);
    events_->setUniformRowHeights(true);
    events_->setFrameShape(QFrame::NoFrame);
    events_->setAccessibleName(tr("Events of the tensor"));
    events_->setTextElideMode(Qt::ElideMiddle);
    events_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    events_->header()->setStretchLastSection(false);
    events_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    events_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    events_->header()->setSectionResizeMode(2, QHeaderView::ResizeToContents);
    events_->header()->setMinimumSectionSize(30);

    // A low window scrolls; nothing is squeezed.
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(cardPadding, 4, cardPadding, 10);
    layout->setSpacing(8);
    layout->addWidget(title_);
    auto* summary = new QHBoxLayout;
    summary->setSpacing(8);
    summary->addWidget(chip_);
    summary->addWidget(subtitle_, 1);
    layout->addLayout(summary);
    layout->addWidget(reason_);
    layout->addSpacing(2);
    layout->addWidget(whatIf_);
    layout->addSpacing(2);
    layout->addWidget(factHolder_);
    layout->addSpacing(4);
    layout->addWidget(eventsTitle_);
    layout->addWidget(events_);
    layout->addSpacing(4);
    layout->addWidget(pins_);
    layout->addStretch();
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus); // its controls take the focus and scroll into view
    scroll->setWidget(content);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(scroll);

    connect(&session_, &Session::selectionChanged, this, &InspectorPanel::showSelection);
    connect(&session_, &Session::planChanged, this, &InspectorPanel::showSelection);
    showSelection();
}

QString InspectorPanel::title() const {
    return title_->text();
}

QString InspectorPanel::reason() const {
    return reason_->text();
}

QString InspectorPanel::fact(const QString& name) const {
    for (const auto& [label, value] : factRows_) {
        if (label->text() == name && !label->isHidden())
            return value->text();
    }
    return {};
}

void InspectorPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    showSelection(); // long names are cut to the width
}

void InspectorPanel::showSelection() {
    const PlannedStepPtr& planned = session_.planned();
    const Selection& selection = session_.selection();
    if (planned && selection.tensor() != none && planned->plan->graph->isSaved(selection.tensor()))
        whatIf_->showTensor(planned, selection.tensor());
    else
        whatIf_->showNothing();
    if (!planned || selection.empty())
        showNothing();
    else if (selection.tensors.size() > 1)
        showTensors(*planned, selection.tensors);
    else if (selection.tensor() != none)
        showTensor(*planned, selection.tensor());
    else
        showOperator(*planned, selection.op);
}

void InspectorPanel::showNothing() {
    title_->setText(tr("Nothing selected"));
    subtitle_->setText(
        tr("Click a bar in the timeline or a cell of the map to see what happens to a tensor, and why."));
    subtitle_->show();
    chip_->hide();
    reason_->hide();
    showFacts({});
    eventsTitle_->hide();
    events_->hide();
}

void InspectorPanel::showTensor(const PlannedStep& planned, TensorIndex t) {
    const StepGraph& graph = *planned.plan->graph;
    const Tensor& tensor = graph.tensor(t);
    const RecomputeCost& cost = planned.request.step->costs[static_cast<std::size_t>(t)];
    title_->setText(name(tensor.id));
    QStringList words{formatBytes(tensor.bytes)};
    if (!tensor.kind.empty())
        words += name(tensor.kind);
    if (!graph.isSaved(t))
        words += tr("transient, no backward reads it");
    subtitle_->setText(words.join(QStringLiteral(" · ")));
    subtitle_->show();

    const bool decided = graph.isSaved(t) && planned.plan->feasible();
    chip_->setVisible(decided);
    reason_->setVisible(decided);
    if (decided) {
        const Pins& pins = planned.plan->pins;
        chip_->setDecision(
            planned.plan->decisions[static_cast<std::size_t>(t)],
            std::any_of(pins.begin(), pins.end(), [&](const Pin& pin) { return pin.tensor == t; }));
        reason_->setText(reasonFor(planned, t));
    }

    std::vector<Fact> facts;
    const std::vector<OperatorIndex> chain = recomputeChain(graph, t);
    if (chain.empty()) {
        facts.push_back({tr("Recompute"), tr("not possible"), {}});
    } else {
        Nanoseconds chainNs = 0;
        for (const OperatorIndex op : chain)
            chainNs += graph.op(op).forwardNs;
        facts.push_back({tr("Recompute"),
                         chain.size() == 1
                             ? tr("%1, one operator").arg(formatTime(chainNs))
                             : tr("%1, %2 operators").arg(formatTime(chainNs)).arg(chain.size()),
                         tr("Runs again: %1").arg(operatorList(graph, chain))});
    }
    facts.push_back(
        {tr("Transfer"),
         graph.offloadNs(t) == graph.prefetchNs(t)
             ? tr("%1 each way").arg(formatTime(graph.offloadNs(t)))
             : tr("%1 out, %2 back").arg(formatTime(graph.offloadNs(t)), formatTime(graph.prefetchNs(t))),
         tr("Latency included")});
    if (cost.rank > 0)
        facts.push_back({tr("Rank"), tr("%1 of %2").arg(cost.rank).arg(graph.savedTensors().size()),
                         tr("1 is the dearest to recompute per byte")});
    facts.push_back({tr("Made by"),
                     graph.producer(t) == none ? tr("profile input") : name(graph.op(graph.producer(t)).id),
                     {}});
    if (graph.isSaved(t))
        facts.push_back({tr("Backward reads"), operatorList(graph, graph.savers(t)),
                         operatorList(graph, graph.savers(t))});
    facts.push_back(
        {tr("Gradient"), tensor.gradientBytes > 0 ? formatBytes(tensor.gradientBytes) : tr("none"), {}});
    showFacts(facts);
    showEvents(planned, t);
}

void InspectorPanel::showTensors(const PlannedStep& planned, const std::vector<TensorIndex>& tensors) {
    const StepGraph& graph = *planned.plan->graph;
    std::array<int, allDecisions.size()> count{};
    std::array<Bytes, allDecisions.size()> bytes{};
    Bytes all = 0;
    for (const TensorIndex t : tensors) {
        const auto d = static_cast<std::size_t>(planned.plan->decisions[static_cast<std::size_t>(t)]);
        ++count[d];
        bytes[d] += graph.tensor(t).bytes;
        all += graph.tensor(t).bytes;
    }
    title_->setText(tr("%1 tensors").arg(tensors.size()));
    subtitle_->setText(tr("%1 together").arg(formatBytes(all)));
    subtitle_->show();
    chip_->hide();
    reason_->hide();
    std::vector<Fact> facts;
    if (planned.plan->feasible()) {
        const std::array<QString, allDecisions.size()> names{tr("K keep"), tr("O offload"),
                                                             tr("R recompute")};
        for (std::size_t d = 0; d < names.size(); ++d)
            facts.push_back({names[d], tr("%1 in %2").arg(formatBytes(bytes[d])).arg(count[d]), {}});
    }
    showFacts(facts);
    eventsTitle_->hide();
    events_->hide();
}

void InspectorPanel::showOperator(const PlannedStep& planned, OperatorIndex index) {
    const StepGraph& graph = *planned.plan->graph;
    const Operator& op = graph.op(index);
    title_->setText(name(op.id));
    QStringList words{tr("operator")};
    if (!op.kind.empty())
        words += name(op.kind);
    if (op.layer)
        words += tr("layer %1").arg(*op.layer);
    subtitle_->setText(words.join(QStringLiteral(" · ")));
    subtitle_->show();
    chip_->hide();
    reason_->hide();
    Bytes written = 0;
    Bytes saved = 0;
    for (const TensorIndex t : graph.outputs(index))
        written += graph.tensor(t).bytes;
    for (const TensorIndex t : graph.saved(index))
        saved += graph.tensor(t).bytes;
    showFacts({{tr("Forward"), formatTime(op.forwardNs), {}},
               {tr("Backward"), formatTime(op.backwardNs), {}},
               {tr("Writes"), formatBytes(written), {}},
               {tr("Backward reads"), formatBytes(saved), {}},
               {tr("Forward workspace"), formatBytes(op.forwardWorkspaceBytes), {}},
               {tr("Backward workspace"), formatBytes(op.backwardWorkspaceBytes), {}},
               {tr("Recomputable"), op.recomputable ? tr("yes") : tr("no"), {}}});
    eventsTitle_->hide();
    events_->hide();
}

void InspectorPanel::showFacts(const std::vector<Fact>& facts) {
    int widestName = 0;
    for (std::size_t i = 0; i < facts.size(); ++i) {
        factRows_[i].first->setText(facts[i].name);
        widestName = std::max(widestName, factRows_[i].first->sizeHint().width());
    }
    for (std::size_t i = 0; i < factRows_.size(); ++i) {
        const auto& [label, value] = factRows_[i];
        const bool used = i < facts.size();
        label->setVisible(used);
        value->setVisible(used);
        if (!used)
            continue;
        // Long operator names are cut in the middle; the tool tip has them whole.
        const int room = std::max(60, width() - 2 * cardPadding - scrollBarWidth - widestName - 12);
        const QString shown = value->fontMetrics().elidedText(facts[i].value, Qt::ElideMiddle, room);
        value->setText(shown);
        value->setToolTip(shown == facts[i].value ? facts[i].tip : facts[i].value);
    }
    factHolder_->setVisible(!facts.empty());
}

void InspectorPanel::showEvents(const PlannedStep& planned, TensorIndex t) {
    const figures::StepPicture& picture = *planned.picture;
    const bool any = picture.feasible();
    eventsTitle_->setVisible(any);
    events_->setVisible(any);
    events_->clear();
    if (!any)
        return;
    for (const TensorEvent& event : picture.events(t)) {
        const figures::Bar& bar = picture.bar(event);
        auto* item =
            new QTreeWidgetItem(events_, {eventText(picture.graph(), event, bar), formatTime(bar.fromNs),
                                          formatTime(bar.toNs - bar.fromNs)});
        item->setToolTip(0, item->text(0));
        item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
        item->setTextAlignment(2, Qt::AlignRight | Qt::AlignVCenter);
    }
    const int rows = std::clamp(events_->topLevelItemCount(), 1, mostEventRows);
    events_->setFixedHeight(events_->header()->sizeHint().height() + rows * events_->sizeHintForRow(0) + 2);
}

} // namespace slackscope
