// How the window looks: the theme of the figures carried over to widgets, live.
#pragma once

#include "ui/figures/theme.h"

#include <QObject>

class QLabel;
class QWidget;

namespace slackscope {

inline constexpr int cardRadius = 8;   // px
inline constexpr int cardPadding = 14; // px
inline constexpr int gap = 10;         // px, between cards

enum class ThemeChoice { Light, Dark, System };

// What a text is for; the style sheet gives it size, weight and colour.
enum class TextRole { Body, Title, Name, Caption, Value, Figure, FigureUnit, Verdict, Good, Bad };
void setRole(QLabel* label, TextRole role);

// Owns the application's palette and style sheet.
class Look : public QObject {
    Q_OBJECT
public:
    explicit Look(ThemeChoice choice, QObject* parent = nullptr);

    ThemeChoice choice() const { return choice_; }
    const figures::Theme& theme() const { return theme_; }
    void setChoice(ThemeChoice choice);

signals:
    void themeChanged(); // the application already wears it

private:
    void apply();

    ThemeChoice choice_;
    figures::Theme theme_;
    bool systemIsDark_ = false; // as found at the start, before our own palette
};

// The style sheet of all widgets in the colours of the theme.
QString styleSheet(const figures::Theme& theme);

} // namespace slackscope
