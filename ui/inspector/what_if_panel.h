// What if the selected tensor were kept, offloaded or recomputed: three simulated rows, and a pin for each.
#pragma once

#include "ui/session/session_controller.h"
#include "ui/session/what_if_service.h"

#include <QWidget>

class QGridLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace slackscope {

class Look;

class WhatIfPanel : public QWidget {
    Q_OBJECT
public:
    WhatIfPanel(SessionController& controller, const Look& look, QWidget* parent = nullptr);

    // A saved tensor of this plan. Numbers of the same tensor stay until the new ones are there.
    void showTensor(const PlannedStepPtr& planned, TensorIndex t);
    // Hides, and gives up what is being simulated.
    void showNothing();

    QToolButton& pinButton(Decision decision) { return *row(decision).pin; }
    QPushButton& unpinButton() { return *unpin_; }
    // "252.2 ms" and "−21.1 µs"; the first says why where it does not run. "…" while it is not known.
    QString stepText(Decision decision, Rest rest) const;
    QString differenceText(Decision decision, Rest rest) const;
    // Whether the numbers on show are of a plan that is no longer the one that is wanted: greyed, and said
    // so.
    bool isOld(Rest rest) const { return isOld_[static_cast<std::size_t>(rest)]; }
    // "now", "pinned", both or nothing.
    QString state(Decision decision) const;

private:
    struct Cell {
        QLabel* step = nullptr;
        QLabel* difference = nullptr;
    };
    struct Row {
        QLabel* name = nullptr;
        QLabel* state = nullptr;
        std::array<Cell, 2> cells; // by Rest
        QToolButton* pin = nullptr;
    };
    Row& row(Decision decision) { return rows_[static_cast<std::size_t>(decision)]; }
    const Row& row(Decision decision) const { return rows_[static_cast<std::size_t>(decision)]; }
    void addRow(QGridLayout& grid, const Look& look, Decision decision);
    void takeAnswers(const PlannedStepPtr& planned, TensorIndex t, Rest rest, const WhatIfs& answers);
    void showAnswer(Decision decision, Rest rest, const WhatIf& answer, Nanoseconds nowNs);
    void clearCells(const QString& text, Rest rest);
    void showPins();
    void showAge();

    SessionController& controller_;
    PlannedStepPtr planned_;
    TensorIndex tensor_ = none;
    std::array<PlannedStepPtr, 2> answered_; // by Rest: the plan of the numbers on show; null: there are none
    std::array<bool, 2> isOld_{};
    std::array<QLabel*, 2> captions_{}; // by Rest
    std::array<Row, allDecisions.size()> rows_;
    QPushButton* unpin_;
    WhatIfService service_;
};

} // namespace slackscope
