// The decision map: one cell per saved tensor, coloured and lettered keep, offload or recompute.
//
// Click selects a tensor, drag selects all cells that the band touches, arrow keys move the selection, Escape
// clears it.
#pragma once

#include "ui/figures/step_picture.h"
#include "ui/figures/theme.h"

#include <QWidget>

#include <memory>

namespace slackscope::figures {

class DecisionMap : public QWidget {
    Q_OBJECT
public:
    explicit DecisionMap(QWidget* parent = nullptr);
    ~DecisionMap() override;

    void setPicture(std::shared_ptr<const StepPicture> picture); // nullptr = none
    void setTheme(const Theme& theme);
    void setSelection(const Selection& selection); // emits nothing
    const Selection& selection() const;
    // Cells filled in proportion to their bytes.
    void setShowBytes(bool show);
    bool showsBytes() const;

    // In this widget's coordinates; empty when the tensor has no cell.
    QRectF cellRect(TensorIndex tensor) const;
    TensorIndex tensorAt(QPointF position) const; // none: no cell there

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void selectionChanged(const slackscope::figures::Selection& selection); // by the user
    void hovered(const slackscope::figures::HoverInfo& info);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace slackscope::figures
