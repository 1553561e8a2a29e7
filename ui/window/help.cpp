#include "ui/window/help.h"

#include "ui/look/look.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <array>
#include <utility>

namespace slackscope {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Help", text);
}

// Raised when it is open already.
QDialog* dialog(QWidget* parent, const QString& name, const QString& title) {
    if (auto* open = parent->findChild<QDialog*>(name)) {
        open->raise();
        open->activateWindow();
        return nullptr;
    }
    auto* made = new QDialog(parent);
    made->setObjectName(name);
    made->setWindowTitle(title);
    made->setAttribute(Qt::WA_DeleteOnClose);
    auto* layout = new QVBoxLayout(made);
    layout->setContentsMargins(22, 18, 22, 16);
    layout->setSpacing(14);
    return made;
}

void finish(QDialog* made) {
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QObject::connect(buttons, &QDialogButtonBox::rejected, made, &QDialog::close);
    made->layout()->addWidget(buttons);
    made->show();
}

} // namespace

void showKeys(QWidget* parent) {
    QDialog* made = dialog(parent, QStringLiteral("keys"), tr("Keys"));
    if (!made)
        return;
    const std::array<std::pair<QString, QString>, 18> keys{{
        {tr("Wheel, + and -, W and S"), tr("zoom the time axis")},
        {tr("Drag, A and D"), tr("move along the time axis")},
        {tr("Shift+drag"), tr("select a stretch of time")},
        {tr("Double click, F"), tr("fit the selection")},
        {tr("Home, 0"), tr("fit the whole step")},
        {tr("Alt+Left, Alt+Right"), tr("zoom history")},
        {tr("Click, arrows in the map"), tr("select a tensor")},
        {tr("Drag in the map"), tr("select several tensors")},
        {tr("Escape"), tr("clear the selection; cancel planning")},
        {tr("Arrows on the budget, in the tradeoff"), tr("half a percent")},
        {tr("Page Up, Page Down on the budget"), tr("five percent")},
        {tr("Home, End on the budget"), tr("the ends")},
        {tr("Ctrl+B"), tr("go to the budget")},
        {tr("Delete in the list of pins"), tr("clear the pin")},
        {tr("Ctrl+Z, Ctrl+Shift+Z"), tr("undo, redo")},
        {tr("Ctrl+O"), tr("open a file")},
        {tr("Ctrl+E, Ctrl+Shift+C"), tr("export, copy the picture")},
        {tr("?"), tr("this list")},
    }};
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(28);
    grid->setVerticalSpacing(6);
    int row = 0;
    for (const auto& [key, what] : keys) {
        auto* name = new QLabel(key);
        auto* meaning = new QLabel(what);
        setRole(meaning, TextRole::Caption);
        grid->addWidget(name, row, 0);
        grid->addWidget(meaning, row, 1);
        ++row;
    }
    static_cast<QVBoxLayout*>(made->layout())->addLayout(grid);
    finish(made);
}

void showAbout(QWidget* parent) {
    QDialog* made = dialog(parent, QStringLiteral("about"), tr("About SlackScope"));
    if (!made)
        return;
    auto* name = new QLabel(QStringLiteral("SlackScope %1").arg(QCoreApplication::applicationVersion()));
    setRole(name, TextRole::Name);
    auto* words = new QLabel(
        tr("See and plan what one training step keeps in GPU memory: which activations stay, which go to the "
           "host, which "
           "are made again, and what each costs.\n\n"
           "Everything shown is simulated, not measured on a GPU. Kernel times come from the profile and do "
           "not change "
           "when copies run beside them. Fragmentation is not modelled: the memory shown is what buffers "
           "occupy, not "
           "what an allocator reserves.\n\n"
           "Free software under the GNU General Public License, version 3. Made with Qt and QCustomPlot."));
    words->setWordWrap(true);
    words->setMinimumWidth(420);
    words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    made->layout()->addWidget(name);
    made->layout()->addWidget(words);
    finish(made);
}

} // namespace slackscope
