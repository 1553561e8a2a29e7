#include "ui/figures/marks.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace slackscope::figures {

QList<QLineF> hatchLines(const QRectF& rect, Hatch hatch, double gap) {
    QList<QLineF> lines;
    if (hatch == Hatch::None || rect.isEmpty() || gap <= 0)
        return lines;
    // Rising: points with x + y = c; falling: x - y = c.
    const bool rising = hatch == Hatch::Rising;
    const double low = rising ? rect.left() + rect.top() : rect.left() - rect.bottom();
    const double high = rising ? rect.right() + rect.bottom() : rect.right() - rect.top();
    const double first = std::ceil(low / gap);
    const int count = static_cast<int>(std::ceil(high / gap - first));
    for (int i = 0; i < count; ++i) {
        const double c = (first + i) * gap;
        double fromX = rising ? c - rect.bottom() : c + rect.top();
        double toX = rising ? c - rect.top() : c + rect.bottom();
        fromX = std::max(fromX, rect.left());
        toX = std::min(toX, rect.right());
        if (fromX >= toX)
            continue;
        lines.append(rising ? QLineF(fromX, c - fromX, toX, c - toX)
                            : QLineF(fromX, fromX - c, toX, toX - c));
    }
    return lines;
}

void paintHatch(QPainter& painter, const QRectF& rect, Hatch hatch, const QColor& color, double gap,
                double width) {
    const double inset = width * 0.36; // flat ends of slanted lines stick out by this much
    const QList<QLineF> lines = hatchLines(rect.adjusted(inset, inset, -inset, -inset), hatch, gap);
    if (lines.isEmpty())
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(color, width, Qt::SolidLine, Qt::FlatCap));
    painter.drawLines(lines);
    painter.restore();
}

const QColor& decisionColor(const Theme& theme, std::optional<Decision> decision) {
    if (!decision)
        return theme.undecided;
    switch (*decision) {
    case Decision::Keep:
        return theme.keep;
    case Decision::Offload:
        return theme.offload;
    case Decision::Recompute:
        return theme.recompute;
    }
    return theme.undecided;
}

QString decisionLetter(Decision decision) {
    switch (decision) {
    case Decision::Keep:
        return QStringLiteral("K");
    case Decision::Offload:
        return QStringLiteral("O");
    case Decision::Recompute:
        return QStringLiteral("R");
    }
    return {};
}

QString decisionWord(Decision decision) {
    switch (decision) {
    case Decision::Keep:
        return QCoreApplication::translate("Decision", "keep");
    case Decision::Offload:
        return QCoreApplication::translate("Decision", "offload");
    case Decision::Recompute:
        return QCoreApplication::translate("Decision", "recompute");
    }
    return {};
}

Hatch decisionHatch(Decision decision) {
    return decision == Decision::Recompute ? Hatch::Rising : Hatch::None;
}

LegendEntry decisionEntry(const Theme& theme, Decision decision, const QString& text) {
    return {decisionColor(theme, decision), decisionLetter(decision), decisionHatch(decision), text};
}

void paintSmallDecision(QPainter& painter, const QRectF& cell, Decision decision, const Theme& theme) {
    const bool isTall = cell.height() >= cell.width();
    const double length = isTall ? cell.height() : cell.width();
    if (decision == Decision::Keep || length < 3)
        return;
    // Strong, but not as strong as what marks a pin.
    const QColor& ground = decisionColor(theme, decision);
    const QColor ink = mixed(ground, theme.inkOn(ground), 0.7);
    if (decision == Decision::Recompute && std::min(cell.width(), cell.height()) >= 5) {
        paintHatch(painter, cell, decisionHatch(decision), ink, 5, 1.2);
        return;
    }
    // On whole pixels, or so thin a bar would be a blur.
    const double thickness = length >= 12 ? 2 : 1;
    const auto bar = [&](double share) {
        const double at = std::round((isTall ? cell.top() : cell.left()) + share * (length - thickness));
        painter.fillRect(isTall ? QRectF(cell.left(), at, cell.width(), thickness)
                                : QRectF(at, cell.top(), thickness, cell.height()),
                         ink);
    };
    if (decision == Decision::Offload) {
        bar(0.5);
    } else {
        bar(length < 5 ? 0.0 : 0.2);
        bar(length < 5 ? 1.0 : 0.8);
    }
}

void paintSwatch(QPainter& painter, const QRectF& rect, const LegendEntry& entry, const Theme& theme) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(entry.color);
    painter.drawRoundedRect(rect, 3, 3);
    painter.restore();
    if (entry.hatch != Hatch::None)
        paintHatch(painter, rect.adjusted(1, 1, -1, -1), entry.hatch, theme.hatchOn(entry.color), 5, 1.4);
    if (!entry.letter.isEmpty())
        paintLetter(painter, rect, entry.letter, productFont(10, QFont::Bold), entry.color, theme);
}

double paintLegend(QPainter& painter, const QRectF& area, const std::vector<LegendEntry>& entries,
                   const Theme& theme) {
    constexpr double swatch = 14;
    constexpr double between = 18;
    const QFont font = productFont(12);
    const QFontMetricsF metrics(font);
    double width = 0;
    std::size_t shown = 0;
    for (; shown < entries.size(); ++shown) {
        const double more = swatch + 6 + std::ceil(metrics.horizontalAdvance(entries[shown].text)) + 1 +
                            (shown > 0 ? between : 0);
        if (width + more > area.width())
            break;
        width += more;
    }
    double x = area.right() - width;
    for (std::size_t i = 0; i < shown; ++i) {
        const LegendEntry& entry = entries[i];
        const QRectF box(std::round(x), std::round(area.center().y() - swatch / 2), swatch, swatch);
        paintSwatch(painter, box, entry, theme);
        const double textWidth = std::ceil(metrics.horizontalAdvance(entry.text)) + 1;
        paintText(painter, QRectF(box.right() + 6, area.top(), textWidth, area.height()),
                  Qt::AlignLeft | Qt::AlignVCenter, entry.text, font, theme.secondaryText);
        x += swatch + 6 + textWidth + between;
    }
    return width;
}

void paintHeader(QPainter& painter, const QRectF& area, const QString& title, const QString& subtitle,
                 const std::vector<LegendEntry>& legend, const Theme& theme) {
    const QFont titleFont = productFont(14, QFont::DemiBold);
    const double titleWidth = std::ceil(QFontMetricsF(titleFont).horizontalAdvance(title)) + 1;
    paintText(painter, area, Qt::AlignLeft | Qt::AlignVCenter, title, titleFont, theme.text);
    const double used = paintLegend(painter, area.adjusted(titleWidth + 16, 0, 0, 0), legend, theme);
    const QRectF rest = area.adjusted(titleWidth + 12, 1, -used - 16, 1);
    if (rest.width() > 60 && !subtitle.isEmpty())
        paintText(painter, rest, Qt::AlignLeft | Qt::AlignVCenter, subtitle, productFont(12),
                  theme.secondaryText);
}

void paintCard(QPainter& painter, const QRectF& rect, const Theme& theme) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(theme.frame, 1));
    painter.setBrush(theme.card);
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 7, 7);
    painter.restore();
}

void paintLetter(QPainter& painter, const QRectF& rect, const QString& letter, const QFont& font,
                 const QColor& ground, const Theme& theme) {
    const QFontMetricsF metrics(font);
    const double width = std::min(metrics.horizontalAdvance(letter) + 4, rect.width());
    const double height = std::min(metrics.capHeight() + 5, rect.height());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawRoundedRect(
        QRectF(rect.center().x() - width / 2, rect.center().y() - height / 2, width, height), 2, 2);
    painter.restore();
    paintText(painter, rect, Qt::AlignCenter, letter, font, theme.inkOn(ground));
}

void paintText(QPainter& painter, const QRectF& rect, int flags, const QString& text, const QFont& font,
               const QColor& color) {
    // Half a pixel of grace: a rectangle measured with the same font must take its text whole.
    const QString shown =
        QFontMetricsF(font).elidedText(text, Qt::ElideRight, rect.width() + 0.5, Qt::TextSingleLine);
    if (shown.isEmpty())
        return;
    painter.setFont(font);
    painter.setPen(color);
    painter.drawText(rect, flags | Qt::TextSingleLine | Qt::TextDontClip, shown);
}

QRectF LabelPlacer::place(const std::vector<QRectF>& candidates) {
    for (QRectF candidate : candidates) {
        if (candidate.width() > bounds_.width())
            continue;
        candidate.moveLeft(std::clamp(candidate.left(), bounds_.left(), bounds_.right() - candidate.width()));
        if (candidate.top() < bounds_.top() || candidate.bottom() > bounds_.bottom())
            continue;
        const bool isFree = std::none_of(taken_.begin(), taken_.end(),
                                         [&](const QRectF& other) { return other.intersects(candidate); });
        if (isFree) {
            taken_.push_back(candidate);
            return candidate;
        }
    }
    return {};
}

} // namespace slackscope::figures
