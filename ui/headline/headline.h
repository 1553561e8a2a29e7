// The figures that a glance should get: how fast, how much memory, at what price.
#pragma once

#include "ui/session/session_controller.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;

namespace slackscope {

class Look;

// A caption with a value below it.
class Metric : public QWidget {
    Q_OBJECT
public:
    // `sample`: a text as wide as the value usually gets, so that the row does not jump while it changes.
    Metric(const QString& caption, const QString& sample, QWidget* parent = nullptr);
    void setValue(const QString& value, const QString& tip);
    QString value() const;

private:
    QLabel* value_;
    QString caption_;
};

// Whether model state and activations fit the device; `fits` absent: the device is not known.
struct DeviceFit {
    std::optional<bool> fits;
    QString text; // "fits in 80.0 GiB", "over by 3.21 GiB"
    QString tip;
};
DeviceFit deviceFit(const Profile& profile, Bytes peakBytes);

// "at most 0.3 % from the best possible", in words that are true for a lower bound of the plan's step.
QString boundText(const Plan& plan, Nanoseconds lowerBoundNs);

class Headline : public QWidget {
    Q_OBJECT
public:
    explicit Headline(SessionController& controller, QWidget* parent = nullptr);

    QPushButton& useMinimumButton() { return *useMinimum_; }
    QPushButton& cancelButton() { return *cancel_; }

private:
    void showPlan();
    void showFeasible(const Plan& plan);
    void showBound(const Plan& plan);
    void showInfeasible(const Plan& plan);
    void showBusy();

    SessionController& controller_;
    QLabel* figure_;
    QLabel* unit_;
    QLabel* figureCaption_;
    QLabel* bound_;
    QStackedWidget* pages_;
    Metric* step_;
    Metric* tokens_;
    Metric* peak_;
    Metric* offloaded_;
    Metric* recomputed_;
    Metric* stalled_;
    Metric* strategy_;
    QLabel* blocked_;
    QLabel* smallest_;
    QPushButton* useMinimum_;
    QLabel* chip_;
    QLabel* fit_;
    QProgressBar* progress_;
    QPushButton* cancel_;
};

} // namespace slackscope
