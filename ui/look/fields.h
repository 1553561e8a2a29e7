// The input fields of the window.
#pragma once

#include <QComboBox>
#include <QDoubleSpinBox>

namespace slackscope {

class Look;

// A list to choose from, drawn like the other fields.
class ChoiceField : public QComboBox {
    Q_OBJECT
public:
    explicit ChoiceField(const Look& look, QWidget* parent = nullptr);
    // Lets the user type a part of an entry's name to find it.
    void makeSearchable();

    QSize minimumSizeHint() const override;

signals:
    void chosen(int index); // by the user, by any means

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override; // left to the parent: scrolling past changes nothing

private:
    const Look& look_;
};

// A number with its unit. The value counts once it is entered (Enter, Tab) or stepped (arrow keys).
class NumberField : public QDoubleSpinBox {
    Q_OBJECT
public:
    NumberField(const QString& unit, int decimals, double least, double most, QWidget* parent = nullptr);
    void setUnit(const QString& unit);
    // Shows a value that is not the user's entry: emits nothing, leaves half-typed text alone.
    void show(double value);
    // Shows a dash: there is no value. The field stays disabled until the next show().
    void showNothing();

    QString textFromValue(double value) const override;
    QValidator::State validate(QString& text, int& position) const override; // takes a comma for a point

    bool hasValue() const { return hasValue_; }

signals:
    void entered(double value); // by the user

protected:
    void wheelEvent(QWheelEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    QString unit_;
    bool hasValue_ = true;
};

} // namespace slackscope
