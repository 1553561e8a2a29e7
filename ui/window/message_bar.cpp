#include "ui/window/message_bar.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>

#include <utility>

namespace slackscope {

MessageBar::MessageBar(QWidget* parent) : QFrame(parent), text_(new QLabel), action_(new QPushButton) {
    setObjectName(QStringLiteral("messageBar"));
    setAccessibleName(tr("Message"));
    text_->setWordWrap(true);
    text_->setTextFormat(Qt::PlainText);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* close = new QToolButton;
    close->setText(QStringLiteral("×"));
    close->setFixedSize(22, 22);
    close->setAccessibleName(tr("Close the message"));
    close->setToolTip(tr("Close the message"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(14, 6, 8, 6);
    row->addWidget(text_, 1);
    row->addWidget(action_);
    row->addWidget(close);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    connect(action_, &QPushButton::clicked, this, [this] {
        hide();
        if (onAction_)
            onAction_();
    });
    hide();
}

void MessageBar::showMessage(Severity severity, const QString& text) {
    showMessage(severity, text, {}, {});
}

void MessageBar::showMessage(Severity severity, const QString& text, const QString& action,
                             std::function<void()> onAction) {
    setProperty("severity", severity == Severity::Good   ? QStringLiteral("good")
                            : severity == Severity::Warn ? QStringLiteral("warn")
                                                         : QStringLiteral("bad"));
    style()->unpolish(this);
    style()->polish(this);
    text_->setText(text);
    text_->setAccessibleName(text);
    action_->setText(action);
    action_->setVisible(!action.isEmpty());
    onAction_ = std::move(onAction);
    show();
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

QString MessageBar::text() const {
    return isHidden() ? QString() : text_->text();
}

} // namespace slackscope
