// File > Export Image: what the picture shows, its size and format, with a preview painted by the same code.
#pragma once

#include "ui/figures/export.h"

#include <QDialog>
#include <QTimer>

class QCheckBox;
class QLabel;
class QPushButton;

namespace slackscope {

class ChoiceField;
class Look;
class NumberField;

class ExportDialog : public QDialog {
    Q_OBJECT
public:
    ExportDialog(const Look& look, figures::ExportRequest start, QWidget* parent = nullptr);

    // The picture to export; the preview follows it.
    void setPicture(std::shared_ptr<const figures::StepPicture> picture);
    // Of the same profile; nullptr: none yet. One that is not final says so beside the preview.
    void setTradeoff(std::shared_ptr<const figures::TradeoffCurves> tradeoff, bool isFinal);
    // What the fields mean.
    figures::ExportRequest request() const;
    // Paints here, encodes and writes on another thread; `written` or `failed` follows.
    void saveTo(const QString& path);

    QSize previewSize() const;

    void reject() override;

signals:
    void written(const QString& path);
    void failed(const QString& sentence);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    bool inMillimetres() const;
    void changeUnit();
    void showRequest();
    void paintPreview();
    void chooseFile();

    const Look& look_;
    figures::ExportRequest start_;
    std::shared_ptr<const figures::StepPicture> picture_;
    ChoiceField* view_;
    ChoiceField* format_;
    ChoiceField* theme_;
    ChoiceField* unit_;
    NumberField* width_;
    NumberField* height_;
    NumberField* scale_;
    NumberField* dpi_;
    QCheckBox* caption_;
    QCheckBox* stacked_;
    QLabel* summary_;
    QLabel* preview_;
    QPushButton* save_;
    QTimer previewTimer_;
    bool tradeoffIsFinal_ = false;
    bool saving_ = false;
};

} // namespace slackscope
