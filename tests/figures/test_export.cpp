// Files that leave: sizes, formats, text as text, nothing outside its frame, old files kept on failure.
#include "tests/figures/samples.h"
#include "tests/support/profiles.h"
#include "ui/figures/export.h"

#include <QFile>
#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTransform>
#include <QXmlStreamReader>

using namespace slackscope;
using namespace slackscope::figures;

namespace {

struct SvgShape {
    QRectF rect; // in page units
    QColor fill;
};

struct SvgContent {
    bool isWellFormed = false;
    QSizeF viewBox;
    std::vector<SvgShape> rects;
    QStringList texts;
    QStringList families;
};

QTransform transformOf(const QString& attribute) {
    // Qt writes matrix(a,b,c,d,e,f).
    const QStringList parts = attribute.mid(7).chopped(1).split(',');
    if (!attribute.startsWith(QLatin1String("matrix(")) || parts.size() != 6)
        return {};
    return {parts[0].toDouble(), parts[1].toDouble(), parts[2].toDouble(),
            parts[3].toDouble(), parts[4].toDouble(), parts[5].toDouble()};
}

SvgContent readSvg(const QByteArray& bytes) {
    SvgContent content;
    QXmlStreamReader xml(bytes);
    std::vector<std::pair<QTransform, QColor>> groups{{QTransform(), QColor()}};
    while (!xml.atEnd()) {
        xml.readNext();
        if (xml.isEndElement() && xml.name() == QLatin1String("g"))
            groups.pop_back();
        if (!xml.isStartElement())
            continue;
        const QXmlStreamAttributes attributes = xml.attributes();
        if (xml.name() == QLatin1String("svg")) {
            const QStringList box = attributes.value("viewBox").toString().split(' ');
            content.viewBox = {box[2].toDouble(), box[3].toDouble()};
        } else if (xml.name() == QLatin1String("g")) {
            auto group = groups.back();
            if (attributes.hasAttribute("transform"))
                group.first = transformOf(attributes.value("transform").toString()) * group.first;
            if (attributes.hasAttribute("fill"))
                group.second = QColor(attributes.value("fill").toString());
            if (attributes.hasAttribute("font-family"))
                content.families << attributes.value("font-family").toString();
            groups.push_back(group);
        } else if (xml.name() == QLatin1String("rect")) {
            const auto number = [&](const char* name) {
                return attributes.value(QLatin1String(name)).toDouble();
            };
            content.rects.push_back({groups.back().first.mapRect(
                                         QRectF(number("x"), number("y"), number("width"), number("height"))),
                                     groups.back().second});
        } else if (xml.name() == QLatin1String("text")) {
            content.texts << xml.readElementText();
        }
    }
    content.isWellFormed = !xml.hasError();
    return content;
}

QByteArray exported(const std::shared_ptr<const StepPicture>& picture, const ExportRequest& request) {
    const auto bytes = renderFigure(picture, request);
    return bytes ? *bytes : QByteArray();
}

} // namespace

class TestExport : public QObject {
    Q_OBJECT

private slots:
    void namesFromFilesStayText() {
        Profile profile = test::layeredProfile(4);
        profile.name = "R&D <b>bold</b> ]]></title><script>x</script> \"quoted\"";
        profile.link.name = "fast & <i>new</i>";
        const auto picture = test::pictureOf(profile, "slackswap", 0.5);
        ExportRequest request;
        request.format = FigureFormat::Svg;
        const auto bytes = renderFigure(picture, request);
        QVERIFY(bytes);
        QVERIFY(readSvg(*bytes).isWellFormed);
        QVERIFY(!bytes->contains("<script"));
        QXmlStreamReader xml(*bytes);
        QString title;
        while (!xml.atEnd()) {
            if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == QLatin1String("title"))
                title = xml.readElementText();
        }
        QCOMPARE(title, QString::fromStdString(profile.name));
    }
    void scalesBelowOneShrinkTheWholePicture() {
        const auto picture = test::mixedPicture();
        ExportRequest request;
        request.format = FigureFormat::Png;
        const QImage whole =
            QImage::fromData(*renderFigure(picture, request)).convertToFormat(QImage::Format_RGB32);
        request.scale = 0.5;
        const QImage half =
            QImage::fromData(*renderFigure(picture, request)).convertToFormat(QImage::Format_RGB32);
        QCOMPARE(half.size(), whole.size() / 2);
        // The rightmost column of the whole picture is there too: compare a grid of points.
        const QImage expected = whole.scaled(half.size(), Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
        for (int x = 0; x < half.width(); x += 7) {
            for (int y = 0; y < half.height(); y += 7)
                QCOMPARE(half.pixelColor(x, y), expected.pixelColor(x, y));
        }
    }
    void pngHasTheSizeAsked_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<double>("scale");
        QTest::addColumn<int>("dpi");
        QTest::newRow("plain") << QSize(800, 600) << 1.0 << 96;
        QTest::newRow("double") << QSize(801, 601) << 2.0 << 192;
        QTest::newRow("print") << QSize(640, 480) << 3.125 << 300;
        QTest::newRow("half") << QSize(800, 600) << 0.5 << 72;
        QTest::newRow("smallest") << QSize(120, 120) << 1.0 << 96;
    }
    void pngHasTheSizeAsked() {
        QFETCH(QSize, size);
        QFETCH(double, scale);
        QFETCH(int, dpi);
        const auto picture = test::mixedPicture();
        for (const FigureView view :
             {FigureView::Timeline, FigureView::Memory, FigureView::Decisions, FigureView::All}) {
            ExportRequest request;
            request.view = view;
            request.size = size;
            request.scale = scale;
            request.dpi = dpi;
            const QImage image = QImage::fromData(exported(picture, request), "PNG");
            QCOMPARE(image.width(), qRound(size.width() * scale));
            QCOMPARE(image.height(), qRound(size.height() * scale));
            QVERIFY(std::abs(image.dotsPerMeterX() * 0.0254 - dpi) < 0.1);
            QCOMPARE(image.pixelColor(1, 1), request.theme.surface);
        }
    }

    void lanesHaveTheColorsOfTheTheme() {
        const auto picture = test::mixedPicture();
        for (const Theme& theme : {Theme::light(), Theme::dark()}) {
            ExportRequest request;
            request.view = FigureView::Timeline;
            request.theme = theme;
            request.size = {1200, 400};
            const QImage image = QImage::fromData(exported(picture, request), "PNG");
            int forward = 0;
            int offload = 0;
            int prefetch = 0;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    forward += image.pixelColor(x, y) == theme.forward ? 1 : 0;
                    offload += image.pixelColor(x, y) == theme.offload ? 1 : 0;
                    prefetch += image.pixelColor(x, y) == theme.prefetch ? 1 : 0;
                }
            }
            QVERIFY(forward > 3000);
            QVERIFY(offload > 1000);
            QVERIFY(prefetch > 1000);
        }
    }

    void absurdRequestsAreRefused_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<double>("scale");
        QTest::addColumn<int>("dpi");
        QTest::newRow("no size") << QSize(0, 0) << 1.0 << 96;
        QTest::newRow("negative") << QSize(-100, 300) << 1.0 << 96;
        QTest::newRow("tiny") << QSize(119, 300) << 1.0 << 96;
        QTest::newRow("too wide") << QSize(20001, 300) << 1.0 << 96;
        QTest::newRow("too wide when scaled") << QSize(12000, 300) << 2.0 << 96;
        QTest::newRow("too many pixels") << QSize(20000, 20000) << 1.01 << 96;
        QTest::newRow("400 Mpx and one row") << QSize(20000, 20001) << 1.0 << 96;
        QTest::newRow("scale 0") << QSize(800, 600) << 0.0 << 96;
        QTest::newRow("scale nan") << QSize(800, 600) << std::nan("") << 96;
        QTest::newRow("dpi 0") << QSize(800, 600) << 1.0 << 0;
    }
    void absurdRequestsAreRefused() {
        QFETCH(QSize, size);
        QFETCH(double, scale);
        QFETCH(int, dpi);
        ExportRequest request;
        request.size = size;
        request.scale = scale;
        request.dpi = dpi;
        const auto bytes = renderFigure(test::mixedPicture(2), request);
        QVERIFY(!bytes);
        QVERIFY(bytes.error().endsWith('.'));
        QCOMPARE(bytes.error(), refusal(request));
    }

    void noPictureIsASentence() { QVERIFY(!renderFigure(nullptr, {}).has_value()); }

    void svgStaysInItsFrame_data() {
        QTest::addColumn<double>("from");
        QTest::addColumn<double>("to");
        QTest::newRow("whole") << 0.0 << 1.0;
        QTest::newRow("zoomed") << 0.30 << 0.35;
        QTest::newRow("one bar") << 0.5 << 0.5001;
    }
    void svgStaysInItsFrame() {
        QFETCH(double, from);
        QFETCH(double, to);
        const auto picture = test::mixedPicture();
        ExportRequest request;
        request.format = FigureFormat::Svg;
        request.size = {1000, 700};
        const auto step = static_cast<double>(picture->stepNs());
        request.range = TimeRange{from * step, to * step};
        const SvgContent svg = readSvg(exported(picture, request));
        QVERIFY(svg.isWellFormed);
        QCOMPARE(svg.viewBox, QSizeF(1000, 700));
        QVERIFY(!svg.rects.empty());
        const QRectF page(-0.01, -0.01, 1000.02, 700.02);
        // The lanes' grounds are the widest rectangles of their colour: bars must lie inside them.
        QRectF lanes;
        for (const SvgShape& shape : svg.rects) {
            QVERIFY2(page.contains(shape.rect), qPrintable(QString::number(shape.rect.left())));
            if (shape.fill == request.theme.field && shape.rect.width() > 500)
                lanes = lanes.united(shape.rect);
        }
        QVERIFY(!lanes.isNull());
        const QRectF inside = lanes.adjusted(-0.01, -0.01, 0.01, 0.01);
        for (const SvgShape& shape : svg.rects) {
            for (const QColor& bar : {request.theme.forward, request.theme.backward, request.theme.offload}) {
                if (shape.fill == bar && shape.rect.bottom() < lanes.bottom() + 5)
                    QVERIFY(inside.contains(shape.rect));
            }
        }
    }

    void barsAreCountedAtHighZoom() {
        const auto picture = test::mixedPicture(4);
        ExportRequest request;
        request.view = FigureView::Timeline;
        request.format = FigureFormat::Svg;
        request.size = {6000, 400};
        const SvgContent svg = readSvg(exported(picture, request));
        std::map<BarKind, int> expected;
        for (const Lane lane : allLanes) {
            for (const Bar& bar : picture->bars(lane))
                ++expected[bar.kind];
        }
        const auto count = [&](const QColor& color) {
            return static_cast<int>(
                std::count_if(svg.rects.begin(), svg.rects.end(), [&](const SvgShape& shape) {
                    return shape.fill == color && shape.rect.height() > 20;
                }));
        };
        QVERIFY(expected[BarKind::Offload] > 0 && expected[BarKind::Recompute] > 0);
        QCOMPARE(count(request.theme.forward), expected[BarKind::Forward]);
        QCOMPARE(count(request.theme.backward), expected[BarKind::Backward]);
        QCOMPARE(count(request.theme.recompute), expected[BarKind::Recompute]);
        QCOMPARE(count(request.theme.offload), expected[BarKind::Offload]);
        QCOMPARE(count(request.theme.prefetch), expected[BarKind::Prefetch]);
    }

    void textStaysText() {
        const auto picture = test::mixedPicture();
        ExportRequest request;
        request.format = FigureFormat::Svg;
        const SvgContent svg = readSvg(exported(picture, request));
        const QString all = svg.texts.join('\n');
        for (const char* word : {"Timeline", "Memory", "Decisions", "Compute", "budget", "peak", "unlimited",
                                 "recompute", "simulated, not measured"})
            QVERIFY2(all.contains(QLatin1String(word)), word);
        QVERIFY(svg.families.contains(fontFamily()));
    }

    void theTradeoffIsAPictureOfItsOwn() {
        const auto picture = test::mixedPicture(3);
        ExportRequest request;
        request.view = FigureView::Tradeoff;
        request.format = FigureFormat::Svg;
        const auto refused = renderFigure(picture, request);
        QVERIFY(!refused);
        QVERIFY(refused.error().contains(QStringLiteral("sweep")));
        request.tradeoff = test::tradeoffOf(test::layeredProfile(3), 8);
        const SvgContent svg = readSvg(exported(picture, request));
        QVERIFY(svg.isWellFormed);
        const QString all = svg.texts.join('\n');
        for (const char* word : {"Tradeoff", "no program can be here", "simulated throughput, % of ideal",
                                 "50.0 %", "simulated, not measured"})
            QVERIFY2(all.contains(QLatin1String(word)), word);
        for (const TradeoffCurve& curve : request.tradeoff->curves)
            QVERIFY2(all.contains(curve.label) || curve.points.size() == 1, curve.id.c_str());
        QVERIFY(!all.contains(QStringLiteral("Timeline")));
        for (const FigureFormat format : {FigureFormat::Png, FigureFormat::Pdf}) {
            request.format = format;
            QVERIFY(!exported(picture, request).isEmpty());
        }
    }
    void aPictureOfAllHoldsTheTradeoffWhereThereIsRoom_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("isThere");
        QTest::newRow("usual") << QSize(1600, 900) << true;
        QTest::newRow("narrow") << QSize(900, 900) << false;
        QTest::newRow("low") << QSize(1600, 500) << false;
    }
    void aPictureOfAllHoldsTheTradeoffWhereThereIsRoom() {
        QFETCH(QSize, size);
        QFETCH(bool, isThere);
        ExportRequest request;
        request.format = FigureFormat::Svg;
        request.size = size;
        request.tradeoff = test::tradeoffOf(test::layeredProfile(3), 8);
        const QString all = readSvg(exported(test::mixedPicture(3), request)).texts.join('\n');
        QCOMPARE(all.contains(QStringLiteral("Tradeoff")), isThere);
        QVERIFY(all.contains(QStringLiteral("Decisions")));
        QCOMPARE(hasRoomForTradeoff(size), isThere);
    }

    void pdfHoldsTextAndNoImages() {
        const QByteArray pdf = [] {
            ExportRequest request;
            request.format = FigureFormat::Pdf;
            return exported(test::mixedPicture(), request);
        }();
        QVERIFY(pdf.startsWith("%PDF"));
        QVERIFY(!pdf.contains("/Subtype /Image"));
        const QString tool = QStandardPaths::findExecutable(QStringLiteral("pdftotext"));
        if (tool.isEmpty())
            QSKIP("pdftotext is not installed");
        QProcess process;
        process.start(tool, {QStringLiteral("-"), QStringLiteral("-")});
        process.write(pdf);
        process.closeWriteChannel();
        QVERIFY(process.waitForFinished());
        const QString text = QString::fromUtf8(process.readAllStandardOutput());
        for (const char* word : {"Timeline", "Memory", "Decisions", "budget", "simulated"})
            QVERIFY2(text.contains(QLatin1String(word)), word);
    }

    void captionCanBeLeftOut() {
        ExportRequest request;
        request.format = FigureFormat::Svg;
        request.caption = false;
        const SvgContent svg = readSvg(exported(test::mixedPicture(), request));
        QVERIFY(!svg.texts.join('\n').contains(QStringLiteral("simulated, not measured")));
    }

    void infeasibleIsShownHonestly() {
        const auto picture = test::pictureOf(test::layeredProfile(6), "slackswap", 0.01);
        for (const FigureView view :
             {FigureView::Timeline, FigureView::Memory, FigureView::Decisions, FigureView::All}) {
            ExportRequest request;
            request.view = view;
            request.format = FigureFormat::Svg;
            const SvgContent svg = readSvg(exported(picture, request));
            QVERIFY(svg.isWellFormed);
            QVERIFY(svg.texts.join(' ').contains(QStringLiteral("infeasible")));
            QVERIFY(svg.texts.join(' ').contains(QStringLiteral("at least")));
            // Once in the caption, once at its line where memory is shown.
            const auto budgets =
                svg.texts.filter(QRegularExpression(QStringLiteral("budget [0-9.]+"))).size();
            QCOMPARE(budgets, view == FigureView::Memory || view == FigureView::All ? 2 : 1);
            for (const SvgShape& shape : svg.rects)
                QVERIFY(shape.fill != request.theme.forward);
        }
    }

    void sameInputSameBytes() {
        ExportRequest request;
        request.size = {600, 500};
        QCOMPARE(exported(test::mixedPicture(), request), exported(test::mixedPicture(), request));
    }

    void oddStepsCanBeExported_data() {
        QTest::addColumn<int>("operators");
        QTest::addColumn<int>("ns");
        QTest::addColumn<int>("bytes");
        QTest::newRow("one operator") << 1 << 100 << 10;
        QTest::newRow("no time") << 4 << 0 << 10;
        QTest::newRow("no bytes") << 4 << 10 << 0;
        QTest::newRow("5000 tensors without layers") << 5000 << 100 << 100;
    }
    void oddStepsCanBeExported() {
        QFETCH(int, operators);
        QFETCH(int, ns);
        QFETCH(int, bytes);
        const auto picture = test::pictureOf(test::plainChain(operators, ns, bytes), "keep-all", 0);
        for (const FigureFormat format : {FigureFormat::Png, FigureFormat::Svg, FigureFormat::Pdf}) {
            ExportRequest request;
            request.format = format;
            request.stacked = true;
            request.bytes = true;
            QVERIFY(!exported(picture, request).isEmpty());
        }
    }

    void suffixesAndViews() {
        QCOMPARE(figureFormat(QStringLiteral("a/b.PNG")), FigureFormat::Png);
        QCOMPARE(figureFormat(QStringLiteral("x.svg")), FigureFormat::Svg);
        QCOMPARE(figureFormat(QStringLiteral("x.y.pdf")), FigureFormat::Pdf);
        QVERIFY(!figureFormat(QStringLiteral("png")));
        QCOMPARE(figureView(QStringLiteral("memory")), FigureView::Memory);
        QCOMPARE(figureView(QStringLiteral("tradeoff")), FigureView::Tradeoff);
        QVERIFY(!figureView(QStringLiteral("nothing")));
    }

    void failuresLeaveTheOldFile() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("figure.png"));
        QVERIFY(writeWhole(path, "old").has_value());
        ExportRequest request;
        request.size = {10, 10};
        const auto refused = writeFigure(test::mixedPicture(2), request, path);
        QVERIFY(!refused);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("old"));
        const auto nowhere = writeWhole(folder.filePath(QStringLiteral("no/such/folder/x.png")), "new");
        QVERIFY(!nowhere);
        QVERIFY(nowhere.error().contains(QStringLiteral("could not be written")));
        request.size = {300, 300};
        QVERIFY(writeFigure(test::mixedPicture(2), request, path).has_value());
        QVERIFY(QImage(path).width() == 300);
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 1);
    }
};

QTEST_MAIN(TestExport)
#include "test_export.moc"
