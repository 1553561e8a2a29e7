#include "ui/figures/export.h"

#include "ui/figures/decision_painter.h"
#include "ui/figures/marks.h"
#include "ui/figures/step_figure.h"
#include "ui/figures/tradeoff_painter.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFileInfo>
#include <QFontMetricsF>
#include <QImageWriter>
#include <QPageSize>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace slackscope::figures {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Export)
};

constexpr int smallestSide = 120;
constexpr int largestSide = 20000;       // pixels
constexpr double mostPixels = 400e6;     // of one PNG: 1.6 GB while it is painted
constexpr int unitsPerInch = 96;         // of sizes in SVG and PDF
constexpr double pdfUnitsPerInch = 1200; // fine enough that glyphs are not moved to a coarse raster
constexpr double tradeoffPart = 0.34;    // of the width, beside the decisions
constexpr double tradeoffShare = 0.44;   // of the height, at least

// A panel of the exported page: how much of the height it wants, and how it paints itself.
struct Panel {
    double share = 1;
    std::function<void(QCPPainter&, const QRectF&)> paint;
};

class Page {
public:
    Page(std::shared_ptr<const StepPicture> picture, const ExportRequest& request)
        : picture_(std::move(picture)), request_(request) {}

    void paint(QCPPainter& painter) const {
        const QRectF page(QPointF(), QSizeF(request_.size));
        painter.setFont(productFont(12)); // a named family, also where a viewer asks for the default
        painter.fillRect(page, request_.theme.surface);
        QRectF room = page.adjusted(margin, margin, -margin, -margin);
        if (request_.caption)
            room.setBottom(paintCaption(painter, room));
        const std::vector<Panel> panels = panelsOf(request_.view);
        double shares = 0;
        for (const Panel& panel : panels)
            shares += panel.share;
        const double free = room.height() - margin * static_cast<double>(panels.size() - 1);
        double top = room.top();
        for (const Panel& panel : panels) {
            const double height = std::floor(free * panel.share / shares);
            panel.paint(painter, QRectF(room.left(), top, room.width(), height));
            top += height + margin;
        }
    }

private:
    static constexpr double margin = 12;

    // A further figure is one more panel here.
    std::vector<Panel> panelsOf(FigureView view) const {
        const bool hasBoth = request_.tradeoff && hasRoomForTradeoff(request_.size);
        // Beside the step's share of 2, the decisions get the height that their rows want, within bounds.
        double part = std::clamp(wantedDecisionHeight(picture_->grid()) / std::max(request_.size.height(), 1),
                                 0.22, 0.42);
        if (hasBoth)
            part = std::max(part, tradeoffShare);
        const double share = 2 * part / (1 - part);
        const auto decide = [this](QCPPainter& painter, const QRectF& rect) {
            paintDecisions(painter, {picture_.get(), &request_.theme, rect, request_.bytes, {}});
        };
        const auto trade = [this](QCPPainter& painter, const QRectF& rect) { paintTradeoff(painter, rect); };
        const Panel decisions{share, decide};
        switch (view) {
        case FigureView::Timeline:
            return {stepPanel(1, {true, false})};
        case FigureView::Memory:
            return {stepPanel(1, {false, true})};
        case FigureView::Decisions:
            return {decisions};
        case FigureView::Tradeoff:
            return {{1, trade}};
        case FigureView::All:
            if (!hasBoth)
                return {stepPanel(2, {true, true}), decisions};
            return {stepPanel(2, {true, true}),
                    {share, [decide, trade](QCPPainter& painter, const QRectF& rect) {
                         const double width = std::floor((rect.width() - margin) * tradeoffPart);
                         const double left = rect.right() - width;
                         decide(painter, QRectF(rect.topLeft(), QPointF(left - margin, rect.bottom())));
                         trade(painter, QRectF(QPointF(left, rect.top()), rect.bottomRight()));
                     }}};
        }
        return {};
    }

    Panel stepPanel(double share, StepFigureParts parts) const {
        return {share, [this, parts](QCPPainter& painter, const QRectF& rect) {
                    // A plot of its own: what is selected or zoomed in a window does not leak into files.
                    QCustomPlot plot;
                    StepFigure figure(plot, parts);
                    figure.setTheme(request_.theme);
                    figure.setStacked(request_.stacked);
                    figure.setPicture(picture_);
                    figure.setRange(request_.range ? confined(*request_.range, figure.whole())
                                                   : figure.whole());
                    const QSize size = rect.size().toSize();
                    figure.adaptTicks(size.width(), size.height());
                    painter.save();
                    painter.translate(rect.topLeft());
                    plot.toPainter(&painter, size.width(), size.height());
                    painter.restore();
                }};
    }

    void paintTradeoff(QCPPainter& painter, const QRectF& rect) const {
        const Plan& plan = picture_->plan();
        TradeoffScene scene;
        scene.curves = request_.tradeoff.get();
        scene.theme = &request_.theme;
        scene.emphasized = plan.strategy;
        if (plan.budgetBytes <= plan.unlimitedPeakBytes)
            scene.marker = TradeoffMarker{
                plan.budgetBytes,
                plan.feasible() ? std::optional(TradeoffPoint{plan.budgetBytes, plan.throughputOfIdeal()})
                                : std::nullopt,
                !plan.feasible()};
        paintTradeoffPanel(painter, rect, scene);
    }

    // At the foot of `room`; returns the top of the caption.
    double paintCaption(QPainter& painter, const QRectF& room) const {
        const QFont font = productFont(12);
        const QFontMetricsF metrics(font);
        // Parts are kept whole where lines break.
        QStringList lines;
        const QString separator = QStringLiteral(" · ");
        for (const QString& part : picture_->caption().split(separator)) {
            const QString longer = lines.isEmpty() ? part : lines.last() + separator + part;
            if (!lines.isEmpty() && metrics.horizontalAdvance(longer) <= room.width() - 8)
                lines.last() = longer;
            else
                lines.append(part);
        }
        const double lineHeight = std::ceil(metrics.height()) + 2;
        const double top = room.bottom() - lineHeight * static_cast<double>(lines.size());
        for (qsizetype i = 0; i < lines.size(); ++i)
            paintText(painter,
                      QRectF(room.left() + 4, top + lineHeight * static_cast<double>(i), room.width() - 8,
                             lineHeight),
                      Qt::AlignLeft | Qt::AlignVCenter, lines[i], font, request_.theme.secondaryText);
        return top - 8;
    }

    std::shared_ptr<const StepPicture> picture_;
    const ExportRequest& request_;
};

tl::expected<PaintedFigure, QString> paintPng(const Page& page, const ExportRequest& request) {
    const QSize pixels(static_cast<int>(std::lround(request.size.width() * request.scale)),
                       static_cast<int>(std::lround(request.size.height() * request.scale)));
    // A painter takes a pixel ratio below one for one: such a picture is painted whole and made smaller.
    const bool shrinks = request.scale < 1;
    QImage image(shrinks ? request.size : pixels, QImage::Format_RGB32);
    if (image.isNull())
        return tl::unexpected(
            Words::tr("There is not enough memory for a picture of %1 × %2 pixels. Ask for a "
                      "smaller size or scale.")
                .arg(pixels.width())
                .arg(pixels.height()));
    image.fill(request.theme.surface);
    image.setDevicePixelRatio(shrinks ? 1.0 : request.scale);
    QCPPainter painter;
    painter.begin(&image);
    painter.setMode(QCPPainter::pmNoCaching);
    page.paint(painter);
    painter.end();
    image.setDevicePixelRatio(1);
    if (shrinks)
        image = image.scaled(pixels, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    const int dotsPerMeter = static_cast<int>(std::lround(request.dpi / 0.0254));
    image.setDotsPerMeterX(dotsPerMeter);
    image.setDotsPerMeterY(dotsPerMeter);
    return PaintedFigure{image, {}};
}

void setVectorModes(QCPPainter& painter) {
    painter.setModes(QCPPainter::pmVectorized | QCPPainter::pmNoCaching | QCPPainter::pmNonCosmetic);
}

PaintedFigure paintSvg(const Page& page, const ExportRequest& request, const StepPicture& picture) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(unitsPerInch);
    generator.setSize(request.size);
    generator.setViewBox(QRect(QPoint(), request.size));
    // The generator escapes what is painted, but not these two.
    generator.setTitle(QString::fromStdString(picture.graph().profile().name).toHtmlEscaped());
    generator.setDescription(picture.caption().toHtmlEscaped());
    QCPPainter painter;
    painter.begin(&generator);
    setVectorModes(painter);
    page.paint(painter);
    painter.end();
    return {{}, bytes};
}

PaintedFigure paintPdf(const Page& page, const ExportRequest& request, const StepPicture& picture) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(QString::fromStdString(picture.graph().profile().name));
    writer.setCreator(QStringLiteral("SlackScope"));
    const double points = 72.0 / unitsPerInch;
    writer.setPageSize(
        QPageSize(QSizeF(request.size) * points, QPageSize::Point, QString(), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    writer.setResolution(static_cast<int>(pdfUnitsPerInch));
    QCPPainter painter;
    painter.begin(&writer);
    setVectorModes(painter);
    painter.scale(pdfUnitsPerInch / unitsPerInch, pdfUnitsPerInch / unitsPerInch);
    page.paint(painter);
    painter.end();
    return {{}, bytes};
}

} // namespace

bool hasRoomForTradeoff(QSize size) {
    return size.width() >= 1200 && size.height() >= 680;
}

QString refusal(const ExportRequest& request) {
    const QSize size = request.size;
    if (size.width() < smallestSide || size.height() < smallestSide)
        return Words::tr("A picture of %1 × %2 is too small to read: ask for at least %3 × %3.")
            .arg(size.width())
            .arg(size.height())
            .arg(smallestSide);
    if (size.width() > largestSide || size.height() > largestSide)
        return Words::tr("A picture of %1 × %2 is too large: ask for at most %3 on each side.")
            .arg(size.width())
            .arg(size.height())
            .arg(largestSide);
    if (request.format != FigureFormat::Png)
        return {};
    if (!(request.scale >= 0.25 && request.scale <= 16))
        return Words::tr("A scale of %1 is out of range: ask for 0.25 to 16.").arg(request.scale);
    if (request.dpi < 1 || request.dpi > 10000)
        return Words::tr("A resolution of %1 dpi is out of range: ask for 1 to 10000.").arg(request.dpi);
    const double width = size.width() * request.scale;
    const double height = size.height() * request.scale;
    if (width > largestSide || height > largestSide)
        return Words::tr("%1 × %2 at scale %3 is too large: ask for at most %4 pixels on each side.")
            .arg(size.width())
            .arg(size.height())
            .arg(request.scale)
            .arg(largestSide);
    if (width * height > mostPixels)
        return Words::tr("%1 × %2 at scale %3 is too large: ask for at most %4 million pixels.")
            .arg(size.width())
            .arg(size.height())
            .arg(request.scale)
            .arg(static_cast<int>(mostPixels / 1e6));
    return {};
}

tl::expected<PaintedFigure, QString> paintFigure(const std::shared_ptr<const StepPicture>& picture,
                                                 const ExportRequest& request) {
    if (!picture)
        return tl::unexpected(
            Words::tr("There is no plan to export yet. Wait until the first plan is ready."));
    if (QString sentence = refusal(request); !sentence.isEmpty())
        return tl::unexpected(std::move(sentence));
    if (request.view == FigureView::Tradeoff && !request.tradeoff)
        return tl::unexpected(
            Words::tr("There is no sweep over the budgets to export yet. Wait until it has begun."));
    const Page page(picture, request);
    switch (request.format) {
    case FigureFormat::Png:
        return paintPng(page, request);
    case FigureFormat::Svg:
        return paintSvg(page, request, *picture);
    case FigureFormat::Pdf:
        return paintPdf(page, request, *picture);
    }
    return tl::unexpected(Words::tr("This picture format is not known. Use PNG, SVG or PDF."));
}

tl::expected<QByteArray, QString> encodeFigure(const PaintedFigure& figure) {
    if (figure.image.isNull())
        return figure.bytes;
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QImageWriter writer(&buffer, "png");
    if (!writer.write(figure.image))
        return tl::unexpected(
            Words::tr("The picture could not be written as PNG: %1.").arg(writer.errorString()));
    return bytes;
}

tl::expected<QByteArray, QString> renderFigure(const std::shared_ptr<const StepPicture>& picture,
                                               const ExportRequest& request) {
    return paintFigure(picture, request).and_then(encodeFigure);
}

std::optional<FigureFormat> figureFormat(const QString& path) {
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix == QLatin1String("png"))
        return FigureFormat::Png;
    if (suffix == QLatin1String("svg"))
        return FigureFormat::Svg;
    if (suffix == QLatin1String("pdf"))
        return FigureFormat::Pdf;
    return std::nullopt;
}

std::optional<FigureView> figureView(const QString& name) {
    if (name == QLatin1String("timeline"))
        return FigureView::Timeline;
    if (name == QLatin1String("memory"))
        return FigureView::Memory;
    if (name == QLatin1String("decisions"))
        return FigureView::Decisions;
    if (name == QLatin1String("tradeoff"))
        return FigureView::Tradeoff;
    if (name == QLatin1String("all"))
        return FigureView::All;
    return std::nullopt;
}

tl::expected<void, QString> writeWhole(const QString& path, const QByteArray& bytes) {
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit())
        return {};
    return tl::unexpected(Words::tr("%1 could not be written: %2. Choose another place or name.")
                              .arg(path, file.errorString()));
}

tl::expected<void, QString> writeFigure(const std::shared_ptr<const StepPicture>& picture,
                                        const ExportRequest& request, const QString& path) {
    return renderFigure(picture, request).and_then([&](const QByteArray& bytes) {
        return writeWhole(path, bytes);
    });
}

} // namespace slackscope::figures
