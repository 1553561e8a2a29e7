// Pictures that leave the program: the same painting code as the window, into PNG, SVG or PDF.
//
// Painting needs a QApplication and its thread (any platform, offscreen too); encoding may run anywhere. An
// infeasible plan gives an honest picture that says so with the budget needed.
#pragma once

#include "ui/figures/step_picture.h"
#include "ui/figures/theme.h"
#include "ui/figures/time_view.h"
#include "ui/figures/tradeoff_curves.h"

#include <QByteArray>
#include <QImage>
#include <QSize>

#include <tl/expected.hpp>

#include <memory>
#include <optional>

namespace slackscope::figures {

enum class FigureView : std::uint8_t { Timeline, Memory, Decisions, Tradeoff, All };
enum class FigureFormat : std::uint8_t { Png, Svg, Pdf };

struct ExportRequest {
    FigureView view = FigureView::All;
    FigureFormat format = FigureFormat::Png;
    QSize size{1600, 900}; // logical pixels: PNG has size x scale of them, SVG and PDF size at 96 per inch
    double scale = 1;      // PNG only; text and lines grow with it
    int dpi = 96;          // PNG only: the resolution that the file states
    Theme theme = Theme::light();
    bool caption = true;
    bool stacked = false;           // memory by what fills it
    bool bytes = false;             // decision cells filled by bytes
    std::optional<TimeRange> range; // absent = the whole step
    // Of the same profile. Absent: `All` goes without them, and `Tradeoff` is refused.
    std::shared_ptr<const TradeoffCurves> tradeoff;
};

// Whether a picture of all has room for the tradeoff beside the decisions.
bool hasRoomForTradeoff(QSize size);

// Why a request cannot be met (an absurd size, scale or dpi), as a sentence; empty = it can.
QString refusal(const ExportRequest& request);

// A picture painted but, for PNG, not yet encoded.
struct PaintedFigure {
    QImage image;     // PNG
    QByteArray bytes; // SVG and PDF: the finished file
};

// Errors are sentences for the user.
tl::expected<PaintedFigure, QString> paintFigure(const std::shared_ptr<const StepPicture>& picture,
                                                 const ExportRequest& request);
tl::expected<QByteArray, QString> encodeFigure(const PaintedFigure& figure); // any thread
// Both of the above.
tl::expected<QByteArray, QString> renderFigure(const std::shared_ptr<const StepPicture>& picture,
                                               const ExportRequest& request);

// By the file name's suffix, in any case.
std::optional<FigureFormat> figureFormat(const QString& path);
std::optional<FigureView> figureView(const QString& name); // "timeline", ..., "all"

// Written beside `path` and renamed over it: a failure leaves the old file whole.
tl::expected<void, QString> writeWhole(const QString& path, const QByteArray& bytes);
tl::expected<void, QString> writeFigure(const std::shared_ptr<const StepPicture>& picture,
                                        const ExportRequest& request, const QString& path);

} // namespace slackscope::figures
