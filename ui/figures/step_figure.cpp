#include "ui/figures/step_figure.h"

#include "ui/figures/format.h"
#include "ui/figures/marks.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <qcustomplot.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace slackscope::figures {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(StepFigure)
};

constexpr int cardPadding = 16;
constexpr int cardGap = 12;
constexpr int headerHeight = 36;
constexpr int highestLanes = 210; // more room goes to memory

// Layers that every QCustomPlot has.
QString marksLayer() {
    return QStringLiteral("legend");
}
QString overlayLayer() {
    return QStringLiteral("overlay");
}

class TimeTicker : public QCPAxisTicker {
protected:
    double getTickStep(const QCPRange& range) override {
        const double wanted = range.size() / std::max(mTickCount, 1);
        const double size = std::pow(10.0, std::floor(std::log10(std::max(wanted, 1e-9))));
        step_ = size;
        for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
            step_ = size * factor;
            if (step_ >= wanted)
                break;
        }
        return step_;
    }
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        return formatTimeTick(tick, step_);
    }

private:
    double step_ = 1;
};

class BytesTicker : public QCPAxisTicker {
protected:
    double getTickStep(const QCPRange& range) override {
        step_ = bytesTickStep(range.size(), mTickCount);
        return step_;
    }
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        return formatBytesTick(tick, step_);
    }

private:
    double step_ = 1;
};

double ratioOf(const QCPPainter* painter) {
    return painter->device() ? painter->device()->devicePixelRatioF() : 1.0;
}

bool isVector(const QCPPainter* painter) {
    return painter->modes().testFlag(QCPPainter::pmVectorized);
}

// Something that paints itself on a layer, without being a plottable.
class PaintedLayerable : public QCPLayerable {
public:
    PaintedLayerable(QCustomPlot* plot, const QString& layer, std::function<void(QCPPainter&)> paint)
        : QCPLayerable(plot, layer), paint_(std::move(paint)) {}

protected:
    // The painters switch smoothing on where they want it.
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(false); }
    void draw(QCPPainter* painter) override {
        if (paint_)
            paint_(*painter);
    }

private:
    std::function<void(QCPPainter&)> paint_;
};

// A whole lane set or memory curve as one plottable: QCustomPlot clips and orders it, our painters draw it.
class PaintedPlottable : public QCPAbstractPlottable {
public:
    using Paint = std::function<void(QCPPainter&)>;
    PaintedPlottable(QCPAxis* keyAxis, QCPAxis* valueAxis, Paint paint)
        : QCPAbstractPlottable(keyAxis, valueAxis), paint_(std::move(paint)) {
        setSelectable(QCP::stNone);
    }
    // Hits are found in the picture's arrays, not here.
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
    QCPRange getKeyRange(bool& foundRange, QCP::SignDomain) const override {
        foundRange = false;
        return {};
    }
    QCPRange getValueRange(bool& foundRange, QCP::SignDomain, const QCPRange&) const override {
        foundRange = false;
        return {};
    }

protected:
    void draw(QCPPainter* painter) override {
        painter->setAntialiasing(false);
        paint_(*painter);
    }
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

private:
    Paint paint_;
};

} // namespace

class StepFigure::Impl {
public:
    Impl(QCustomPlot& plot, StepFigureParts parts) : plot_(plot), parts_(parts) {
        plot_.setInteractions(QCP::Interactions());
        plot_.setNoAntialiasingOnDrag(false);
        plot_.plotLayout()->clear();
        plot_.plotLayout()->setRowSpacing(0);
        plot_.plotLayout()->setMargins(QMargins(cardPadding, 2, cardPadding, cardPadding - 6));
        group_ = new QCPMarginGroup(&plot_); // owned by the plot, as all below
        int row = 0;
        if (parts_.timeline)
            lanes_ = addPanel(row, laneHeader_);
        if (parts_.timeline && parts_.memory) {
            auto* gap = new QCPLayoutElement(&plot_);
            gap->setMinimumSize(1, cardGap + 10);
            gap->setMaximumSize(QWIDGETSIZE_MAX, cardGap + 10);
            plot_.plotLayout()->addElement(row++, 0, gap);
        }
        if (parts_.memory)
            memory_ = addPanel(row, memoryHeader_);
        if (lanes_) {
            QCPAxis* values = lanes_->axis(QCPAxis::atLeft);
            values->setTicks(false);
            values->setTickLabels(false);
            values->setBasePen(Qt::NoPen);
            lanes_->axis(QCPAxis::atBottom)->grid()->setVisible(false);
            lanes_->setMinimumSize(80, 96);
            if (memory_)
                lanes_->setMaximumSize(QWIDGETSIZE_MAX, highestLanes);
            new PaintedPlottable(lanes_->axis(QCPAxis::atBottom), values, [this](QCPPainter& painter) {
                if (picture_)
                    paintLanes(painter, laneScene(isVector(&painter), ratioOf(&painter)));
            });
        }
        if (memory_) {
            QCPAxis* values = memory_->axis(QCPAxis::atLeft);
            bytesTicker_ = QSharedPointer<BytesTicker>::create();
            values->setTicker(bytesTicker_);
            values->setBasePen(Qt::NoPen);
            values->setTickPen(Qt::NoPen);
            values->setTickLength(0, 0);
            values->setTickLabelPadding(8);
            memory_->axis(QCPAxis::atBottom)->grid()->setVisible(false);
            memory_->setMinimumSize(80, 72);
            new PaintedPlottable(memory_->axis(QCPAxis::atBottom), values, [this](QCPPainter& painter) {
                if (picture_)
                    paintMemory(painter, memoryScene(isVector(&painter), ratioOf(&painter)));
            });
        }
        new PaintedLayerable(&plot_, QStringLiteral("background"), [this](QCPPainter& p) { paintGround(p); });
        // On buffers of their own, so that they can move without the rest.
        plot_.layer(marksLayer())->setMode(QCPLayer::lmBuffered);
        plot_.layer(overlayLayer())->setMode(QCPLayer::lmBuffered);
        new PaintedLayerable(&plot_, marksLayer(), [this](QCPPainter& painter) {
            if (picture_ && memory_)
                paintMemoryMarks(painter, memoryScene(isVector(&painter), ratioOf(&painter)));
        });
        new PaintedLayerable(&plot_, overlayLayer(), [this](QCPPainter& painter) {
            if (overlay_ && picture_)
                overlay_(painter);
        });
        QObject::connect(&plot_, &QCustomPlot::beforeReplot, &plot_,
                         [this] { adaptTicks(plot_.width(), plot_.height()); });
        QObject::connect(&plot_, &QCustomPlot::afterReplot, &plot_, [this] { isDue_ = false; });
        setTheme(Theme::light());
        setRange({0, 1});
    }

    void setTheme(const Theme& theme) {
        theme_ = theme;
        plot_.setBackground(QBrush(theme.surface));
        QFont font = productFont(11);
        QFontMetricsF metrics(productFont(12));
        double widest = 0;
        for (const Lane lane : allLanes)
            widest = std::max(widest, metrics.horizontalAdvance(laneName(lane)));
        for (QCPAxisRect* rect : {lanes_, memory_}) {
            if (!rect)
                continue;
            rect->setMinimumMargins(QMargins(static_cast<int>(std::ceil(widest)) + 14, 0, 0, 0));
            for (QCPAxis* axis : rect->axes()) {
                axis->setTickLabelFont(font);
                axis->setTickLabelColor(theme.secondaryText);
            }
            QCPAxis* keys = rect->axis(QCPAxis::atBottom);
            keys->setBasePen(QPen(theme.axis, 1));
            keys->setTickPen(QPen(theme.axis, 1));
            keys->setTickLength(0, 4);
            keys->setTickLabelPadding(4);
            QCPGrid* grid = rect->axis(QCPAxis::atLeft)->grid();
            grid->setVisible(rect == memory_);
            grid->setPen(QPen(theme.grid, 1));
            grid->setZeroLinePen(Qt::NoPen);
            grid->setAntialiased(false);
        }
    }

    void setRange(TimeRange range) {
        range_ = range;
        for (QCPAxisRect* rect : {lanes_, memory_}) {
            if (rect)
                rect->axis(QCPAxis::atBottom)->setRange(range.fromNs, range.toNs);
        }
    }

    void fitMemory() {
        topBytes_ = picture_ ? topOfMemory(*picture_, baseline_.get()) : 1;
        if (memory_)
            memory_->axis(QCPAxis::atLeft)->setRange(0, topBytes_);
    }

    Bytes budget() const { return budget_.value_or(picture_ ? picture_->plan().budgetBytes : 0); }

    TimeRange whole() const {
        Nanoseconds longest = picture_ ? picture_->stepNs() : 0;
        if (baseline_)
            longest = std::max(longest, baseline_->stepNs());
        if (picture_ && !picture_->feasible())
            longest = std::max(longest, picture_->unlimitedStepNs());
        return wholeStep(longest);
    }

    Scene laneScene(bool vector, double ratio) const {
        return {picture_.get(),
                baseline_.get(),
                &theme_,
                range_,
                lanes_ ? QRectF(lanes_->rect()) : QRectF(),
                vector,
                ratio};
    }

    MemoryScene memoryScene(bool vector, double ratio) const {
        MemoryScene scene;
        static_cast<Scene&>(scene) = laneScene(vector, ratio);
        scene.area = memory_ ? QRectF(memory_->rect()) : QRectF();
        scene.budget = budget();
        scene.topBytes = topBytes_;
        scene.stacked = stacked_;
        scene.hasHandle = parts_.hasHandle;
        return scene;
    }

    void replotLayer(const QString& layer) {
        // A full replot on its way brings the layer along; until then it must not run ahead of the rest.
        if (!isDue_)
            plot_.layer(layer)->replot();
    }

    void adaptTicks(int width, int height) {
        for (QCPAxisRect* rect : {lanes_, memory_}) {
            if (rect)
                rect->axis(QCPAxis::atBottom)->ticker()->setTickCount(std::clamp(width / 130, 2, 14));
        }
        if (bytesTicker_)
            bytesTicker_->setTickCount(std::clamp(height / (lanes_ ? 90 : 70), 2, 8));
    }

private:
    friend class StepFigure;
    QCustomPlot& plot_;
    StepFigureParts parts_;
    QCPMarginGroup* group_ = nullptr;
    QCPLayoutElement* laneHeader_ = nullptr;
    QCPLayoutElement* memoryHeader_ = nullptr;
    QCPAxisRect* lanes_ = nullptr;
    QCPAxisRect* memory_ = nullptr;
    QSharedPointer<BytesTicker> bytesTicker_;
    std::shared_ptr<const StepPicture> picture_;
    std::shared_ptr<const StepPicture> baseline_;
    Theme theme_;
    TimeRange range_;
    std::optional<Bytes> budget_;
    bool stacked_ = false;
    bool isDue_ = true; // a full replot; nothing was painted yet
    double topBytes_ = 1;
    std::function<void(QPainter&)> overlay_;

    QCPAxisRect* addPanel(int& row, QCPLayoutElement*& header) {
        header = new QCPLayoutElement(&plot_);
        header->setMinimumSize(1, headerHeight);
        header->setMaximumSize(QWIDGETSIZE_MAX, headerHeight);
        plot_.plotLayout()->addElement(row++, 0, header);
        auto* rect = new QCPAxisRect(&plot_, false);
        rect->addAxes(QCPAxis::atLeft | QCPAxis::atBottom);
        rect->setAutoMargins(QCP::msLeft | QCP::msBottom);
        rect->setMarginGroup(QCP::msLeft, group_);
        rect->axis(QCPAxis::atBottom)->setTicker(QSharedPointer<TimeTicker>::create());
        rect->axis(QCPAxis::atBottom)->setSubTicks(false);
        rect->axis(QCPAxis::atLeft)->setSubTicks(false);
        plot_.plotLayout()->addElement(row++, 0, rect);
        return rect;
    }

    QRectF cardOf(const QCPLayoutElement* header, const QCPAxisRect* rect) const {
        return QRectF(header->outerRect())
            .united(QRectF(rect->outerRect()))
            .adjusted(-cardPadding, -2, cardPadding, cardPadding - 6)
            // QCustomPlot clips every layer one pixel above the lower edge.
            .intersected(QRectF(plot_.viewport()).adjusted(0, 0, 0, -1));
    }

    void paintGround(QPainter& painter) const {
        if (lanes_) {
            paintCard(painter, cardOf(laneHeader_, lanes_), theme_);
            paintHeader(painter, QRectF(laneHeader_->rect()), Words::tr("Timeline"), QString(),
                        {{theme_.forward, QStringLiteral("F"), Hatch::None, Words::tr("forward")},
                         {theme_.backward, QStringLiteral("B"), Hatch::None, Words::tr("backward")},
                         {theme_.recompute, QStringLiteral("R"), Hatch::Rising, Words::tr("recompute")},
                         {theme_.offload, QStringLiteral("O"), Hatch::None, Words::tr("offload")},
                         {theme_.prefetch, QStringLiteral("P"), Hatch::None, Words::tr("prefetch")},
                         {theme_.memoryStall, QString(), Hatch::Falling, Words::tr("stall, memory")},
                         {theme_.transferStall, QString(), Hatch::Rising, Words::tr("stall, transfer")}},
                        theme_);
            const QRectF area(lanes_->rect());
            for (const Lane lane : allLanes) {
                const QRectF band = laneRect(area, lane);
                const double left = lanes_->outerRect().left();
                paintText(painter, QRectF(left, band.top(), area.left() - left - 12, band.height()),
                          Qt::AlignRight | Qt::AlignVCenter, laneName(lane), productFont(12),
                          theme_.secondaryText);
            }
        }
        if (memory_) {
            paintCard(painter, cardOf(memoryHeader_, memory_), theme_);
            std::vector<LegendEntry> legend;
            if (stacked_) {
                legend = {{theme_.activations, QString(), Hatch::None, Words::tr("activations, lowest")},
                          {theme_.gradients, QString(), Hatch::None, Words::tr("gradients")},
                          {theme_.workspaces, QString(), Hatch::None, Words::tr("workspaces, on top")}};
            }
            if (baseline_)
                legend.push_back({theme_.baseline, QString(), Hatch::None, Words::tr("pinned plan")});
            paintHeader(painter, QRectF(memoryHeader_->rect()), Words::tr("Memory"),
                        Words::tr("resident activations, gradients and workspaces"), legend, theme_);
        }
    }
};

StepFigure::StepFigure(QCustomPlot& plot, StepFigureParts parts)
    : impl_(std::make_unique<Impl>(plot, parts)) {}

StepFigure::~StepFigure() = default;

void StepFigure::setPicture(std::shared_ptr<const StepPicture> picture) {
    impl_->picture_ = std::move(picture);
    impl_->fitMemory();
}

void StepFigure::setBaseline(std::shared_ptr<const StepPicture> baseline) {
    impl_->baseline_ = std::move(baseline);
    impl_->fitMemory();
}

void StepFigure::setTheme(const Theme& theme) {
    impl_->setTheme(theme);
}

void StepFigure::setStacked(bool stacked) {
    impl_->stacked_ = stacked;
}

void StepFigure::setBudget(std::optional<Bytes> budget) {
    impl_->budget_ = budget;
}

void StepFigure::setRange(TimeRange range) {
    impl_->setRange(range);
}

void StepFigure::setOverlay(std::function<void(QPainter&)> paint) {
    impl_->overlay_ = std::move(paint);
}

const std::shared_ptr<const StepPicture>& StepFigure::picture() const {
    return impl_->picture_;
}

const Theme& StepFigure::theme() const {
    return impl_->theme_;
}

bool StepFigure::isStacked() const {
    return impl_->stacked_;
}

Bytes StepFigure::budget() const {
    return impl_->budget();
}

TimeRange StepFigure::range() const {
    return impl_->range_;
}

TimeRange StepFigure::whole() const {
    return impl_->whole();
}

Scene StepFigure::laneScene() const {
    return impl_->laneScene(false, impl_->plot_.bufferDevicePixelRatio());
}

MemoryScene StepFigure::memoryScene() const {
    return impl_->memoryScene(false, impl_->plot_.bufferDevicePixelRatio());
}

void StepFigure::replot() {
    impl_->isDue_ = true;
    impl_->plot_.replot(QCustomPlot::rpQueuedReplot);
}

void StepFigure::replotNow() {
    impl_->plot_.replot(QCustomPlot::rpImmediateRefresh);
}

void StepFigure::replotMarks() {
    impl_->replotLayer(marksLayer());
}

void StepFigure::replotOverlay() {
    impl_->replotLayer(overlayLayer());
}

void StepFigure::adaptTicks(int width, int height) {
    impl_->adaptTicks(width, height);
}

} // namespace slackscope::figures
