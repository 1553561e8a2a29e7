#include "ui/window/dock_card.h"

#include "ui/look/card.h"
#include "ui/look/look.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace slackscope {

DockCard::DockCard(const Look& look, const QString& name, const QString& title, QWidget* content)
    : QDockWidget(title), look_(look) {
    setObjectName(name);
    auto* bar = new QWidget;
    auto* label = new QLabel(title);
    setRole(label, TextRole::Title);
    auto* close = new QToolButton;
    close->setText(QStringLiteral("×"));
    close->setFixedSize(20, 20);
    close->setAccessibleName(tr("Hide %1").arg(title));
    close->setToolTip(tr("Hide; the View menu brings it back"));
    close->setFocusPolicy(Qt::NoFocus); // the keyboard has the View menu
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(cardPadding, 8, 8, 2);
    row->addWidget(label, 1);
    row->addWidget(close);
    connect(close, &QToolButton::clicked, this, &QWidget::close);
    bar->setCursor(Qt::ArrowCursor);
    bar->setToolTip(tr("Drag to move, double click to float"));
    setTitleBarWidget(bar);
    setWidget(content);
    setAccessibleName(title);
}

void DockCard::paintEvent(QPaintEvent*) {
    paintCard(*this, look_);
}

} // namespace slackscope
