#include "ui/look/look.h"

#include <array>
#include <utility>

namespace slackscope {

namespace {

constexpr auto source = R"(
QMainWindow, QDialog, #surface { background: @surface; }
QToolTip { background: @tooltip; color: @text; border: 1px solid @frame; padding: 5px 7px; }

QLabel { background: transparent; color: @text; }
QLabel:disabled { color: @secondaryText; }
QLabel[role="title"] { font-size: 14px; font-weight: 600; }
QLabel[role="name"] { font-size: 15px; font-weight: 600; }
QLabel[role="caption"] { color: @secondaryText; font-size: 12px; }
QLabel[role="value"] { font-size: 15px; font-weight: 500; }
QLabel[role="figure"] { font-size: 42px; font-weight: 700; }
QLabel[role="unit"] { font-size: 20px; font-weight: 600; }
QLabel[role="verdict"] { color: @bad; font-size: 26px; font-weight: 700; }
QLabel[role="good"] { color: @good; font-size: 13px; font-weight: 500; }
QLabel[role="bad"] { color: @bad; font-size: 13px; font-weight: 500; }

QMenuBar { background: @card; color: @text; border: none; padding: 1px 6px; }
QMenuBar::item { background: transparent; padding: 5px 11px; border-radius: 5px; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: @selectedItem; }
QMenu { background: @card; color: @text; border: 1px solid @frame; padding: 5px; }
QMenu::item { padding: 5px 26px 5px 24px; border-radius: 4px; }
QMenu::item:selected { background: @selectedItem; }
QMenu::item:disabled { color: @secondaryText; }
QMenu::separator { height: 1px; background: @frame; margin: 5px 8px; }
QMenu::icon { padding-left: 6px; }

QAbstractSpinBox, QLineEdit, QComboBox {
    background: @field; color: @text; border: 1px solid @frame; border-radius: 5px;
    padding: 1px 7px; min-height: 20px; selection-background-color: @accent; selection-color: @accentText;
}
QComboBox QLineEdit, QAbstractSpinBox QLineEdit {
    background: transparent; border: none; padding: 0px; min-height: 0px;
}
QAbstractSpinBox:focus, QLineEdit:focus, QComboBox:focus { border: 1px solid @accent; }
QAbstractSpinBox:disabled, QLineEdit:disabled, QComboBox:disabled { color: @secondaryText; background: @card; }
QComboBox { padding-right: 0px; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: none; }
QComboBox QAbstractItemView, QListView#qt_completer {
    background: @card; color: @text; border: 1px solid @frame; outline: none; padding: 3px;
    selection-background-color: @selectedItem; selection-color: @text;
}
#large { font-size: 17px; font-weight: 500; padding: 5px 8px; border-radius: 6px; }

QPushButton {
    background: @field; color: @text; border: 1px solid @frame; border-radius: 5px; padding: 4px 12px;
}
QPushButton:hover { background: @selectedItem; }
QPushButton:focus { border: 1px solid @accent; }
QPushButton:default, QPushButton#primary { background: @accent; color: @accentText; border: 1px solid @accent; }
QPushButton#small { padding: 1px 8px; font-size: 12px; }
QPushButton:disabled { color: @secondaryText; background: @card; border: 1px solid @frame; }
QToolButton { background: transparent; color: @secondaryText; border: 1px solid transparent; border-radius: 4px; }
QToolButton:hover { background: @selectedItem; }
QToolButton:focus { border: 1px solid @accent; }

QCheckBox::indicator { width: 13px; height: 13px; border: 1px solid @axis; border-radius: 3px; background: @field; }
QCheckBox::indicator:checked { width: 7px; height: 7px; border: 4px solid @accent; background: @accentText; }
QCheckBox::indicator:focus { border-color: @accent; }
QCheckBox, QRadioButton { color: @text; background: transparent; spacing: 7px; }

#headline { background: @card; border-bottom: 1px solid @frame; }
#rule { background: @frame; }
QLabel#chip { background: @field; color: @secondaryText; border-radius: 11px; padding: 4px 11px; font-size: 11px;
    font-weight: 600; }

#messageBar { background: @warnGround; border: 1px solid @frame; border-radius: 6px; }
#messageBar[severity="bad"] { background: @badGround; }
#messageBar[severity="good"] { background: @goodGround; }

QTabBar { background: transparent; }
QTabBar::tab { background: transparent; color: @secondaryText; border: 1px solid transparent; border-radius: 5px;
    padding: 4px 12px; margin: 3px 4px 0px 0px; }
QTabBar::tab:selected { background: @card; color: @text; border: 1px solid @frame; }
QTabBar::tab:hover { color: @text; }

QSplitter::handle { background: transparent; image: none; }
QMainWindow::separator { background: transparent; width: 10px; height: 10px; }
QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; border: none; }
QScrollBar { background: transparent; border: none; }
QScrollBar:vertical { width: 10px; }
QScrollBar:horizontal { height: 10px; }
QScrollBar::handle { background: @axis; border-radius: 3px; margin: 2px; min-height: 24px; min-width: 24px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0px; height: 0px; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QTreeView { background: transparent; color: @text; border: none; outline: none; font-size: 12px;
    selection-background-color: @selectedItem; selection-color: @text; }
QTreeView::item { padding: 2px 0px; border: none; }
QTreeView::item:selected { background: @selectedItem; color: @text; }
QHeaderView, QHeaderView::section { background: transparent; color: @secondaryText; border: none;
    font-size: 12px; padding: 1px 0px; }

QProgressBar { background: @field; border: none; border-radius: 2px; max-height: 4px; }
QProgressBar::chunk { background: @accent; border-radius: 2px; }
QStatusBar { background: @surface; color: @secondaryText; }
)";

} // namespace

QString styleSheet(const figures::Theme& theme) {
    // Longer names first where one begins like another.
    const std::array<std::pair<const char*, QColor>, 18> colors{{
        {"@surface", theme.surface},
        {"@card", theme.card},
        {"@field", theme.field},
        {"@frame", theme.frame},
        {"@axis", theme.axis},
        {"@tooltip", theme.tooltip},
        {"@selectedItem", theme.selectedItem},
        {"@text", theme.text},
        {"@secondaryText", theme.secondaryText},
        {"@accentText", theme.accentText},
        {"@accent", theme.accent},
        {"@goodGround", theme.goodGround},
        {"@warnGround", theme.warnGround},
        {"@badGround", theme.badGround},
        {"@good", theme.good},
        {"@warn", theme.warn},
        {"@bad", theme.bad},
        {"@grid", theme.grid},
    }};
    QString sheet = QString::fromUtf8(source);
    for (const auto& [name, color] : colors)
        sheet.replace(QLatin1String(name), color.name());
    return sheet;
}

} // namespace slackscope
