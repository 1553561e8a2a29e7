#include "ui/inspector/pin_list.h"

#include "ui/figures/marks.h"
#include "ui/look/look.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace slackscope {

namespace {

constexpr int rowHeight = 24;
constexpr int mostRowsShown = 5;

TensorIndex tensorOf(const QTreeWidgetItem* item) {
    return item->data(0, Qt::UserRole).toInt();
}

} // namespace

PinList::PinList(SessionController& controller, QWidget* parent)
    : QWidget(parent), controller_(controller), title_(new QLabel),
      clearAll_(new QPushButton(tr("Clear All"))), list_(new QTreeWidget) {
    setRole(title_, TextRole::Title);
    clearAll_->setObjectName(QStringLiteral("small"));
    clearAll_->setToolTip(tr("Leave all decisions to the strategy again"));
    list_->setColumnCount(3);
    list_->setHeaderHidden(true);
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setFrameShape(QFrame::NoFrame);
    list_->setAccessibleName(tr("Pinned decisions"));
    list_->setAccessibleDescription(tr("Enter selects the tensor, Delete clears its pin"));
    list_->setTextElideMode(Qt::ElideMiddle);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->header()->setStretchLastSection(false);
    list_->header()->setMinimumSectionSize(rowHeight);
    list_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    list_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    list_->header()->setSectionResizeMode(2, QHeaderView::Fixed);
    list_->header()->resizeSection(2, rowHeight);
    list_->installEventFilter(this);
    auto* head = new QHBoxLayout;
    head->addWidget(title_, 1);
    head->addWidget(clearAll_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addLayout(head);
    layout->addWidget(list_);
    connect(clearAll_, &QPushButton::clicked, &controller_, &SessionController::clearPins);
    connect(list_, &QTreeWidget::itemClicked, this, &PinList::select);
    connect(list_, &QTreeWidget::itemActivated, this, &PinList::select);
    connect(&controller_.session(), &Session::pinsChanged, this, &PinList::showPins);
    connect(&controller_.session(), &Session::stepChanged, this, &PinList::showPins);
    showPins();
}

void PinList::showPins() {
    const Session& session = controller_.session();
    const Pins& pins = session.pins();
    setVisible(!pins.empty());
    title_->setText(tr("Pinned: %1").arg(pins.size()));
    list_->clear();
    for (const Pin& pin : pins)
        addPin(*session.step()->graph, pin);
    list_->setFixedHeight(rowHeight * std::clamp(static_cast<int>(pins.size()), 1, mostRowsShown));
}

void PinList::addPin(const StepGraph& graph, const Pin& pin) {
    const QString name = QString::fromStdString(graph.tensor(pin.tensor).id);
    auto* item = new QTreeWidgetItem(list_, {name, figures::decisionWord(pin.decision), {}});
    item->setData(0, Qt::UserRole, pin.tensor);
    item->setToolTip(0, name);
    item->setSizeHint(0, {0, rowHeight});
    auto* clear = new QToolButton;
    clear->setText(QStringLiteral("×"));
    clear->setFixedSize(20, 20);
    clear->setAccessibleName(tr("Clear the pin of %1").arg(name));
    clear->setToolTip(tr("Clear this pin"));
    list_->setItemWidget(item, 2, clear);
    // Queued: the answer rebuilds the list, and with it this button.
    connect(
        clear, &QToolButton::clicked, &controller_,
        [&controller = controller_, tensor = pin.tensor] { controller.setPin(tensor, std::nullopt); },
        Qt::QueuedConnection);
}

void PinList::select(const QTreeWidgetItem* item) {
    Selection selection;
    selection.tensors = {tensorOf(item)};
    controller_.session().setSelection(selection);
}

bool PinList::eventFilter(QObject* watched, QEvent* event) {
    if (watched == list_ && event->type() == QEvent::KeyPress && list_->currentItem()) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Delete || key == Qt::Key_Backspace) {
            controller_.setPin(tensorOf(list_->currentItem()), std::nullopt);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace slackscope
