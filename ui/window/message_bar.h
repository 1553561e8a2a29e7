// One line above the pictures that says what went wrong and what to do; never in the way.
#pragma once

#include <QFrame>

#include <functional>

class QLabel;
class QPushButton;

namespace slackscope {

class MessageBar : public QFrame {
    Q_OBJECT
public:
    enum class Severity { Good, Warn, Bad };
    explicit MessageBar(QWidget* parent = nullptr); // hidden

    void showMessage(Severity severity, const QString& text);
    // With a button that does something about it.
    void showMessage(Severity severity, const QString& text, const QString& action,
                     std::function<void()> onAction);
    QString text() const;

private:
    QLabel* text_;
    QPushButton* action_;
    std::function<void()> onAction_;
};

} // namespace slackscope
