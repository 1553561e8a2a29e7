// The menus of the main window.
#include "ui/budget/budget_bar.h"
#include "ui/budget/budget_track.h"
#include "ui/look/look.h"
#include "ui/window/dock_card.h"
#include "ui/window/help.h"
#include "ui/window/main_window.h"

#include "core/planner/strategy.h"

#include <QActionGroup>
#include <QFileInfo>
#include <QMenuBar>

namespace slackscope {

namespace {

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

} // namespace

void MainWindow::buildMenus() {
    buildFileMenu();
    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    QAction* undo = controller_.undoStack().createUndoAction(this, tr("&Undo"));
    undo->setShortcuts(QKeySequence::Undo);
    QAction* redo = controller_.undoStack().createRedoAction(this, tr("&Redo"));
    redo->setShortcuts({QKeySequence(tr("Ctrl+Shift+Z")), QKeySequence(tr("Ctrl+Y"))});
    edit->addAction(undo);
    edit->addAction(redo);
    edit->addSeparator();
    edit->addAction(tr("Go to &Budget"), tr("Ctrl+B"), this,
                    [this] { budget_->track().setFocus(Qt::ShortcutFocusReason); });
    buildViewMenu();
    buildPlanMenu();
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(tr("&Keys"), QKeySequence(QStringLiteral("?")), this, [this] { showKeys(this); });
    help->addAction(tr("&About SlackScope"), this, [this] { showAbout(this); });
}

void MainWindow::buildFileMenu() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    file->addAction(tr("&Open…"), QKeySequence::Open, this, &MainWindow::chooseFile);
    recentMenu_ = file->addMenu(tr("Open &Recent"));
    connect(recentMenu_, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
    file->addSeparator();
    file->addAction(tr("&Export Image…"), tr("Ctrl+E"), this, &MainWindow::openExportDialog);
    file->addAction(tr("&Copy Image"), tr("Ctrl+Shift+C"), this, &MainWindow::copyImage);
    file->addSeparator();
    file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
}

void MainWindow::fillRecentMenu() {
    recentMenu_->clear();
    const QStringList files = recent_.list();
    for (const QString& path : files) {
        QAction* action =
            recentMenu_->addAction(QFileInfo(path).fileName().replace(QLatin1Char('&'), QStringLiteral("&&")),
                                   this, [this, path] { open(path); });
        action->setToolTip(path);
        action->setEnabled(QFileInfo::exists(path));
    }
    recentMenu_->setToolTipsVisible(true);
    if (files.isEmpty())
        recentMenu_->addAction(tr("No files yet"))->setEnabled(false);
    else
        recentMenu_->addAction(tr("Clear the List"), this, [this] { recent_.clear(); });
}

void MainWindow::buildViewMenu() {
    QMenu* view = menuBar()->addMenu(tr("&View"));
    view->addAction(tr("Zoom &In"), QKeySequence::ZoomIn, plot_, &figures::StepPlot::zoomIn);
    view->addAction(tr("Zoom &Out"), QKeySequence::ZoomOut, plot_, &figures::StepPlot::zoomOut);
    view->addAction(tr("&Fit the Step"), tr("Ctrl+0"), plot_, &figures::StepPlot::fitAll);
    view->addAction(tr("Fit the &Selection"), tr("Ctrl+9"), plot_, &figures::StepPlot::fitSelection);
    view->addAction(tr("&Back"), plot_, &figures::StepPlot::viewBack);
    view->addAction(tr("For&ward"), plot_, &figures::StepPlot::viewForward);
    view->addSeparator();
    stacked_ = view->addAction(tr("S&tacked Memory"));
    stacked_->setCheckable(true);
    connect(stacked_, &QAction::toggled, plot_, &figures::StepPlot::setStacked);
    cellBytes_ = view->addAction(tr("&Map Shows Bytes"));
    cellBytes_->setCheckable(true);
    connect(cellBytes_, &QAction::toggled, map_, &figures::DecisionMap::setShowBytes);
    view->addSeparator();

    QMenu* theme = view->addMenu(tr("T&heme"));
    themes_ = new QActionGroup(this);
    const auto addTheme = [&](const QString& name, ThemeChoice choice) {
        QAction* action = theme->addAction(name, this, [this, choice] { look_.setChoice(choice); });
        action->setCheckable(true);
        action->setChecked(look_.choice() == choice);
        themes_->addAction(action);
    };
    addTheme(tr("&Light"), ThemeChoice::Light);
    addTheme(tr("&Dark"), ThemeChoice::Dark);
    addTheme(tr("&System"), ThemeChoice::System);
    view->addSeparator();
    view->addAction(scenarioDock_->toggleViewAction());
    view->addAction(inspectorDock_->toggleViewAction());
    view->addAction(tradeoffDock_->toggleViewAction());
    view->addAction(tr("&Reset Layout"), this, &MainWindow::resetLayout);
}

void MainWindow::buildPlanMenu() {
    QMenu* plan = menuBar()->addMenu(tr("&Plan"));
    plan->setToolTipsVisible(true);
    strategies_ = new QActionGroup(this);
    for (const StrategyInfo* info : slackscope::strategies()) {
        const std::string id(info->id);
        QAction* action =
            plan->addAction(text(info->name), this, [this, id] { controller_.setStrategy(id); });
        action->setToolTip(text(info->summary));
        action->setData(text(id));
        action->setCheckable(true);
        action->setChecked(id == controller_.session().strategy());
        strategies_->addAction(action);
    }
    plan->addSeparator();
    QAction* clearPins = plan->addAction(tr("&Clear Pins"), this, [this] { controller_.clearPins(); });
    clearPins->setToolTip(tr("Leave all decisions to the strategy again"));
    const auto enableClearPins = [this, clearPins] {
        clearPins->setEnabled(!controller_.session().pins().empty());
    };
    connect(&controller_.session(), &Session::pinsChanged, clearPins, enableClearPins);
    enableClearPins();
    connect(&controller_.session(), &Session::strategyChanged, this, [this] {
        for (QAction* action : strategies_->actions())
            action->setChecked(action->data().toString().toStdString() == controller_.session().strategy());
    });
}

} // namespace slackscope
