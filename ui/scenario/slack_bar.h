// How much of the transfer time that computation can hide a plan uses, in one direction.
#pragma once

#include "core/profile/units.h"

#include <QColor>
#include <QWidget>

namespace slackscope {

class Look;

class SlackBar : public QWidget {
    Q_OBJECT
public:
    enum class Direction { DeviceToHost, HostToDevice };
    SlackBar(const Look& look, Direction direction, QWidget* parent = nullptr);

    void setSlack(Nanoseconds usedNs, Nanoseconds availableNs);
    QString text() const; // "44.4 of 45.3 ms"
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Look& look_;
    Direction direction_;
    Nanoseconds usedNs_ = 0;
    Nanoseconds availableNs_ = 0;
};

} // namespace slackscope
