// The three decisions as widgets: a lettered swatch as in the decision map, and a chip with the word.
#pragma once

#include "core/planner/decision.h"

#include <QWidget>

namespace slackscope {

class Look;

// Without a word: for rows that name the decision beside it.
class DecisionMark : public QWidget {
    Q_OBJECT
public:
    DecisionMark(const Look& look, Decision decision, QWidget* parent = nullptr);
    QSize sizeHint() const override { return {16, 16}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Look& look_;
    Decision decision_;
};

// The decision as a lettered chip in its colour.
class DecisionChip : public QWidget {
    Q_OBJECT
public:
    explicit DecisionChip(const Look& look, QWidget* parent = nullptr);
    void setDecision(Decision decision, bool isPinned);
    QString text() const;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Look& look_;
    Decision decision_ = Decision::Keep;
    bool isPinned_ = false;
};

} // namespace slackscope
