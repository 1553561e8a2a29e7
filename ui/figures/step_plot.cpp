#include "ui/figures/step_plot.h"

#include "ui/figures/overlay_painter.h"
#include "ui/figures/step_figure.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QTimer>
#include <QToolTip>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace slackscope::figures {

namespace {

constexpr double grabReach = 6;     // pixels around a line that can be dragged
constexpr double thinBarReach = 3;  // pixels around a bar that count as on it
constexpr double dragStart = 4;     // pixels before a press becomes a drag
constexpr double zoomStep = 1.5;    // of a key
constexpr double wheelNotch = 1.25; // zoom of one notch of the wheel
constexpr int settleMs = 400;       // zooming that pauses this long is one entry of the history

QString toolTipText(const HoverInfo& info) {
    QStringList lines{QStringLiteral("<b>") + info.title.toHtmlEscaped() + QStringLiteral("</b>")};
    for (const QString& line : info.lines)
        lines << line.toHtmlEscaped();
    return QStringLiteral("<div style='white-space:nowrap'>") + lines.join(QStringLiteral("<br>")) +
           QStringLiteral("</div>");
}

} // namespace

class StepPlot::Impl {
public:
    enum class Drag : std::uint8_t { None, Pressed, Pan, Stretch, Budget, Playhead };
    // What a point of the plot means.
    struct Hit {
        HoverInfo info;
        Selection selection;
    };

    explicit Impl(StepPlot& owner)
        : owner_(owner), plot_(new QCustomPlot(&owner)), figure_(*plot_, {true, true, true}) {
        figure_.setOverlay([this](QPainter& painter) {
            paintOverlay(painter, figure_.laneScene(), figure_.memoryScene(), overlay_);
        });
        settle_.setSingleShot(true);
        settle_.setInterval(settleMs);
        QObject::connect(&settle_, &QTimer::timeout, &owner_, [this] { history_.visit(figure_.range()); });
    }

    // --- View
    bool showsWhole() const { return figure_.range() == shownWhole_; }
    void look(TimeRange range, bool remember) {
        if (range == figure_.range())
            return;
        if (remember && !history_.canGoBack() && !history_.canGoForward())
            history_.visit(figure_.range());
        figure_.setRange(range);
        if (remember)
            settle_.start();
        figure_.replot();
        emit owner_.viewRangeChanged(range);
    }
    void zoom(double factor) {
        const TimeRange range = figure_.range();
        const double middle =
            overlay_.cursorNs && owner_.underMouse() ? *overlay_.cursorNs : (range.fromNs + range.toNs) / 2;
        look(zoomed(range, middle, factor, figure_.whole()), true);
    }
    void pan(double share) {
        const TimeRange range = figure_.range();
        look(panned(range, range.width() * share, figure_.whole()), true);
    }
    void settleNow() {
        if (settle_.isActive()) {
            settle_.stop();
            history_.visit(figure_.range());
        }
    }

    // --- Points
    double timeAt(double x) const { return figure_.laneScene().map().time(x); }
    Nanoseconds wholeTimeAt(double x) const {
        const double ns = std::clamp(timeAt(x), 0.0, figure_.whole().toNs);
        return static_cast<Nanoseconds>(std::llround(ns));
    }
    bool isInPlots(QPointF at) const {
        return figure_.laneScene().area.contains(at) || figure_.memoryScene().area.contains(at);
    }
    bool isOnBudget(QPointF at) const {
        const MemoryScene scene = figure_.memoryScene();
        if (!figure_.picture() || scene.budget == unlimitedBudget ||
            !scene.area.adjusted(0, -6, 0, 6).contains(at))
            return false;
        const double y = std::max(scene.y(static_cast<double>(scene.budget)), scene.area.top());
        return std::abs(at.y() - y) <= grabReach;
    }
    bool isOnPlayhead(QPointF at) const {
        return overlay_.playhead && (isInPlots(at) || isInPlots(at + QPointF(0, grabReach))) &&
               std::abs(figure_.laneScene().map().pixel(static_cast<double>(*overlay_.playhead)) - at.x()) <=
                   grabReach;
    }
    Bytes budgetAt(double y) const {
        const MemoryScene scene = figure_.memoryScene();
        const double bytes = (scene.area.bottom() - y) / scene.area.height() * scene.topBytes;
        return std::clamp(static_cast<Bytes>(std::llround(std::max(bytes, 0.0))), smallestBudget_,
                          largestBudget_);
    }
    Hit hit(QPointF at) const {
        Hit found;
        if (!figure_.picture() || !figure_.picture()->feasible())
            return found;
        const StepPicture& picture = *figure_.picture();
        const Scene scene = figure_.laneScene();
        const double ns = scene.map().time(at.x());
        for (const Lane lane : allLanes) {
            if (!figures::laneRect(scene.area, lane).contains(at))
                continue;
            const double reach = scene.map().pixelsPerNs() > 0 ? thinBarReach / scene.map().pixelsPerNs() : 0;
            if (lane == Lane::Compute && picture.barAt(lane, ns) == none) {
                if (const std::int32_t stall = picture.stallAt(ns); stall != none) {
                    found.info = picture.describeStall(stall);
                    found.selection.op = found.info.op;
                    return found;
                }
            }
            if (const std::int32_t bar = picture.barNear(lane, ns, reach); bar != none) {
                found.info = picture.describeBar(lane, bar);
                if (found.info.tensor != none)
                    found.selection.tensors = {found.info.tensor};
                found.selection.op = found.info.op;
            }
            return found;
        }
        if (figure_.memoryScene().area.contains(at))
            found.info = picture.describeMemory(ns);
        return found;
    }

    // --- Hovering
    void hover(QPointF at, QPoint globalPosition) {
        overlay_.cursorNs.reset();
        if (isInPlots(at))
            overlay_.cursorNs = std::clamp(timeAt(at.x()), 0.0, figure_.whole().toNs);
        plot_->setCursor(isOnBudget(at)     ? Qt::SizeVerCursor
                         : isOnPlayhead(at) ? Qt::SizeHorCursor
                                            : Qt::ArrowCursor);
        const HoverInfo info = hit(at).info;
        if (info != hovered_) {
            hovered_ = info;
            emit owner_.hovered(info);
        }
        if (info.title.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(globalPosition + QPoint(12, 14), toolTipText(info), plot_);
        figure_.replotOverlay();
    }
    void leave() {
        overlay_.cursorNs.reset();
        if (hovered_ != HoverInfo{}) {
            hovered_ = {};
            emit owner_.hovered(hovered_);
        }
        figure_.replotOverlay();
    }

    // --- Mouse
    void press(const QMouseEvent& event) {
        owner_.setFocus(Qt::MouseFocusReason);
        const QPointF at = event.position();
        if (event.button() != Qt::LeftButton || !figure_.picture())
            return;
        pressedAt_ = at;
        pressedRange_ = figure_.range();
        QToolTip::hideText();
        if (isOnPlayhead(at)) {
            drag_ = Drag::Playhead;
        } else if (isOnBudget(at)) {
            drag_ = Drag::Budget;
        } else if (isInPlots(at)) {
            drag_ = event.modifiers().testFlag(Qt::ShiftModifier) ? Drag::Stretch : Drag::Pressed;
        }
    }
    void move(const QMouseEvent& event) {
        const QPointF at = event.position();
        if (drag_ == Drag::Pressed && std::abs(at.x() - pressedAt_.x()) >= dragStart) {
            drag_ = Drag::Pan;
            plot_->setCursor(Qt::ClosedHandCursor);
        }
        switch (drag_) {
        case Drag::None:
            hover(at, event.globalPosition().toPoint());
            break;
        case Drag::Pressed:
            break;
        case Drag::Pan: {
            const double nsPerPixel = pressedRange_.width() / figure_.laneScene().area.width();
            look(panned(pressedRange_, (pressedAt_.x() - at.x()) * nsPerPixel, figure_.whole()), true);
            break;
        }
        case Drag::Stretch:
            stretchTo(at.x());
            break;
        case Drag::Budget: {
            const Bytes budget = budgetAt(at.y());
            figure_.setBudget(budget);
            figure_.replotMarks();
            emit owner_.budgetDragged(budget);
            break;
        }
        case Drag::Playhead:
            overlay_.playhead = wholeTimeAt(at.x());
            figure_.replotOverlay();
            emit owner_.playheadDragged(*overlay_.playhead);
            break;
        }
    }
    void release(const QMouseEvent& event) {
        if (event.button() != Qt::LeftButton)
            return;
        const Drag ended = std::exchange(drag_, Drag::None);
        switch (ended) {
        case Drag::Pressed:
            choose(hit(pressedAt_).selection);
            if (overlay_.stretch)
                owner_.clearRange();
            break;
        case Drag::Budget:
            emit owner_.budgetDragFinished(figure_.budget());
            break;
        case Drag::Stretch:
            emit owner_.rangeSelected(overlay_.stretch);
            break;
        case Drag::Pan:
            settleNow();
            plot_->setCursor(Qt::ArrowCursor);
            break;
        case Drag::None:
        case Drag::Playhead:
            break;
        }
    }
    void stretchTo(double x) {
        const Nanoseconds first = wholeTimeAt(pressedAt_.x());
        const Nanoseconds second = wholeTimeAt(x);
        overlay_.stretch.reset();
        if (first != second)
            overlay_.stretch = figure_.picture()->read({std::min(first, second), std::max(first, second)});
        figure_.replotOverlay();
    }
    void wheel(const QWheelEvent& event) {
        const QPoint turned = event.angleDelta();
        const bool isSideways =
            std::abs(turned.x()) > std::abs(turned.y()) || event.modifiers().testFlag(Qt::ShiftModifier);
        const TimeRange range = figure_.range();
        if (isSideways) {
            const int by = turned.x() != 0 ? turned.x() : turned.y();
            look(panned(range, -by / 120.0 * range.width() * 0.1, figure_.whole()), true);
        } else {
            look(zoomed(range, timeAt(event.position().x()), std::pow(wheelNotch, turned.y() / 120.0),
                        figure_.whole()),
                 true);
        }
    }
    void choose(const Selection& selection) {
        if (selection == overlay_.selection)
            return;
        overlay_.selection = selection;
        figure_.replotOverlay();
        emit owner_.selectionChanged(selection);
    }

    void describe() {
        const StepPicture* picture = figure_.picture().get();
        owner_.setAccessibleDescription(
            picture ? picture->timelineSummary() + QLatin1Char(' ') + picture->memorySummary() : QString());
    }
    // Qt 6.4 does not say when the pixel ratio changes.
    void followPixelRatio() {
        const double ratio = owner_.devicePixelRatioF();
        if (!qFuzzyCompare(ratio, plot_->bufferDevicePixelRatio())) {
            plot_->setBufferDevicePixelRatio(ratio);
            figure_.replot();
        }
    }

private:
    friend class StepPlot;
    StepPlot& owner_;
    QCustomPlot* plot_; // owned by `owner_`
    StepFigure figure_;
    Overlay overlay_;
    HoverInfo hovered_;
    std::shared_ptr<const StepPicture> baseline_;
    TimeRange shownWhole_{0, 1};
    ViewHistory history_;
    QTimer settle_;
    Drag drag_ = Drag::None;
    QPointF pressedAt_;
    TimeRange pressedRange_;
    Bytes smallestBudget_ = 0;
    Bytes largestBudget_ = unlimitedBudget;
};

StepPlot::StepPlot(QWidget* parent) : QWidget(parent), impl_(std::make_unique<Impl>(*this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(impl_->plot_);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Timeline and memory of the simulated step"));
    impl_->plot_->setFocusPolicy(Qt::NoFocus);
    impl_->plot_->setMouseTracking(true);
    impl_->plot_->installEventFilter(this);
    impl_->plot_->setAccessibleName(tr("Plot of timeline and memory"));
}

StepPlot::~StepPlot() {
    impl_->plot_->removeEventFilter(this);
}

void StepPlot::setPicture(std::shared_ptr<const StepPicture> picture) {
    const bool wasWhole = impl_->showsWhole();
    impl_->figure_.setPicture(std::move(picture));
    if (impl_->drag_ != Impl::Drag::Budget)
        impl_->figure_.setBudget(std::nullopt);
    const TimeRange before = viewRange();
    impl_->shownWhole_ = impl_->figure_.whole();
    impl_->figure_.setRange(wasWhole ? impl_->shownWhole_ : confined(before, impl_->shownWhole_));
    if (impl_->overlay_.stretch) {
        impl_->overlay_.stretch.reset();
        emit rangeSelected(std::nullopt);
    }
    impl_->describe();
    impl_->figure_.replot();
    if (!(viewRange() == before))
        emit viewRangeChanged(viewRange());
}

const std::shared_ptr<const StepPicture>& StepPlot::picture() const {
    return impl_->figure_.picture();
}

void StepPlot::setBaseline(std::shared_ptr<const StepPicture> baseline) {
    const bool wasWhole = impl_->showsWhole();
    impl_->figure_.setBaseline(std::move(baseline));
    impl_->shownWhole_ = impl_->figure_.whole();
    if (wasWhole)
        impl_->figure_.setRange(impl_->shownWhole_);
    impl_->figure_.replot();
}

void StepPlot::setTheme(const Theme& theme) {
    impl_->figure_.setTheme(theme);
    impl_->figure_.replot();
}

void StepPlot::setSelection(const Selection& selection) {
    if (selection == impl_->overlay_.selection)
        return;
    impl_->overlay_.selection = selection;
    impl_->figure_.replotOverlay();
}

const Selection& StepPlot::selection() const {
    return impl_->overlay_.selection;
}

void StepPlot::setStacked(bool stacked) {
    impl_->figure_.setStacked(stacked);
    impl_->figure_.replot();
}

bool StepPlot::isStacked() const {
    return impl_->figure_.isStacked();
}

void StepPlot::setBudget(std::optional<Bytes> budget) {
    impl_->figure_.setBudget(budget);
    impl_->figure_.replotMarks();
}

void StepPlot::setBudgetLimits(Bytes smallest, Bytes largest) {
    impl_->smallestBudget_ = smallest;
    impl_->largestBudget_ = std::max(smallest, largest);
}

void StepPlot::setPlayhead(std::optional<Nanoseconds> at) {
    impl_->overlay_.playhead = at;
    impl_->figure_.replotOverlay();
}

std::optional<Nanoseconds> StepPlot::playhead() const {
    return impl_->overlay_.playhead;
}

TimeRange StepPlot::viewRange() const {
    return impl_->figure_.range();
}

void StepPlot::setViewRange(TimeRange range) {
    impl_->look(confined(range, impl_->figure_.whole()), true);
    impl_->settleNow();
}

std::optional<RangeReadout> StepPlot::rangeReadout() const {
    return impl_->overlay_.stretch;
}

bool StepPlot::canGoBack() const {
    return impl_->history_.canGoBack() || impl_->settle_.isActive();
}

bool StepPlot::canGoForward() const {
    return impl_->history_.canGoForward() && !impl_->settle_.isActive();
}

QRectF StepPlot::laneRect(Lane lane) const {
    return figures::laneRect(impl_->figure_.laneScene().area, lane);
}

QRectF StepPlot::memoryRect() const {
    return impl_->figure_.memoryScene().area;
}

double StepPlot::pixelOf(double ns) const {
    return impl_->figure_.laneScene().map().pixel(ns);
}

double StepPlot::pixelOfBytes(Bytes bytes) const {
    return impl_->figure_.memoryScene().y(static_cast<double>(bytes));
}

QSize StepPlot::sizeHint() const {
    return {900, 420};
}

QSize StepPlot::minimumSizeHint() const {
    return {320, 300};
}

void StepPlot::zoomIn() {
    impl_->zoom(zoomStep);
}

void StepPlot::zoomOut() {
    impl_->zoom(1 / zoomStep);
}

void StepPlot::panLeft() {
    impl_->pan(-0.2);
}

void StepPlot::panRight() {
    impl_->pan(0.2);
}

void StepPlot::fitAll() {
    setViewRange(impl_->figure_.whole());
}

void StepPlot::fitSelection() {
    if (!picture())
        return;
    std::optional<Interval> extent;
    if (impl_->overlay_.stretch)
        extent = impl_->overlay_.stretch->interval;
    else
        extent = picture()->extent(impl_->overlay_.selection);
    if (!extent) {
        fitAll();
        return;
    }
    setViewRange(framed({static_cast<double>(extent->fromNs), static_cast<double>(extent->toNs)},
                        impl_->figure_.whole()));
}

void StepPlot::viewBack() {
    impl_->settleNow();
    if (const std::optional<TimeRange> range = impl_->history_.back())
        impl_->look(confined(*range, impl_->figure_.whole()), false);
}

void StepPlot::viewForward() {
    impl_->settleNow();
    if (const std::optional<TimeRange> range = impl_->history_.forward())
        impl_->look(confined(*range, impl_->figure_.whole()), false);
}

void StepPlot::clearRange() {
    if (!impl_->overlay_.stretch)
        return;
    impl_->overlay_.stretch.reset();
    impl_->figure_.replotOverlay();
    emit rangeSelected(std::nullopt);
}

void StepPlot::keyPressEvent(QKeyEvent* event) {
    const bool isPlain = !(event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier));
    if (event->modifiers() == Qt::AltModifier && event->key() == Qt::Key_Left)
        viewBack();
    else if (event->modifiers() == Qt::AltModifier && event->key() == Qt::Key_Right)
        viewForward();
    else if (!isPlain)
        QWidget::keyPressEvent(event);
    else {
        switch (event->key()) {
        case Qt::Key_W:
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoomIn();
            break;
        case Qt::Key_S:
        case Qt::Key_Minus:
            zoomOut();
            break;
        case Qt::Key_A:
            panLeft();
            break;
        case Qt::Key_D:
            panRight();
            break;
        case Qt::Key_F:
            fitSelection();
            break;
        case Qt::Key_Home:
        case Qt::Key_0:
            fitAll();
            break;
        case Qt::Key_Escape:
            if (impl_->overlay_.stretch)
                clearRange();
            else
                impl_->choose({});
            break;
        default:
            QWidget::keyPressEvent(event);
        }
    }
}

void StepPlot::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    impl_->followPixelRatio();
}

void StepPlot::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    impl_->followPixelRatio();
}

bool StepPlot::eventFilter(QObject* watched, QEvent* event) {
    if (watched != impl_->plot_)
        return QWidget::eventFilter(watched, event);
    switch (event->type()) {
    case QEvent::MouseButtonPress:
        impl_->press(*static_cast<QMouseEvent*>(event));
        return true;
    case QEvent::MouseMove:
        impl_->move(*static_cast<QMouseEvent*>(event));
        return true;
    case QEvent::MouseButtonRelease:
        impl_->release(*static_cast<QMouseEvent*>(event));
        return true;
    case QEvent::MouseButtonDblClick:
        fitSelection();
        return true;
    case QEvent::Wheel:
        impl_->wheel(*static_cast<QWheelEvent*>(event));
        return true;
    case QEvent::Leave:
        impl_->leave();
        return false;
    default:
        return false;
    }
}

} // namespace slackscope::figures
