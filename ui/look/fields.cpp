#include "ui/look/fields.h"

#include "ui/look/look.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QLineEdit>
#include <QPainter>
#include <QSignalBlocker>
#include <QStyle>
#include <QTimer>
#include <QWheelEvent>

namespace slackscope {

ChoiceField::ChoiceField(const Look& look, QWidget* parent) : QComboBox(parent), look_(look) {
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(8);
    setFocusPolicy(Qt::StrongFocus);
    setMaxVisibleItems(24);
    connect(this, &QComboBox::activated, this, &ChoiceField::chosen);
}

void ChoiceField::makeSearchable() {
    setEditable(true);
    setInsertPolicy(QComboBox::NoInsert);
    auto* completer = new QCompleter(model(), this);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCompletionMode(QCompleter::PopupCompletion);
    setCompleter(completer);
    // Text that names no entry goes back to the present one.
    connect(lineEdit(), &QLineEdit::editingFinished, this,
            [this] { QTimer::singleShot(0, this, [this] { setEditText(itemText(currentIndex())); }); });
}

QSize ChoiceField::minimumSizeHint() const {
    return {60, QComboBox::minimumSizeHint().height()};
}

void ChoiceField::paintEvent(QPaintEvent* event) {
    QComboBox::paintEvent(event);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(isEnabled() ? look_.theme().secondaryText : look_.theme().frame, 1.5, Qt::SolidLine,
                        Qt::RoundCap, Qt::RoundJoin));
    const QPointF tip(width() - 12.0, height() / 2.0 + 2);
    painter.drawPolyline(QPolygonF{tip + QPointF(-4, -4), tip, tip + QPointF(4, -4)});
}

void ChoiceField::wheelEvent(QWheelEvent* event) {
    event->ignore();
}

NumberField::NumberField(const QString& unit, int decimals, double least, double most, QWidget* parent)
    : QDoubleSpinBox(parent) {
    setButtonSymbols(QAbstractSpinBox::NoButtons);
    setDecimals(decimals);
    setRange(least, most);
    setKeyboardTracking(false);
    setFocusPolicy(Qt::StrongFocus);
    setLocale(QLocale::c()); // as every other number of the product
    setUnit(unit);
    connect(this, &QDoubleSpinBox::valueChanged, this, &NumberField::entered);
}

void NumberField::setUnit(const QString& unit) {
    unit_ = unit;
    setSuffix(unit.isEmpty() || !hasValue_ ? QString() : QStringLiteral("\u00a0") + unit);
}

void NumberField::show(double value) {
    if (hasFocus() && lineEdit()->isModified())
        return;
    const QSignalBlocker quiet(this);
    hasValue_ = true;
    setUnit(unit_);
    setEnabled(true);
    setValue(value);
}

void NumberField::showNothing() {
    const QSignalBlocker quiet(this);
    hasValue_ = false;
    setUnit(unit_); // writes the text anew
    setEnabled(false);
}

QString NumberField::textFromValue(double value) const {
    return hasValue_ ? QString::number(value, 'f', decimals()) : QStringLiteral("\u2013");
}

QValidator::State NumberField::validate(QString& text, int& position) const {
    text.replace(QLatin1Char(','), QLatin1Char('.'));
    return QDoubleSpinBox::validate(text, position);
}

void NumberField::wheelEvent(QWheelEvent* event) {
    if (hasFocus())
        QDoubleSpinBox::wheelEvent(event);
    else
        event->ignore();
}

void NumberField::focusInEvent(QFocusEvent* event) {
    QDoubleSpinBox::focusInEvent(event);
    if (event->reason() != Qt::PopupFocusReason)
        QTimer::singleShot(0, this, &QAbstractSpinBox::selectAll);
}

} // namespace slackscope
