#include "ui/scenario/slack_bar.h"

#include "ui/figures/format.h"
#include "ui/look/look.h"

#include <QPainter>

#include <algorithm>

namespace slackscope {

namespace {

constexpr int textHeight = 17;
constexpr int barHeight = 7;

} // namespace

SlackBar::SlackBar(const Look& look, Direction direction, QWidget* parent)
    : QWidget(parent), look_(look), direction_(direction) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setSlack(0, 0);
}

void SlackBar::setSlack(Nanoseconds usedNs, Nanoseconds availableNs) {
    usedNs_ = usedNs;
    availableNs_ = availableNs;
    const bool out = direction_ == Direction::DeviceToHost;
    setAccessibleName((out ? tr("Slack, device to host: %1") : tr("Slack, host to device: %1")).arg(text()));
    setToolTip((out ? tr("Copies to the host take %1. Computation can hide %2: from the first saved tensor "
                         "to the end "
                         "of the forward pass.")
                    : tr("Copies back to the device take %1. Computation can hide %2: from the start of the "
                         "backward "
                         "pass to the last backward that reads a saved tensor."))
                   .arg(figures::formatTime(usedNs), figures::formatTime(availableNs)));
    update();
}

QString SlackBar::text() const {
    QString used = figures::formatTime(usedNs_);
    const QString available = figures::formatTime(availableNs_);
    if (usedNs_ == 0)
        used = QStringLiteral("0");
    else if (used.section(QLatin1Char(' '), 1) == available.section(QLatin1Char(' '), 1))
        used = used.section(QLatin1Char(' '), 0, 0);
    return tr("%1 of %2").arg(used, available);
}

QSize SlackBar::sizeHint() const {
    return {180, textHeight + barHeight + 3};
}

void SlackBar::paintEvent(QPaintEvent*) {
    const figures::Theme& theme = look_.theme();
    const bool out = direction_ == Direction::DeviceToHost;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(figures::tabularFont(12));
    const QRectF line(0, 0, width(), textHeight);
    painter.setPen(theme.secondaryText);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, out ? tr("device → host") : tr("host → device"));
    painter.setPen(theme.text);
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, text());

    const QRectF ground(0, textHeight + 1, width(), barHeight);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.field);
    painter.drawRoundedRect(ground, barHeight / 2.0, barHeight / 2.0);
    if (usedNs_ <= 0)
        return;
    const double share = availableNs_ > 0
                             ? std::min(1.0, static_cast<double>(usedNs_) / static_cast<double>(availableNs_))
                             : 1.0;
    QRectF filled = ground;
    filled.setWidth(std::max<double>(barHeight, ground.width() * share));
    // More copies than slack: some of them stall the step.
    painter.setBrush(usedNs_ > availableNs_ ? theme.transferStall : out ? theme.offload : theme.prefetch);
    painter.drawRoundedRect(filled, barHeight / 2.0, barHeight / 2.0);
}

} // namespace slackscope
