// The whole window, driven as a user would.
#include "window_fixture.h"

#include "core/profile/profile_json.h"
#include "tests/support/profiles.h"
#include "ui/budget/budget_bar.h"
#include "ui/budget/budget_track.h"
#include "ui/headline/headline.h"
#include "ui/look/fields.h"
#include "ui/window/export_dialog.h"
#include "ui/window/message_bar.h"

#include <QAbstractItemView>
#include <QAccessible>
#include <QAction>
#include <QClipboard>
#include <QDockWidget>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStyleOptionComboBox>
#include <QtTest>

using namespace slackscope;
using slackscope::test::waitFor;
using slackscope::test::WindowFixture;

namespace {

QString shownFigure(WindowFixture& f) {
    for (const QLabel* label : f.window->headline().findChildren<QLabel*>()) {
        if (label->property("role") == QStringLiteral("figure"))
            return label->text();
    }
    return {};
}

void drop(QWidget& target, const QString& path) {
    QMimeData mime;
    mime.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&target, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent dropped(QPointF(100, 100), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&target, &dropped);
}

// Whether a dock that shares its place with another hides it: Qt keeps such docks beside the window.
bool isBehindAnotherTab(const QWidget* widget) {
    while (widget && !qobject_cast<const QDockWidget*>(widget))
        widget = widget->parentWidget();
    const auto* host = widget ? qobject_cast<const QMainWindow*>(widget->parentWidget()) : nullptr;
    auto* dock = const_cast<QDockWidget*>(qobject_cast<const QDockWidget*>(widget));
    return host && !host->tabifiedDockWidgets(dock).isEmpty() && dock->visibleRegion().isEmpty();
}

// Names of the widgets whose text does not fit.
QStringList clipped(QWidget& window) {
    QStringList names;
    const auto tell = [&](const QWidget* widget, const QString& text) {
        names += QStringLiteral("%1 \"%2\" %3x%4 (hint %5x%6)")
                     .arg(QString::fromLatin1(widget->metaObject()->className()), text)
                     .arg(widget->width())
                     .arg(widget->height())
                     .arg(widget->sizeHint().width())
                     .arg(widget->sizeHint().height());
    };
    for (const QLabel* label : window.findChildren<QLabel*>()) {
        if (!label->isVisible() || label->text().isEmpty())
            continue;
        const bool fits = label->wordWrap() ? label->height() >= label->heightForWidth(label->width())
                                            : label->width() >= label->sizeHint().width() &&
                                                  label->height() >= label->fontMetrics().height() - 1;
        if (!fits)
            tell(label, label->text());
    }
    for (const QAbstractButton* button : window.findChildren<QAbstractButton*>()) {
        if (button->isVisible() && button->fontMetrics().horizontalAdvance(button->text()) > button->width())
            tell(button, button->text());
    }
    for (const NumberField* field : window.findChildren<NumberField*>()) {
        const QLineEdit* edit = field->findChild<QLineEdit*>();
        if (field->isVisible() && edit->fontMetrics().horizontalAdvance(edit->text()) + 4 > edit->width())
            tell(field, edit->text());
    }
    for (ChoiceField* field : window.findChildren<ChoiceField*>()) {
        if (!field->isVisible())
            continue;
        QStyleOptionComboBox option;
        option.initFrom(field);
        option.editable = field->isEditable();
        const QRect room =
            field->style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, field);
        if (field->fontMetrics().horizontalAdvance(field->currentText()) > room.width())
            tell(field, field->currentText());
    }
    // The inspector may scroll down, where the window is low; nothing is cut at its side.
    const auto scrollAreaOf = [](const QWidget* widget) {
        const QWidget* parent = widget->parentWidget();
        while (parent && !qobject_cast<const QScrollArea*>(parent))
            parent = parent->parentWidget();
        return qobject_cast<const QScrollArea*>(parent);
    };
    for (const QScrollArea* area : window.findChildren<QScrollArea*>()) {
        if (area->isVisible() && area->widget()->width() > area->viewport()->width())
            tell(area->widget(), QStringLiteral("wider than its scroll area"));
    }
    for (const QScrollBar* bar : window.findChildren<QScrollBar*>()) {
        const bool isOfList = qobject_cast<QAbstractItemView*>(bar->parentWidget()->parentWidget());
        if (bar->isVisible() && !isOfList && (bar->orientation() == Qt::Horizontal || !scrollAreaOf(bar)))
            tell(bar, QStringLiteral("scroll bar")); // lists may be longer than their place
    }
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->isWindow() || widget->size().isEmpty() || scrollAreaOf(widget) ||
            isBehindAnotherTab(widget))
            continue;
        const QRect inWindow(widget->mapTo(&window, QPoint()), widget->size());
        if (!window.rect().contains(inWindow))
            tell(widget, QStringLiteral("outside the window"));
    }
    return names;
}

double luminanceAt(const QImage& image, QPoint point) {
    const QColor color = image.pixelColor(point);
    return 0.2126 * color.redF() + 0.7152 * color.greenF() + 0.0722 * color.blueF();
}

// A PDF says when it was made.
QByteArray undated(const QByteArray& bytes) {
    static const QRegularExpression date(QStringLiteral("\\(D:\\d{14}[^)]*\\)"));
    return QString::fromLatin1(bytes).replace(date, QStringLiteral("()")).toLatin1();
}

} // namespace

class TestWindow : public QObject {
    Q_OBJECT
private slots:
    void theSliderMovesHeadlineAndPicture() {
        WindowFixture f;
        QVERIFY(f.open("gpt2-xl"));
        BudgetTrack& track = f.window->budgetBar().track();
        const QString figureBefore = shownFigure(f);
        const auto pictureBefore = f.window->stepPlot().picture();
        QSignalSpy plans(&f.session, &Session::planChanged);
        QPoint at = track.handlePosition().toPoint();
        const int end = track.positionOf(0.25).toPoint().x();
        QTest::mousePress(&track, Qt::LeftButton, {}, at);
        while (at.x() > end) {
            at.rx() -= 6;
            QTest::mouseMove(&track, at);
            QTest::qWait(4);
        }
        QVERIFY(plans.count() > 2); // the window follows while the drag goes on
        QTest::mouseRelease(&track, Qt::LeftButton, {}, at);
        QVERIFY(f.settle());
        QVERIFY(std::abs(f.session.budgetFraction() - 0.25) < 0.02);
        QVERIFY(f.window->stepPlot().picture() != pictureBefore);
        QCOMPARE(f.window->stepPlot().picture()->plan().budgetBytes, f.session.budgetBytes());
        const Plan& plan = *f.session.planned()->plan;
        QCOMPARE(shownFigure(f), QString::number(plan.throughputOfIdeal() * 100, 'f', 1));
        QVERIFY(shownFigure(f) != figureBefore);
        // One drag, one step back.
        QCOMPARE(f.controller.undoStack().count(), 1);
        f.action(QStringLiteral("Undo budget"))->trigger();
        QVERIFY(f.settle());
        QCOMPARE(f.session.budgetFraction(), 0.5);
        QCOMPARE(shownFigure(f), figureBefore);
    }
    void theBudgetLineIsTheSameValue() {
        WindowFixture f({1600, 900});
        QVERIFY(f.open("gpt2-xl"));
        figures::StepPlot& plot = f.window->stepPlot();
        QSignalSpy finished(&plot, &figures::StepPlot::budgetDragFinished);
        QWidget* canvas = plot.childAt(plot.memoryRect().center().toPoint());
        QVERIFY(canvas);
        const auto map = [&](double x, double y) { return canvas->mapFrom(&plot, QPointF(x, y).toPoint()); };
        const double x = plot.memoryRect().left() + plot.memoryRect().width() * 0.8;
        const double from = plot.pixelOfBytes(f.session.budgetBytes());
        const Bytes wanted = f.session.step()->unlimitedPeakBytes * 7 / 10;
        const double to = plot.pixelOfBytes(wanted);
        QTest::mouseMove(canvas, map(x, from));
        QTest::mousePress(canvas, Qt::LeftButton, {}, map(x, from));
        for (int i = 1; i <= 10; ++i)
            QTest::mouseMove(canvas, map(x, from + (to - from) * i / 10));
        QTest::mouseRelease(canvas, Qt::LeftButton, {}, map(x, to));
        QCOMPARE(finished.count(), 1);
        QVERIFY(std::abs(f.session.budgetFraction() - 0.7) < 0.03);
        QCOMPARE(f.window->budgetBar().track().fraction(), f.session.budgetFraction());
        QCOMPARE(f.controller.undoStack().count(), 1);
    }
    void selectionIsShared() {
        WindowFixture f({1600, 900});
        QVERIFY(f.open("gpt2-xl"));
        figures::DecisionMap& map = f.window->decisionMap();
        const TensorIndex t = f.session.step()->graph->savedTensors()[20];
        QTest::mouseClick(&map, Qt::LeftButton, {}, map.cellRect(t).center().toPoint());
        QCOMPARE(f.session.selection().tensor(), t);
        QCOMPARE(f.window->stepPlot().selection().tensor(), t);
        QTest::keyClick(f.window.get(), Qt::Key_Escape);
        QVERIFY(f.session.selection().empty());
        QVERIFY(map.selection().empty());
    }
    void aBadFileLeavesThePicture() {
        WindowFixture f;
        QVERIFY(f.open("bert-large"));
        const auto before = f.window->stepPlot().picture();
        drop(*f.window, f.file(QStringLiteral("notes.txt"), "these are notes"));
        QVERIFY(waitFor([&] { return f.window->messageBar().isVisible(); }));
        QVERIFY(f.window->messageBar().text().contains(QStringLiteral("notes.txt")));
        QCOMPARE(f.window->stepPlot().picture(), before);
        QVERIFY(f.window->recentFiles().list().isEmpty());
        QTest::keyClick(f.window.get(), Qt::Key_Escape);
        QVERIFY(!f.window->messageBar().isVisible());
    }
    void aDroppedProfileIsShownAndRemembered() {
        WindowFixture f;
        QVERIFY(f.open("bert-large"));
        const QString path = f.file(QStringLiteral("six.profile.json"),
                                    QByteArray::fromStdString(writeProfile(test::layeredProfile(6))));
        drop(*f.window, path);
        QVERIFY(waitFor([&] { return f.session.step()->scenario.input == path.toStdString(); }));
        QVERIFY(f.settle());
        QCOMPARE(f.session.budgetFraction(), 0.5);
        QCOMPARE(f.window->recentFiles().list(), QStringList{path});
        QMenu* recent = f.action(QStringLiteral("Open Recent"))->menu();
        emit recent->aboutToShow();
        QCOMPARE(recent->actions().first()->text(), QStringLiteral("six.profile.json"));
        f.controller.open("bert-large");
        QVERIFY(waitFor([&] { return f.session.step()->scenario.input == "bert-large"; }));
        recent->actions().first()->trigger();
        QVERIFY(waitFor([&] { return f.session.step()->scenario.input == path.toStdString(); }));
    }
    void recentFilesAreTheNewestTen() {
        WindowFixture f;
        RecentFiles& recent = f.window->recentFiles();
        for (int i = 0; i < 15; ++i)
            recent.add(QStringLiteral("/somewhere/%1.json").arg(i));
        recent.add(QStringLiteral("/somewhere/9.json"));
        QCOMPARE(recent.list().size(), 10);
        QCOMPARE(recent.list().first(), QStringLiteral("/somewhere/9.json"));
        QCOMPARE(recent.list().count(QStringLiteral("/somewhere/9.json")), 1);
        recent.clear();
        QVERIFY(recent.list().isEmpty());
    }
    void showsBothThemes() {
        WindowFixture f({1600, 900});
        QVERIFY(f.open("gpt2-xl"));
        // A spot in each part that its ground covers.
        const auto grounds = [&] {
            QTest::qWait(50); // queued repaints
            const QImage image = f.window->grab().toImage();
            const double ratio = image.devicePixelRatio();
            std::vector<double> luminances;
            const auto probe = [&](QWidget& widget, QPoint point) {
                luminances.push_back(luminanceAt(image, widget.mapTo(f.window.get(), point) * ratio));
            };
            probe(f.window->headline(), {4, 4});
            probe(f.window->budgetBar(), {6, f.window->budgetBar().height() / 2});
            probe(f.window->stepPlot(), {6, 40});
            probe(f.window->decisionMap(), {6, 40});
            for (QDockWidget* dock : f.window->findChildren<QDockWidget*>())
                probe(*dock, {6, dock->height() - 12});
            probe(*f.window->menuWidget(), {f.window->menuWidget()->width() - 4, 4});
            return luminances;
        };
        for (const double light : grounds())
            QVERIFY2(light > 0.85, qPrintable(QString::number(light)));
        f.action(QStringLiteral("Dark"))->trigger();
        QVERIFY(f.look.theme().isDark);
        const std::vector<double> darks = grounds();
        for (std::size_t i = 0; i < darks.size(); ++i)
            QVERIFY2(darks[i] < 0.2, qPrintable(QStringLiteral("probe %1: %2").arg(i).arg(darks[i])));
        QCOMPARE(QApplication::palette().color(QPalette::Window),
                 f.look.theme().palette().color(QPalette::Window));
        f.action(QStringLiteral("Light"))->trigger();
        for (const double light : grounds())
            QVERIFY2(light > 0.85, qPrintable(QString::number(light)));
    }
    void fits_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<QString>("input");
        QTest::addColumn<double>("fraction");
        for (const char* input : {"gpt2-xl", "bert-large", "llama-7b", "deepseek-v2-lite"}) {
            const QString name = QString::fromLatin1(input);
            QTest::addRow("%s at 1280x720", input) << QSize(1280, 720) << name << 0.5;
            QTest::addRow("%s at 1920x1080", input) << QSize(1920, 1080) << name << 0.5;
            QTest::addRow("%s infeasible at 1280x720", input) << QSize(1280, 720) << name << 0.002;
        }
    }
    void fits() {
        QFETCH(QSize, size);
        QFETCH(QString, input);
        QFETCH(double, fraction);
        WindowFixture f(size);
        QVERIFY(f.open(input.toStdString()));
        f.controller.setBudgetFraction(fraction, f.controller.nextGesture());
        QVERIFY(f.settle());
        Selection selection;
        selection.tensors = {f.session.step()->graph->savedTensors()[9]};
        f.session.setSelection(selection);
        waitFor([&] { return clipped(*f.window).isEmpty(); }, 1000); // layouts settle
        QCOMPARE(f.window->size(), size);
        const QStringList bad = clipped(*f.window);
        QVERIFY2(bad.isEmpty(), qPrintable(bad.join(QLatin1Char('\n'))));
    }
    void everyControlHasAName() {
        WindowFixture f;
        QVERIFY(f.open("gpt2-xl"));
        f.window->openExportDialog();
        QStringList nameless;
        for (const QWidget* widget : QApplication::allWidgets()) {
            if (!widget->isVisible() || (widget->focusPolicy() & Qt::TabFocus) == 0)
                continue;
            // The line edit inside a field speaks through the field.
            if (qobject_cast<QComboBox*>(widget->parentWidget()) ||
                qobject_cast<QAbstractSpinBox*>(widget->parentWidget()))
                continue;
            QAccessibleInterface* accessible =
                QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
            if (!accessible || accessible->text(QAccessible::Name).isEmpty())
                nameless += QString::fromLatin1(widget->metaObject()->className()) + QLatin1Char(' ') +
                            widget->objectName();
        }
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char('\n'))));
        QVERIFY(!f.window->stepPlot().accessibleDescription().isEmpty());
        QVERIFY(!f.window->decisionMap().accessibleDescription().isEmpty());
    }
    void theLayoutComesBack() {
        WindowFixture f({1500, 850});
        QDockWidget* inspector = f.window->findChild<QDockWidget*>(QStringLiteral("inspector"));
        inspector->hide();
        f.action(QStringLiteral("Stacked Memory"))->trigger();
        f.action(QStringLiteral("Dark"))->trigger();
        f.window->close();

        f.window = std::make_unique<MainWindow>(f.controller, f.look, f.settings);
        f.window->show();
        QCOMPARE(f.window->size(), QSize(1500, 850));
        QVERIFY(!f.window->findChild<QDockWidget*>(QStringLiteral("inspector"))->isVisible());
        QVERIFY(f.window->findChild<QDockWidget*>(QStringLiteral("scenario"))->isVisible());
        QVERIFY(f.window->stepPlot().isStacked());
        QCOMPARE(f.settings.value(QStringLiteral("theme")).toInt(), static_cast<int>(ThemeChoice::Dark));
        f.action(QStringLiteral("Reset Layout"))->trigger();
        QVERIFY(f.window->findChild<QDockWidget*>(QStringLiteral("inspector"))->isVisible());
    }
    void brokenSettingsAreIgnored() {
        WindowFixture f;
        for (const char* key : {"window/geometry", "window/docks", "window/centre"})
            f.settings.setValue(QLatin1String(key), QByteArray("\x01\x02nonsense"));
        f.settings.setValue(QStringLiteral("recentFiles"), 17);
        f.window = std::make_unique<MainWindow>(f.controller, f.look, f.settings);
        f.window->show();
        QVERIFY(f.open("bert-large"));
        QVERIFY(f.window->findChild<QDockWidget*>(QStringLiteral("inspector"))->isVisible());
    }
    void exportsWhatThePreviewShows_data() {
        QTest::addColumn<QString>("ending");
        QTest::addColumn<QByteArray>("magic");
        QTest::newRow("png") << QStringLiteral("png") << QByteArray("\x89PNG");
        QTest::newRow("svg") << QStringLiteral("svg") << QByteArray("<?xml");
        QTest::newRow("pdf") << QStringLiteral("pdf") << QByteArray("%PDF");
    }
    void exportsWhatThePreviewShows() {
        QFETCH(QString, ending);
        QFETCH(QByteArray, magic);
        WindowFixture f;
        QVERIFY(f.open("gpt2-xl"));
        ExportDialog* dialog = f.window->openExportDialog();
        QVERIFY(waitFor([&] { return !dialog->previewSize().isEmpty(); }));
        for (ChoiceField* field : dialog->findChildren<ChoiceField*>()) {
            const int index = field->findText(ending.toUpper());
            if (index >= 0)
                field->setCurrentIndex(index);
        }
        const QString path = f.path(QStringLiteral("figure.") + ending);
        QSignalSpy written(dialog, &ExportDialog::written);
        dialog->saveTo(path);
        QVERIFY(written.wait());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        QVERIFY(bytes.startsWith(magic));
        QCOMPARE(undated(bytes),
                 undated(*figures::renderFigure(f.session.planned()->picture, dialog->request())));
        QVERIFY(f.window->messageBar().text().contains(path));
    }
    void exportMeasuresInMillimetres() {
        WindowFixture f;
        QVERIFY(f.open("gpt2-xl"));
        ExportDialog* dialog = f.window->openExportDialog();
        const QSize pixels = dialog->request().size;
        for (ChoiceField* field : dialog->findChildren<ChoiceField*>()) {
            const int index = field->findText(QStringLiteral("Millimetres"));
            if (index >= 0)
                field->setCurrentIndex(index);
        }
        QVERIFY(std::abs(dialog->request().size.width() - pixels.width()) <= 1);
        QCOMPARE(dialog->request().dpi, 300);
        QVERIFY(std::abs(dialog->request().scale - 300 / 96.0) < 1e-9);
    }
    void anExportThatFailsSaysSo() {
        WindowFixture f;
        QVERIFY(f.open("gpt2-xl"));
        ExportDialog* dialog = f.window->openExportDialog();
        QSignalSpy failed(dialog, &ExportDialog::failed);
        dialog->saveTo(QStringLiteral("/nowhere/at/all/figure.png"));
        QVERIFY(failed.wait());
        QVERIFY(f.window->messageBar().text().contains(QStringLiteral("/nowhere/at/all/figure.png")));
    }
    void copiesThePicture() {
        WindowFixture f;
        QVERIFY(f.open("gpt2-xl"));
        f.action(QStringLiteral("Copy Image"))->trigger();
        const QMimeData* mime = QGuiApplication::clipboard()->mimeData();
        QVERIFY(mime->hasImage());
        QVERIFY(mime->data(QStringLiteral("image/svg+xml")).contains("<svg"));
    }
    void thePlanMenuFollows() {
        WindowFixture f;
        QVERIFY(f.open("bert-large"));
        f.action(QStringLiteral("SlackSwap"));
        QAction* other = nullptr;
        for (QAction* action : f.window->findChildren<QAction*>()) {
            if (action->data().toString() == QStringLiteral("recompute-all"))
                other = action;
        }
        QVERIFY(other);
        other->trigger();
        QVERIFY(f.settle());
        QCOMPARE(f.session.planned()->plan->strategy, std::string("recompute-all"));
        f.controller.undoStack().undo();
        QVERIFY(!other->isChecked());
    }
    void helpDoesNotBlock() {
        WindowFixture f;
        QVERIFY(f.open("bert-large"));
        f.action(QStringLiteral("Keys"))->trigger();
        f.action(QStringLiteral("Keys"))->trigger();
        QCOMPARE(f.window->findChildren<QDialog*>(QStringLiteral("keys")).size(), 1);
        f.action(QStringLiteral("About SlackScope"))->trigger();
        const auto* about = f.window->findChild<QDialog*>(QStringLiteral("about"));
        QVERIFY(about && !about->isModal());
        bool saysSimulated = false;
        for (const QLabel* label : about->findChildren<QLabel*>())
            saysSimulated =
                saysSimulated || label->text().contains(QStringLiteral("Fragmentation is not modelled"));
        QVERIFY(saysSimulated);
    }
};

QTEST_MAIN(TestWindow)
#include "test_window.moc"
