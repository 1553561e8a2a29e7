#include "ui/figures/decision_map.h"

#include "ui/figures/decision_painter.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPixmap>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace slackscope::figures {

class DecisionMap::Impl {
public:
    explicit Impl(DecisionMap& owner) : owner_(owner) {}

    QRectF panel() const { return QRectF(owner_.rect()); }
    const DecisionGrid* grid() const { return picture_ ? &picture_->grid() : nullptr; }
    DecisionLayout layout() const {
        return picture_ ? DecisionLayout(picture_->grid(), decisionArea(panel())) : DecisionLayout();
    }
    TensorIndex tensorAt(QPointF at) const {
        if (!grid())
            return none;
        const std::int32_t cell = layout().cellAt(*grid(), at);
        return cell == none ? none : grid()->cells[static_cast<std::size_t>(cell)].tensor;
    }
    void choose(const Selection& selection) {
        if (selection == selection_)
            return;
        selection_ = selection;
        owner_.update();
        emit owner_.selectionChanged(selection_);
    }
    void hover(TensorIndex t) {
        if (t == hoveredTensor_)
            return;
        hoveredTensor_ = t;
        emit owner_.hovered(t == none ? HoverInfo{} : picture_->describeTensor(t));
        owner_.update();
    }
    QRectF band() const { return QRectF(pressedAt_, draggedTo_).normalized(); }
    // The nearest cell of a neighbouring slot in a direction, from the selected one.
    void step(int rows, int columns);
    void paintSelection(QPainter& painter) const;
    // The map without selection, up to date: while the budget moves, only the cells that flip are painted.
    const QPixmap& painted();
    void repaint() {
        painted_ = {};
        owner_.update();
    }

private:
    friend class DecisionMap;
    DecisionMap& owner_;
    std::shared_ptr<const StepPicture> picture_;
    QPixmap painted_;
    std::shared_ptr<const StepPicture> paintedPicture_;
    Theme theme_ = Theme::light();
    Selection selection_;
    bool bytes_ = false;
    TensorIndex hoveredTensor_ = none;
    bool isPressed_ = false;
    bool isBand_ = false;
    QPointF pressedAt_;
    QPointF draggedTo_;
};

void DecisionMap::Impl::step(int rows, int columns) {
    if (!grid() || grid()->cells.empty())
        return;
    const DecisionGrid& all = *grid();
    const TensorIndex from = selection_.tensor();
    const std::int32_t current = from == none ? none : all.cellOfTensor[static_cast<std::size_t>(from)];
    if (current == none) {
        choose({{all.cells.front().tensor}, none});
        return;
    }
    const DecisionCell& cell = all.cells[static_cast<std::size_t>(current)];
    std::int32_t next = none;
    if (columns != 0) {
        // Along the row cells lie in order, those that share a slot too.
        const std::int32_t candidate = current + columns;
        if (candidate >= 0 && candidate < static_cast<std::int32_t>(all.cells.size()) &&
            all.cells[static_cast<std::size_t>(candidate)].row == cell.row)
            next = candidate;
    } else {
        for (std::int32_t row = cell.row + rows;
             row >= 0 && row < static_cast<std::int32_t>(all.rows.size()) && next == none; row += rows) {
            const std::size_t slot =
                static_cast<std::size_t>(row) * all.columns.size() + static_cast<std::size_t>(cell.column);
            if (all.firstCell[slot + 1] > all.firstCell[slot])
                next = all.firstCell[slot];
        }
    }
    if (next != none)
        choose({{all.cells[static_cast<std::size_t>(next)].tensor}, none});
}

const QPixmap& DecisionMap::Impl::painted() {
    const double ratio = owner_.devicePixelRatioF();
    const QSize pixels = (QSizeF(owner_.size()) * ratio).toSize();
    const bool fits = painted_.size() == pixels && painted_.devicePixelRatio() == ratio;
    if (fits && paintedPicture_ == picture_)
        return painted_;
    DecisionScene scene{picture_.get(), &theme_, panel(), bytes_, {}};
    // A clip between two pixels would leave seams.
    if (fits && picture_ && paintedPicture_ && ratio == std::floor(ratio))
        scene.only = decisionChanges(scene, *paintedPicture_);
    if (!fits) {
        painted_ = QPixmap(pixels);
        painted_.setDevicePixelRatio(ratio);
    }
    QPainter painter(&painted_);
    if (!scene.only.isEmpty())
        painter.setClipRegion(scene.only);
    painter.fillRect(owner_.rect(), theme_.surface);
    paintDecisions(painter, scene);
    paintedPicture_ = picture_;
    return painted_;
}

void DecisionMap::Impl::paintSelection(QPainter& painter) const {
    if (!grid())
        return;
    const DecisionLayout places = layout();
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    const auto outline = [&](TensorIndex t, const QPen& outer, const QPen& inner) {
        if (t < 0 || static_cast<std::size_t>(t) >= grid()->cellOfTensor.size())
            return;
        const std::int32_t cell = grid()->cellOfTensor[static_cast<std::size_t>(t)];
        if (cell == none)
            return;
        const QRectF rect = places.cellRect(grid()->cells[static_cast<std::size_t>(cell)]);
        painter.setPen(outer);
        painter.drawRoundedRect(rect.adjusted(-1, -1, 1, 1), 3, 3);
        painter.setPen(inner);
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    };
    for (const TensorIndex t : selection_.tensors)
        outline(t, QPen(theme_.selection, 2), QPen(theme_.card, 1));
    if (hoveredTensor_ != none)
        outline(hoveredTensor_, QPen(theme_.accent, 1.5), QPen(Qt::NoPen));
    if (isBand_) {
        painter.setPen(QPen(theme_.accent, 1));
        painter.setBrush(theme_.rangeBand);
        painter.drawRect(band());
    }
    if (owner_.hasFocus() && selection_.empty()) {
        painter.setPen(QPen(theme_.accent, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(panel().adjusted(1, 1, -1, -1), 7, 7);
    }
}

DecisionMap::DecisionMap(QWidget* parent) : QWidget(parent), impl_(std::make_unique<Impl>(*this)) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Decision map"));
}

DecisionMap::~DecisionMap() = default;

void DecisionMap::setPicture(std::shared_ptr<const StepPicture> picture) {
    impl_->picture_ = std::move(picture);
    impl_->hoveredTensor_ = none;
    setAccessibleDescription(impl_->picture_ ? impl_->picture_->decisionSummary() : QString());
    update();
}

void DecisionMap::setTheme(const Theme& theme) {
    impl_->theme_ = theme;
    impl_->repaint();
}

void DecisionMap::setSelection(const Selection& selection) {
    if (selection == impl_->selection_)
        return;
    impl_->selection_ = selection;
    update();
}

const Selection& DecisionMap::selection() const {
    return impl_->selection_;
}

void DecisionMap::setShowBytes(bool show) {
    impl_->bytes_ = show;
    impl_->repaint();
}

bool DecisionMap::showsBytes() const {
    return impl_->bytes_;
}

QRectF DecisionMap::cellRect(TensorIndex tensor) const {
    if (!impl_->grid() || tensor < 0 ||
        static_cast<std::size_t>(tensor) >= impl_->grid()->cellOfTensor.size())
        return {};
    const std::int32_t cell = impl_->grid()->cellOfTensor[static_cast<std::size_t>(tensor)];
    return cell == none ? QRectF()
                        : impl_->layout().cellRect(impl_->grid()->cells[static_cast<std::size_t>(cell)]);
}

TensorIndex DecisionMap::tensorAt(QPointF position) const {
    return impl_->tensorAt(position);
}

QSize DecisionMap::sizeHint() const {
    return {900, 230};
}

QSize DecisionMap::minimumSizeHint() const {
    return {320, 120};
}

void DecisionMap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.drawPixmap(0, 0, impl_->painted());
    impl_->paintSelection(painter);
}

void DecisionMap::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    impl_->isPressed_ = true;
    impl_->pressedAt_ = event->position();
    impl_->draggedTo_ = event->position();
}

void DecisionMap::mouseMoveEvent(QMouseEvent* event) {
    if (!impl_->isPressed_) {
        impl_->hover(impl_->tensorAt(event->position()));
        return;
    }
    impl_->draggedTo_ = event->position();
    if ((impl_->draggedTo_ - impl_->pressedAt_).manhattanLength() > 5)
        impl_->isBand_ = true;
    update();
}

void DecisionMap::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !impl_->isPressed_)
        return;
    impl_->isPressed_ = false;
    Selection chosen;
    if (impl_->isBand_ && impl_->grid()) {
        for (const std::int32_t cell : impl_->layout().cellsIn(*impl_->grid(), impl_->band()))
            chosen.tensors.push_back(impl_->grid()->cells[static_cast<std::size_t>(cell)].tensor);
    } else if (const TensorIndex t = impl_->tensorAt(impl_->pressedAt_); t != none) {
        chosen.tensors = {t};
    }
    impl_->isBand_ = false;
    update();
    impl_->choose(chosen);
}

void DecisionMap::leaveEvent(QEvent* event) {
    impl_->hover(none);
    QWidget::leaveEvent(event);
}

void DecisionMap::keyPressEvent(QKeyEvent* event) {
    switch (event->modifiers() == Qt::NoModifier ? event->key() : 0) {
    case Qt::Key_Left:
        impl_->step(0, -1);
        break;
    case Qt::Key_Right:
        impl_->step(0, 1);
        break;
    case Qt::Key_Up:
        impl_->step(-1, 0);
        break;
    case Qt::Key_Down:
        impl_->step(1, 0);
        break;
    case Qt::Key_Escape:
        impl_->choose({});
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

bool DecisionMap::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const TensorIndex t = impl_->tensorAt(help->pos());
        if (t == none) {
            QToolTip::hideText();
        } else {
            const HoverInfo info = impl_->picture_->describeTensor(t);
            QString text = QStringLiteral("<b>") + info.title.toHtmlEscaped() + QStringLiteral("</b>");
            for (const QString& line : info.lines)
                text += QStringLiteral("<br>") + line.toHtmlEscaped();
            QToolTip::showText(help->globalPos(), text, this, cellRect(t).toAlignedRect());
        }
        return true;
    }
    return QWidget::event(event);
}

} // namespace slackscope::figures
