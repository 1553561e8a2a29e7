#include "ui/look/look.h"

#include <QApplication>
#include <QLabel>
#include <QProxyStyle>
#include <QStyle>
#include <QStyleHints>
#include <QToolTip>

namespace slackscope {

namespace {

constexpr int bodyPixels = 13;

const char* roleName(TextRole role) {
    switch (role) {
    case TextRole::Body:
        return "body";
    case TextRole::Title:
        return "title";
    case TextRole::Name:
        return "name";
    case TextRole::Caption:
        return "caption";
    case TextRole::Value:
        return "value";
    case TextRole::Figure:
        return "figure";
    case TextRole::FigureUnit:
        return "unit";
    case TextRole::Verdict:
        return "verdict";
    case TextRole::Good:
        return "good";
    case TextRole::Bad:
        return "bad";
    }
    return "body";
}

// Fusion, but for the lines under menu letters, which appear nowhere else in a quiet window.
class QuietStyle : public QProxyStyle {
public:
    QuietStyle() : QProxyStyle(QStringLiteral("Fusion")) {}
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* result) const override {
        return hint == SH_UnderlineShortcut ? 0 : QProxyStyle::styleHint(hint, option, widget, result);
    }
};

bool isSystemDark() {
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    if (QGuiApplication::styleHints()->colorScheme() != Qt::ColorScheme::Unknown)
        return QGuiApplication::styleHints()->colorScheme() == Qt::ColorScheme::Dark;
#endif
    const QPalette system = QApplication::palette();
    return system.color(QPalette::WindowText).lightness() > system.color(QPalette::Window).lightness();
}

} // namespace

void setRole(QLabel* label, TextRole role) {
    label->setTextFormat(Qt::PlainText); // names come from files: "<b>" is a name, not a wish
    const QString name = QLatin1String(roleName(role));
    if (label->property("role").toString() == name)
        return;
    label->setProperty("role", name);
    label->style()->unpolish(label); // a property selector is looked up only when polished
    label->style()->polish(label);
}

Look::Look(ThemeChoice choice, QObject* parent)
    : QObject(parent), choice_(choice), systemIsDark_(isSystemDark()) {
    QApplication::setStyle(new QuietStyle); // the application takes it over
    QApplication::setFont(figures::productFont(bodyPixels));
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    connect(QGuiApplication::styleHints(), &QStyleHints::colorSchemeChanged, this,
            [this](Qt::ColorScheme scheme) {
                systemIsDark_ = scheme == Qt::ColorScheme::Dark;
                apply();
            });
#endif
    apply();
}

void Look::setChoice(ThemeChoice choice) {
    choice_ = choice;
    apply();
}

void Look::apply() {
    const bool dark = choice_ == ThemeChoice::Dark || (choice_ == ThemeChoice::System && systemIsDark_);
    theme_ = dark ? figures::Theme::dark() : figures::Theme::light();
    QApplication::setPalette(theme_.palette());
    QToolTip::setPalette(theme_.palette());
    qApp->setStyleSheet(styleSheet(theme_));
    emit themeChanged();
}

} // namespace slackscope
