// What is selected: a tensor with its decision and the reason, several tensors with their sums, or an
// operator.
#pragma once

#include "ui/session/session.h"

#include <QWidget>

class QGridLayout;
class QLabel;
class QTreeWidget;

namespace slackscope {

class Look;

// The decision as a lettered chip in its colour.
class DecisionChip : public QWidget {
    Q_OBJECT
public:
    explicit DecisionChip(const Look& look, QWidget* parent = nullptr);
    void setDecision(Decision decision);
    QString text() const;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Look& look_;
    Decision decision_ = Decision::Keep;
};

class InspectorPanel : public QWidget {
    Q_OBJECT
public:
    InspectorPanel(Session& session, const Look& look, QWidget* parent = nullptr);

    QString title() const;
    QString reason() const;
    // "Recompute" -> "0.09 ms ..."; empty: no such row now.
    QString fact(const QString& name) const;
    QTreeWidget& events() { return *events_; }

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
    const Look& look_;
    QLabel* title_;
    QLabel* subtitle_;
    DecisionChip* chip_;
    QLabel* reason_;
    QWidget* factHolder_;
    std::vector<std::pair<QLabel*, QLabel*>> factRows_;
    QLabel* eventsTitle_;
    QTreeWidget* events_;
};

} // namespace slackscope
