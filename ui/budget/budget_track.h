// The budget slider: a track coloured by what each budget does, and a handle.
//
// Arrows step half a percent, Page keys five, Home and End go to the ends; the wheel steps as the arrows do.
#pragma once

#include "ui/session/sweep_service.h"

#include <QWidget>

#include <optional>
#include <span>

namespace slackscope {

class Look;

// A stretch of the track with one effect.
struct TrackRegion {
    double from = 0; // fractions of the unlimited peak
    double to = 0;
    std::optional<BudgetEffect> effect; // absent: not known yet
    bool operator==(const TrackRegion&) const = default;
};

// The whole track from 0 to 1. Between two points of a sweep the border lies in the middle; where they are
// too far apart to speak for what lies between, nothing is known. `minimum` is exact: below it nothing is
// feasible.
std::vector<TrackRegion> trackRegions(std::span<const EffectPoint> points, std::optional<double> minimum);

class BudgetTrack : public QWidget {
    Q_OBJECT
public:
    explicit BudgetTrack(const Look& look, QWidget* parent = nullptr);

    double fraction() const { return fraction_; }
    void setFraction(double fraction); // emits nothing
    // Absent while nothing is loaded.
    void setPeak(std::optional<Bytes> peak);
    void setMinimum(std::optional<Bytes> minimum);
    void setEffects(Effects effects);

    // What a screen reader says.
    QString valueText() const;
    // The same as dragging to `fraction`: a gesture of its own.
    void enter(double fraction);

    QPointF handlePosition() const; // its centre
    QPointF positionOf(double fraction) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void moved(double fraction, bool newGesture); // by the user

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRectF trackRect() const;
    double fractionAt(double x) const;
    void moveTo(double fraction, bool newGesture);
    void showRegions();
    void paintLabels(QPainter& painter);
    QString regionText(BudgetEffect effect) const;

    const Look& look_;
    double fraction_ = 0.5;
    std::optional<Bytes> peak_;
    std::optional<Bytes> minimum_;
    Effects effects_;
    std::vector<TrackRegion> regions_;
    bool dragging_ = false;
    double grabOffset_ = 0; // from the pointer to the handle's centre
    int wheelRest_ = 0;
    qint64 lastWheelMs_ = 0;
};

} // namespace slackscope
