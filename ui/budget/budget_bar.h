// The budget: its slider and the two fields that say it in percent and in bytes.
#pragma once

#include "ui/session/session_controller.h"

#include <QWidget>

namespace slackscope {

class BudgetTrack;
class Look;
class NumberField;

class BudgetBar : public QWidget {
    Q_OBJECT
public:
    BudgetBar(SessionController& controller, const Look& look, QWidget* parent = nullptr);

    BudgetTrack& track() { return *track_; }
    NumberField& percentField() { return *percent_; }
    NumberField& bytesField() { return *size_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void chooseUnit();
    void showBudget();
    void showPlan();

    SessionController& controller_;
    const Look& look_;
    BudgetTrack* track_;
    NumberField* percent_;
    NumberField* size_;
    double unit_; // bytes of one unit of the size field, KiB to PiB, as the peak asks for
    int gesture_ = 0;
};

} // namespace slackscope
