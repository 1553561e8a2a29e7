#include "ui/window/export_dialog.h"

#include "ui/look/fields.h"
#include "ui/look/look.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QFutureWatcher>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QtConcurrentRun>

#include <algorithm>
#include <cmath>
#include <utility>

namespace slackscope {

using figures::ExportRequest;
using figures::FigureFormat;
using figures::FigureView;

namespace {

constexpr double mmPerInch = 25.4;
constexpr double pixelsPerInch = 96; // of logical pixels
enum class LengthUnit { Pixels, Millimetres };

QString suffix(FigureFormat format) {
    switch (format) {
    case FigureFormat::Png:
        return QStringLiteral("png");
    case FigureFormat::Svg:
        return QStringLiteral("svg");
    case FigureFormat::Pdf:
        return QStringLiteral("pdf");
    }
    return {};
}

} // namespace

ExportDialog::ExportDialog(const Look& look, ExportRequest start, QWidget* parent)
    : QDialog(parent), look_(look), start_(std::move(start)), view_(new ChoiceField(look)),
      format_(new ChoiceField(look)), theme_(new ChoiceField(look)), unit_(new ChoiceField(look)),
      width_(new NumberField({}, 0, 1, 20000)), height_(new NumberField({}, 0, 1, 20000)),
      scale_(new NumberField(tr("×"), 2, 1, 16)), dpi_(new NumberField(tr("dpi"), 0, 1, 2400)),
      caption_(new QCheckBox(tr("Caption with model, budget, strategy"))),
      stacked_(new QCheckBox(tr("Memory by what fills it"))), summary_(new QLabel), preview_(new QLabel),
      save_(new QPushButton(tr("Save…"))) {
    setWindowTitle(tr("Export Image"));
    setObjectName(QStringLiteral("exportDialog"));
    view_->addItem(tr("All plots"), static_cast<int>(FigureView::All));
    view_->addItem(tr("Timeline"), static_cast<int>(FigureView::Timeline));
    view_->addItem(tr("Memory"), static_cast<int>(FigureView::Memory));
    view_->addItem(tr("Decisions"), static_cast<int>(FigureView::Decisions));
    view_->addItem(tr("Tradeoff"), static_cast<int>(FigureView::Tradeoff));
    format_->addItem(QStringLiteral("PNG"), static_cast<int>(FigureFormat::Png));
    format_->addItem(QStringLiteral("SVG"), static_cast<int>(FigureFormat::Svg));
    format_->addItem(QStringLiteral("PDF"), static_cast<int>(FigureFormat::Pdf));
    theme_->addItem(tr("Light"), false);
    theme_->addItem(tr("Dark"), true);
    unit_->addItem(tr("Pixels"), static_cast<int>(LengthUnit::Pixels));
    unit_->addItem(tr("Millimetres"), static_cast<int>(LengthUnit::Millimetres));
    theme_->setCurrentIndex(start_.theme.isDark ? 1 : 0);
    width_->show(start_.size.width());
    height_->show(start_.size.height());
    width_->setUnit(tr("px"));
    height_->setUnit(tr("px"));
    scale_->show(2);
    dpi_->show(192);
    scale_->setSingleStep(0.5);
    caption_->setChecked(start_.caption);
    stacked_->setChecked(start_.stacked);
    setRole(summary_, TextRole::Caption);
    summary_->setWordWrap(true);
    summary_->setMinimumHeight(34);
    summary_->setAlignment(Qt::AlignTop);

    auto* form = new QFormLayout;
    form->setHorizontalSpacing(14);
    form->setVerticalSpacing(8);
    const auto add = [form](const QString& name, QWidget* field) {
        form->addRow(name, field);
        field->setAccessibleName(name);
    };
    add(tr("Plots"), view_);
    add(tr("Format"), format_);
    add(tr("Theme"), theme_);
    add(tr("Size in"), unit_);
    add(tr("Width"), width_);
    add(tr("Height"), height_);
    add(tr("Scale"), scale_);
    add(tr("Resolution"), dpi_);
    form->addRow(caption_);
    form->addRow(stacked_);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    save_->setDefault(true);
    buttons->addButton(save_, QDialogButtonBox::AcceptRole);
    auto* controls = new QVBoxLayout;
    controls->addLayout(form);
    controls->addWidget(summary_);
    controls->addStretch();
    controls->addWidget(buttons);
    auto* controlHolder = new QWidget;
    controlHolder->setLayout(controls);
    controlHolder->setFixedWidth(280);
    controls->setContentsMargins(0, 0, 0, 0);

    preview_->setAlignment(Qt::AlignCenter);
    preview_->setMinimumSize(420, 300);
    preview_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    preview_->setAccessibleName(tr("Preview"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(18, 18, 18, 16);
    row->setSpacing(20);
    row->addWidget(controlHolder);
    row->addWidget(preview_, 1);
    resize(1020, 560);

    previewTimer_.setSingleShot(true);
    previewTimer_.setInterval(0);
    connect(&previewTimer_, &QTimer::timeout, this, &ExportDialog::paintPreview);
    for (ChoiceField* field : {view_, format_, theme_})
        connect(field, &QComboBox::currentIndexChanged, this, &ExportDialog::showRequest);
    connect(unit_, &QComboBox::currentIndexChanged, this, &ExportDialog::changeUnit);
    for (NumberField* field : {width_, height_, scale_, dpi_})
        connect(field, &NumberField::entered, this, &ExportDialog::showRequest);
    for (QCheckBox* box : {caption_, stacked_})
        connect(box, &QCheckBox::toggled, this, &ExportDialog::showRequest);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    connect(save_, &QPushButton::clicked, this, &ExportDialog::chooseFile);
    showRequest();
}

void ExportDialog::setPicture(std::shared_ptr<const figures::StepPicture> picture) {
    picture_ = std::move(picture);
    showRequest();
}

void ExportDialog::setTradeoff(std::shared_ptr<const figures::TradeoffCurves> tradeoff, bool isFinal) {
    start_.tradeoff = std::move(tradeoff);
    tradeoffIsFinal_ = isFinal;
    showRequest();
}

bool ExportDialog::inMillimetres() const {
    return LengthUnit{unit_->currentData().toInt()} == LengthUnit::Millimetres;
}

void ExportDialog::changeUnit() {
    const bool mm = inMillimetres();
    const double factor = mm ? mmPerInch / pixelsPerInch : pixelsPerInch / mmPerInch;
    for (NumberField* field : {width_, height_}) {
        const double value = field->value() * factor;
        const QSignalBlocker quiet(field);
        field->setUnit(mm ? tr("mm") : tr("px"));
        field->setDecimals(mm ? 1 : 0);
        field->setValue(value);
    }
    if (mm)
        dpi_->show(300);
    showRequest();
}

ExportRequest ExportDialog::request() const {
    ExportRequest request = start_;
    request.view = FigureView{static_cast<std::uint8_t>(view_->currentData().toInt())};
    request.format = FigureFormat{static_cast<std::uint8_t>(format_->currentData().toInt())};
    request.theme = theme_->currentData().toBool() ? figures::Theme::dark() : figures::Theme::light();
    request.caption = caption_->isChecked();
    request.stacked = stacked_->isChecked();
    request.dpi = static_cast<int>(dpi_->value());
    const double perUnit = inMillimetres() ? pixelsPerInch / mmPerInch : 1;
    request.size = {static_cast<int>(std::lround(width_->value() * perUnit)),
                    static_cast<int>(std::lround(height_->value() * perUnit))};
    // In millimetres the resolution says how many pixels there are.
    request.scale = request.format != FigureFormat::Png ? 1
                    : inMillimetres()                   ? dpi_->value() / pixelsPerInch
                                                        : scale_->value();
    return request;
}

void ExportDialog::showRequest() {
    const ExportRequest wanted = request();
    const bool png = wanted.format == FigureFormat::Png;
    scale_->setEnabled(png && !inMillimetres());
    dpi_->setEnabled(png);
    const bool hasTradeoff =
        wanted.view == FigureView::Tradeoff ||
        (wanted.view == FigureView::All && wanted.tradeoff && figures::hasRoomForTradeoff(wanted.size));
    QString wrong = figures::refusal(wanted);
    if (wrong.isEmpty() && wanted.view == FigureView::Tradeoff && !wanted.tradeoff)
        wrong = tr("The budgets are not swept yet.");
    save_->setEnabled(wrong.isEmpty() && picture_ && !saving_);
    setRole(summary_, wrong.isEmpty() ? TextRole::Caption : TextRole::Bad);
    if (!wrong.isEmpty()) {
        summary_->setText(wrong);
    } else {
        const double mmPerPixel = mmPerInch / (png ? wanted.dpi / wanted.scale : pixelsPerInch);
        const QString inPrint = tr("%1 × %2 mm in print")
                                    .arg(wanted.size.width() * mmPerPixel, 0, 'f', 0)
                                    .arg(wanted.size.height() * mmPerPixel, 0, 'f', 0);
        summary_->setText(png ? tr("%1 × %2 pixels, %3")
                                    .arg(std::lround(wanted.size.width() * wanted.scale))
                                    .arg(std::lround(wanted.size.height() * wanted.scale))
                                    .arg(inPrint)
                              : tr("Vectors, %1").arg(inPrint));
        if (hasTradeoff && !tradeoffIsFinal_)
            summary_->setText(summary_->text() + QLatin1Char('\n') +
                              tr("The tradeoff is not swept to its end yet."));
    }
    previewTimer_.start();
}

void ExportDialog::paintPreview() {
    ExportRequest wanted = request();
    if (!picture_ || !figures::refusal(wanted).isEmpty()) {
        preview_->clear();
        return;
    }
    // The same painting, made smaller to fit the preview.
    wanted.format = FigureFormat::Png;
    wanted.scale = 1;
    const auto painted = figures::paintFigure(picture_, wanted);
    if (!painted) {
        preview_->setText(painted.error());
        return;
    }
    const QSize room = preview_->size() * devicePixelRatioF();
    QImage image = painted->image;
    if (image.width() > room.width() || image.height() > room.height())
        image = image.scaled(room, Qt::KeepAspectRatio, Qt::SmoothTransformation);
    image.setDevicePixelRatio(devicePixelRatioF());
    const QPixmap pixmap = QPixmap::fromImage(image);
    preview_->setPixmap(pixmap);
}

QSize ExportDialog::previewSize() const {
    const QPixmap pixmap = preview_->pixmap(Qt::ReturnByValue);
    return pixmap.isNull() ? QSize() : pixmap.deviceIndependentSize().toSize();
}

void ExportDialog::chooseFile() {
    const QString ending = suffix(request().format);
    auto* chooser = new QFileDialog(this, tr("Save Image"));
    chooser->setAttribute(Qt::WA_DeleteOnClose);
    chooser->setAcceptMode(QFileDialog::AcceptSave);
    chooser->setNameFilter(tr("%1 image (*.%2)").arg(ending.toUpper(), ending));
    chooser->setDefaultSuffix(ending);
    connect(chooser, &QFileDialog::fileSelected, this, &ExportDialog::saveTo);
    chooser->open();
}

void ExportDialog::saveTo(const QString& path) {
    const auto painted = figures::paintFigure(picture_, request());
    if (!painted) {
        emit failed(painted.error());
        return;
    }
    saving_ = true;
    showRequest();
    // An empty sentence means done.
    auto* watcher = new QFutureWatcher<QString>(this);
    connect(watcher, &QFutureWatcher<QString>::finished, this, [this, watcher, path] {
        watcher->deleteLater();
        saving_ = false;
        showRequest();
        const QString wrong = watcher->result();
        if (wrong.isEmpty())
            emit written(path);
        else
            emit failed(wrong);
    });
    watcher->setFuture(QtConcurrent::run([figure = *painted, path] {
        const auto bytes = figures::encodeFigure(figure);
        if (!bytes)
            return bytes.error();
        const auto done = figures::writeWhole(path, *bytes);
        return done ? QString() : done.error();
    }));
}

// A dialog that writes stays until it can tell how that went.
void ExportDialog::reject() {
    if (!saving_)
        QDialog::reject();
}

void ExportDialog::resizeEvent(QResizeEvent* event) {
    QDialog::resizeEvent(event);
    previewTimer_.start();
}

} // namespace slackscope
