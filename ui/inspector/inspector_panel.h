// What is selected: a tensor with its decision, the reason and what else it could be, several tensors with
// their sums, or an operator. Below it, what is pinned.
#pragma once

#include "ui/session/session_controller.h"

#include <QWidget>

class QGridLayout;
class QLabel;
class QTreeWidget;

namespace slackscope {

class DecisionChip;
class Look;
class PinList;
class WhatIfPanel;

class InspectorPanel : public QWidget {
    Q_OBJECT
public:
    InspectorPanel(SessionController& controller, const Look& look, QWidget* parent = nullptr);

    QString title() const;
    QString reason() const;
    // "Recompute" -> "0.09 ms ..."; empty: no such row now.
    QString fact(const QString& name) const;
    QTreeWidget& events() { return *events_; }
    WhatIfPanel& whatIf() { return *whatIf_; }
    PinList& pins() { return *pins_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Fact {
        QString name;
        QString value;
        QString tip;
    };
    void showSelection();
    void showNothing();
    void showTensor(const PlannedStep& planned, TensorIndex t);
    void showTensors(const PlannedStep& planned, const std::vector<TensorIndex>& tensors);
    void showOperator(const PlannedStep& planned, OperatorIndex op);
    void showFacts(const std::vector<Fact>& facts);
    void showEvents(const PlannedStep& planned, TensorIndex t);

    Session& session_;
    QLabel* title_;
    QLabel* subtitle_;
    DecisionChip* chip_;
    QLabel* reason_;
    WhatIfPanel* whatIf_;
    QWidget* factHolder_;
    std::vector<std::pair<QLabel*, QLabel*>> factRows_;
    QLabel* eventsTitle_;
    QTreeWidget* events_;
    PinList* pins_;
};

} // namespace slackscope
