#include "ui/look/card.h"

#include "ui/look/look.h"

#include <QPainter>
#include <QWidget>

namespace slackscope {

void paintCard(QWidget& widget, const Look& look) {
    QPainter painter(&widget);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(look.theme().frame, 1));
    painter.setBrush(look.theme().card);
    painter.drawRoundedRect(QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5), cardRadius, cardRadius);
}

} // namespace slackscope
