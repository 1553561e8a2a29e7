// A dock that looks like the other cards.
#pragma once

#include <QDockWidget>

namespace slackscope {

class Look;

class DockCard : public QDockWidget {
    Q_OBJECT
public:
    // `name` identifies the dock in saved layouts.
    DockCard(const Look& look, const QString& name, const QString& title, QWidget* content);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Look& look_;
};

} // namespace slackscope
