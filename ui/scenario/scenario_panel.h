// The scenario: which model on which machine, planned by which strategy. Every number with its unit and
// source.
#pragma once

#include "ui/scenario/sources.h"
#include "ui/session/session_controller.h"

#include <QWidget>

#include <functional>
#include <vector>

class QGridLayout;
class QLabel;

namespace slackscope {

class ChoiceField;
class Look;
class NumberField;
class SlackBar;

class ScenarioPanel : public QWidget {
    Q_OBJECT
public:
    ScenarioPanel(SessionController& controller, const Look& look, QWidget* parent = nullptr);

    QWidget* field(ScenarioField field) const;
    QLabel& sourceLine() { return *source_; }

signals:
    void openRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Row {
        ScenarioField id;
        QLabel* label;
        QWidget* field;
    };
    void addRow(QGridLayout* grid, ScenarioField id, const QString& label, QWidget* field);
    void addRule(QGridLayout* grid);
    void fillChoices();
    void connectFields();
    void change(const std::function<void(AnalyticOptions&)>& edit);
    void showScenario();
    void showStrategy();
    void showSlack();
    void showSource(ScenarioField field);
    void fitSourceLine();

    SessionController& controller_;
    std::vector<Row> rows_;
    ChoiceField* model_;
    NumberField* batch_;
    NumberField* sequence_;
    ChoiceField* attention_;
    ChoiceField* precision_;
    ChoiceField* loss_;
    ChoiceField* device_;
    ChoiceField* link_;
    NumberField* bandwidth_;
    NumberField* matmul_;
    NumberField* memory_;
    ChoiceField* strategy_;
    SlackBar* toHost_;
    SlackBar* toDevice_;
    QGridLayout* grid_;
    QLabel* source_;
    ScenarioField shownSource_ = ScenarioField::Model;
};

} // namespace slackscope
