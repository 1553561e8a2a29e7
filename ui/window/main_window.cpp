#include "ui/window/main_window.h"

#include "ui/budget/budget_bar.h"
#include "ui/budget/budget_track.h"
#include "ui/headline/headline.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/look/look.h"
#include "ui/scenario/scenario_panel.h"
#include "ui/tradeoff/tradeoff_panel.h"
#include "ui/window/dock_card.h"
#include "ui/window/export_dialog.h"
#include "ui/window/message_bar.h"

#include <QApplication>
#include <QClipboard>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QMenuBar>
#include <QMimeData>
#include <QSplitter>
#include <QVBoxLayout>

#include <utility>

namespace slackscope {

namespace {

constexpr int layoutVersion = 2;
constexpr int scenarioWidth = 276;
constexpr int inspectorWidth = 296;
constexpr int stackedFromHeight = 800; // px of the window: below, inspector and tradeoff share a place

} // namespace

MainWindow::MainWindow(SessionController& controller, Look& look, QSettings& settings)
    : controller_(controller), look_(look), settings_(settings), recent_(settings),
      headline_(new Headline(controller)), messages_(new MessageBar), workbench_(new QMainWindow),
      centre_(new QSplitter(Qt::Vertical)), plot_(new figures::StepPlot), map_(new figures::DecisionMap),
      scenario_(new ScenarioPanel(controller, look)), inspector_(new InspectorPanel(controller, look)),
      tradeoff_(new TradeoffPanel(controller, look)),
      scenarioDock_(new DockCard(look, QStringLiteral("scenario"), tr("Scenario"), scenario_)),
      inspectorDock_(new DockCard(look, QStringLiteral("inspector"), tr("Inspector"), inspector_)),
      tradeoffDock_(new DockCard(look, QStringLiteral("tradeoff"), tr("Tradeoff"), tradeoff_)),
      budget_(new BudgetBar(controller, look)) {
    setAcceptDrops(true);
    buildLayout();
    connectParts();
    buildMenus();
    defaultState_ = workbench_->saveState(layoutVersion);
    restore();
    showTheme();
    showTitle();
    budget_->track().setFocus(Qt::OtherFocusReason);
}

void MainWindow::buildLayout() {
    centre_->setHandleWidth(gap);
    centre_->setChildrenCollapsible(false);
    centre_->addWidget(plot_);
    centre_->addWidget(map_);
    centre_->setStretchFactor(0, 60);
    centre_->setStretchFactor(1, 40);
    centre_->setSizes({600, 400}); // in proportion

    workbench_->setWindowFlags(Qt::Widget); // a part of this window, not one of its own
    workbench_->setCentralWidget(centre_);
    workbench_->setDockNestingEnabled(true);
    workbench_->setContextMenuPolicy(Qt::NoContextMenu); // the View menu has the docks
    workbench_->addDockWidget(Qt::LeftDockWidgetArea, scenarioDock_);
    workbench_->addDockWidget(Qt::RightDockWidgetArea, inspectorDock_);
    workbench_->addDockWidget(Qt::RightDockWidgetArea, tradeoffDock_);
    workbench_->resizeDocks({scenarioDock_, inspectorDock_}, {scenarioWidth, inspectorWidth}, Qt::Horizontal);

    auto* body = new QWidget;
    body->setObjectName(QStringLiteral("surface"));
    auto* bodyLayout = new QVBoxLayout(body);
    bodyLayout->setContentsMargins(gap, gap, gap, gap);
    bodyLayout->setSpacing(gap);
    bodyLayout->addWidget(messages_);
    bodyLayout->addWidget(workbench_, 1);
    bodyLayout->addWidget(budget_);

    auto* all = new QWidget;
    auto* layout = new QVBoxLayout(all);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(headline_);
    layout->addWidget(body, 1);
    setCentralWidget(all);
    setMinimumSize(960, 600); // below, panels would lie over each other
    resize(1600, 900);
}

void MainWindow::connectParts() {
    Session& session = controller_.session();
    connect(&look_, &Look::themeChanged, this, &MainWindow::showTheme);
    connect(&session, &Session::planChanged, this, &MainWindow::showPlan);
    connect(&session, &Session::budgetChanged, this, &MainWindow::showBudget);
    connect(&session, &Session::stepChanged, this, &MainWindow::showTitle);
    connect(&session, &Session::selectionChanged, this, [this, &session] {
        plot_->setSelection(session.selection());
        map_->setSelection(session.selection());
    });
    connect(&session, &Session::selectionChanged, inspectorDock_, [this, &session] {
        if (!session.selection().empty() && !workbench_->tabifiedDockWidgets(inspectorDock_).isEmpty())
            inspectorDock_->raise();
    });
    connect(plot_, &figures::StepPlot::selectionChanged, &session, &Session::setSelection);
    connect(map_, &figures::DecisionMap::selectionChanged, &session, &Session::setSelection);
    connect(plot_, &figures::StepPlot::budgetDragged, this, [this](Bytes bytes) {
        if (plotGesture_ == 0)
            plotGesture_ = controller_.nextGesture();
        controller_.setBudgetBytes(bytes, plotGesture_);
    });
    connect(plot_, &figures::StepPlot::budgetDragFinished, this, [this](Bytes bytes) {
        controller_.setBudgetBytes(bytes, plotGesture_ == 0 ? controller_.nextGesture() : plotGesture_);
        plotGesture_ = 0;
    });
    connect(&controller_, &SessionController::opened, this, [this](const QString& input) {
        messages_->hide();
        const LoadedStepPtr& step = controller_.session().step();
        if (step->kind != InputKind::ModelPreset)
            recent_.add(input);
    });
    connect(&controller_, &SessionController::failed, this,
            [this](const QString& sentence) { messages_->showMessage(MessageBar::Severity::Bad, sentence); });
    connect(&controller_, &SessionController::cancelled, this, [this] {
        messages_->showMessage(MessageBar::Severity::Warn,
                               controller_.session().step()
                                   ? tr("Cancelled. The picture still shows the plan before.")
                                   : tr("Cancelled. Nothing is open yet."),
                               tr("Try again"), [this] { controller_.resume(); });
    });
    connect(&controller_, &SessionController::pinsDropped, this, [this](int count) {
        messages_->showMessage(
            MessageBar::Severity::Warn,
            tr("Pins dropped: %1. The new scenario lacks their tensors or cannot decide them so. "
               "Undo brings them back with the scenario before.")
                .arg(count));
    });
    connect(tradeoff_, &TradeoffPanel::curvesChanged, this, [this] {
        if (export_ && (controller_.sweep().isComplete() || !tradeoff_->curves()))
            showTradeoffForExport();
    });
    connect(scenario_, &ScenarioPanel::openRequested, this, &MainWindow::chooseFile);
}

void MainWindow::open(const QString& input) {
    controller_.open(input.toStdString());
}

void MainWindow::chooseFile() {
    auto* chooser = new QFileDialog(this, tr("Open"));
    chooser->setAttribute(Qt::WA_DeleteOnClose);
    chooser->setFileMode(QFileDialog::ExistingFile);
    chooser->setNameFilters({tr("Profiles and model configs (*.json)"), tr("All files (*)")});
    connect(chooser, &QFileDialog::fileSelected, this, &MainWindow::open);
    chooser->open();
}

void MainWindow::showTheme() {
    plot_->setTheme(look_.theme());
    map_->setTheme(look_.theme());
}

void MainWindow::showPlan() {
    const Session& session = controller_.session();
    const PlannedStepPtr& planned = session.planned();
    plot_->setPicture(planned->picture);
    map_->setPicture(planned->picture);
    plot_->setBudgetLimits(
        static_cast<Bytes>(smallestBudgetFraction * static_cast<double>(planned->plan->unlimitedPeakBytes)),
        planned->plan->unlimitedPeakBytes);
    plot_->setAccessibleDescription(planned->picture->timelineSummary() + QLatin1Char(' ') +
                                    planned->picture->memorySummary());
    map_->setAccessibleDescription(planned->picture->decisionSummary());
    showBudget();
    if (export_)
        export_->setPicture(planned->picture);
}

void MainWindow::showBudget() {
    const Session& session = controller_.session();
    // While another profile is on its way, the picture's own budget line stays.
    const bool sameStep = session.planned() && session.planned()->request.step == session.step();
    plot_->setBudget(sameStep ? std::optional(session.budgetBytes()) : std::nullopt);
}

void MainWindow::showTitle() {
    const LoadedStepPtr& step = controller_.session().step();
    setWindowTitle(step ? tr("%1 — SlackScope").arg(QString::fromStdString(step->graph->profile().name))
                        : tr("SlackScope"));
}

figures::ExportRequest MainWindow::exportRequest() const {
    figures::ExportRequest request;
    request.theme = look_.theme();
    request.stacked = plot_->isStacked();
    request.bytes = map_->showsBytes();
    request.tradeoff = tradeoff_->curves();
    return request;
}

ExportDialog* MainWindow::openExportDialog() {
    const PlannedStepPtr& planned = controller_.session().planned();
    if (!planned)
        return nullptr;
    if (!export_) {
        export_ = new ExportDialog(look_, exportRequest(), this);
        export_->setAttribute(Qt::WA_DeleteOnClose);
        connect(export_, &ExportDialog::written, this, [this](const QString& path) {
            messages_->showMessage(MessageBar::Severity::Good, tr("Wrote %1.").arg(path));
        });
        connect(export_, &ExportDialog::failed, this, [this](const QString& sentence) {
            messages_->showMessage(MessageBar::Severity::Bad, sentence);
        });
    }
    export_->setPicture(planned->picture);
    showTradeoffForExport();
    export_->show();
    export_->raise();
    return export_;
}

void MainWindow::showTradeoffForExport() {
    export_->setTradeoff(tradeoff_->curves(), controller_.sweep().isComplete());
}

void MainWindow::copyImage() {
    const PlannedStepPtr& planned = controller_.session().planned();
    if (!planned)
        return;
    figures::ExportRequest request = exportRequest();
    request.scale = 2;
    const auto painted = figures::paintFigure(planned->picture, request);
    request.format = figures::FigureFormat::Svg;
    request.scale = 1;
    const auto svg = figures::renderFigure(planned->picture, request);
    if (!painted || !svg) {
        messages_->showMessage(MessageBar::Severity::Bad, painted ? svg.error() : painted.error());
        return;
    }
    auto* mime = new QMimeData; // the clipboard takes it over
    mime->setImageData(painted->image);
    mime->setData(QStringLiteral("image/svg+xml"), *svg);
    QGuiApplication::clipboard()->setMimeData(mime);
    messages_->showMessage(MessageBar::Severity::Good, tr("The picture is on the clipboard as PNG and SVG."));
}

void MainWindow::arrangeDocks() {
    workbench_->resizeDocks({scenarioDock_, inspectorDock_}, {scenarioWidth, inspectorWidth}, Qt::Horizontal);
    if (height() < stackedFromHeight) {
        workbench_->tabifyDockWidget(inspectorDock_, tradeoffDock_);
        tradeoffDock_->raise(); // nothing is selected yet
    } else {
        workbench_->resizeDocks({inspectorDock_, tradeoffDock_}, {3, 2}, Qt::Vertical); // in proportion
    }
}

void MainWindow::resetLayout() {
    workbench_->restoreState(defaultState_, layoutVersion);
    arrangeDocks();
}

void MainWindow::save() {
    settings_.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings_.setValue(QStringLiteral("window/docks"), workbench_->saveState(layoutVersion));
    settings_.setValue(QStringLiteral("window/centre"), centre_->saveState());
    settings_.setValue(QStringLiteral("window/stackedMemory"), plot_->isStacked());
    settings_.setValue(QStringLiteral("window/cellBytes"), map_->showsBytes());
    settings_.setValue(QStringLiteral("theme"), static_cast<int>(look_.choice()));
}

void MainWindow::restore() {
    restoreGeometry(settings_.value(QStringLiteral("window/geometry")).toByteArray());
    arrangesDocks_ = !workbench_->restoreState(settings_.value(QStringLiteral("window/docks")).toByteArray(),
                                               layoutVersion);
    centre_->restoreState(settings_.value(QStringLiteral("window/centre")).toByteArray());
    stacked_->setChecked(settings_.value(QStringLiteral("window/stackedMemory"), false).toBool());
    cellBytes_->setChecked(settings_.value(QStringLiteral("window/cellBytes"), false).toBool());
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (std::exchange(arrangesDocks_, false))
        arrangeDocks();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    save();
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.first().isLocalFile())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    open(event->mimeData()->urls().first().toLocalFile());
    event->acceptProposedAction();
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Escape) {
        QMainWindow::keyPressEvent(event);
    } else if (controller_.isBusy()) {
        controller_.cancel();
    } else if (messages_->isVisible()) {
        messages_->hide();
    } else {
        controller_.session().setSelection({});
    }
}

} // namespace slackscope
