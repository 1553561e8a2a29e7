// The main window: puts the parts side by side and connects them; what they show lives in the Session.
#pragma once

#include "ui/figures/decision_map.h"
#include "ui/figures/export.h"
#include "ui/figures/step_plot.h"
#include "ui/session/session_controller.h"
#include "ui/window/recent_files.h"

#include <QMainWindow>
#include <QPointer>
#include <QSettings>

class QActionGroup;
class QSplitter;

namespace slackscope {

class BudgetBar;
class DockCard;
class ExportDialog;
class Headline;
class InspectorPanel;
class Look;
class MessageBar;
class ScenarioPanel;
class TradeoffPanel;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    // All must outlive the window.
    MainWindow(SessionController& controller, Look& look, QSettings& settings);

    // A preset or a file, as the user named it.
    void open(const QString& input);
    void copyImage();
    ExportDialog* openExportDialog();
    void resetLayout();

    // The parts, for tests and for what points at them.
    Headline& headline() { return *headline_; }
    MessageBar& messageBar() { return *messages_; }
    BudgetBar& budgetBar() { return *budget_; }
    ScenarioPanel& scenario() { return *scenario_; }
    InspectorPanel& inspector() { return *inspector_; }
    TradeoffPanel& tradeoff() { return *tradeoff_; }
    figures::StepPlot& stepPlot() { return *plot_; }
    figures::DecisionMap& decisionMap() { return *map_; }
    RecentFiles& recentFiles() { return recent_; }

protected:
    void showEvent(QShowEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void buildLayout();
    void arrangeDocks();
    void connectParts();
    void buildMenus();
    void buildFileMenu();
    void buildViewMenu();
    void buildPlanMenu();
    void fillRecentMenu();
    void chooseFile();
    void showTheme();
    void showPlan();
    void showBudget();
    void showTitle();
    void showTradeoffForExport();
    void save();
    void restore();
    figures::ExportRequest exportRequest() const;

    SessionController& controller_;
    Look& look_;
    QSettings& settings_;
    RecentFiles recent_;
    Headline* headline_;
    MessageBar* messages_;
    QMainWindow* workbench_; // centre and docks, inside the fixed parts
    QSplitter* centre_;
    figures::StepPlot* plot_;
    figures::DecisionMap* map_;
    ScenarioPanel* scenario_;
    InspectorPanel* inspector_;
    TradeoffPanel* tradeoff_;
    DockCard* scenarioDock_;
    DockCard* inspectorDock_;
    DockCard* tradeoffDock_;
    BudgetBar* budget_;
    QMenu* recentMenu_ = nullptr;
    QActionGroup* themes_ = nullptr;
    QActionGroup* strategies_ = nullptr;
    QAction* stacked_ = nullptr;
    QAction* cellBytes_ = nullptr;
    QByteArray defaultState_;    // of the workbench
    bool arrangesDocks_ = false; // at the first show: no layout was saved
    QPointer<ExportDialog> export_;
    int plotGesture_ = 0; // of a drag of the budget line; 0 = none
};

} // namespace slackscope
