// The decisions that the user has pinned, each with a way to clear it.
#pragma once

#include "ui/session/session_controller.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace slackscope {

class PinList : public QWidget {
    Q_OBJECT
public:
    explicit PinList(SessionController& controller, QWidget* parent = nullptr);

    QTreeWidget& list() { return *list_; }
    QPushButton& clearAllButton() { return *clearAll_; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void showPins();
    void addPin(const StepGraph& graph, const Pin& pin);
    void select(const QTreeWidgetItem* item);

    SessionController& controller_;
    QLabel* title_;
    QPushButton* clearAll_;
    QTreeWidget* list_;
};

} // namespace slackscope
