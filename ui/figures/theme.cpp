#include "ui/figures/theme.h"

#include <QFontDatabase>

#include <algorithm>
#include <cmath>

namespace slackscope::figures {

namespace {

// sRGB to linear light and back (IEC 61966-2-1).
double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double encoded(double light) {
    return light <= 0.0031308 ? light * 12.92 : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

double luminance(const QColor& color) {
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

const QColor darkInk(0x10, 0x16, 0x1d);
const QColor lightInk(0xff, 0xff, 0xff);

} // namespace

double contrast(const QColor& a, const QColor& b) {
    const double first = luminance(a);
    const double second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

QColor mixed(const QColor& a, const QColor& b, double part) {
    const auto channel = [part](double from, double to) {
        return static_cast<float>(
            std::clamp(encoded(linear(from) + (linear(to) - linear(from)) * part), 0.0, 1.0));
    };
    return QColor::fromRgbF(channel(a.redF(), b.redF()), channel(a.greenF(), b.greenF()),
                            channel(a.blueF(), b.blueF()));
}

Theme Theme::light() {
    Theme t;
    t.surface = QColor(0xf2, 0xf4, 0xf8);
    t.card = QColor(0xff, 0xff, 0xff);
    t.field = QColor(0xf1, 0xf3, 0xf7);
    t.frame = QColor(0xdf, 0xe3, 0xea);
    t.grid = QColor(0xe8, 0xeb, 0xf0);
    t.axis = QColor(0xb4, 0xbc, 0xc8);
    t.tooltip = QColor(0xff, 0xff, 0xff);
    t.selectedItem = QColor(0xdc, 0xe9, 0xf6);
    t.text = QColor(0x17, 0x1f, 0x2a);
    t.secondaryText = QColor(0x55, 0x60, 0x70);
    t.accent = QColor(0x0b, 0x5c, 0xad);
    t.accentText = lightInk;
    t.forward = QColor(0x56, 0xb4, 0xe9);
    t.backward = QColor(0x00, 0x72, 0xb2);
    t.recompute = QColor(0xe6, 0x9f, 0x00);
    t.offload = QColor(0x00, 0x9e, 0x73);
    t.prefetch = QColor(0xcc, 0x79, 0xa7);
    t.memoryStall = QColor(0xd5, 0x5e, 0x00);
    t.transferStall = QColor(0xf0, 0xe4, 0x42);
    t.keep = QColor(0x00, 0x72, 0xb2);
    t.undecided = QColor(0xc9, 0xd0, 0xda);
    t.memory = QColor(0x00, 0x68, 0xa8);
    t.memoryFill = QColor(0xc3, 0xdf, 0xf3);
    t.activations = QColor(0x8f, 0xc6, 0xea);
    t.gradients = QColor(0xd9, 0x9a, 0xbd);
    t.workspaces = QColor(0xee, 0xbf, 0x5c);
    t.budget = QColor(0xd5, 0x5e, 0x00);
    t.budgetText = QColor(0xa8, 0x46, 0x00);
    t.ghost = QColor(0x8a, 0x94, 0xa3);
    t.baseline = QColor(0x7a, 0x4f, 0xa3);
    t.selection = QColor(0x10, 0x16, 0x1d);
    t.flow = QColor(0x2b, 0x36, 0x44);
    t.playhead = QColor(0xc2, 0x18, 0x5b);
    t.rangeBand = QColor(0x0b, 0x5c, 0xad, 38);
    t.good = QColor(0x00, 0x75, 0x55);
    t.warn = QColor(0x8a, 0x59, 0x00);
    t.bad = QColor(0xb0, 0x36, 0x12);
    t.goodGround = QColor(0xdd, 0xf3, 0xeb);
    t.warnGround = QColor(0xfd, 0xf0, 0xd0);
    t.badGround = QColor(0xfb, 0xe3, 0xd9);
    t.trackInfeasible = QColor(0xdb, 0x8f, 0x62);
    t.trackStall = QColor(0xef, 0xc9, 0xb3);
    t.trackRecompute = QColor(0xe9, 0xc2, 0x6a);
    t.trackFree = QColor(0x62, 0xc0, 0xa4);
    t.strategies = {QColor(0x56, 0x60, 0x6e), QColor(0x9a, 0x62, 0x00), QColor(0x56, 0xb4, 0xe9),
                    QColor(0xe6, 0x9f, 0x00), QColor(0x00, 0x9e, 0x73), QColor(0xcc, 0x79, 0xa7),
                    QColor(0x0b, 0x5c, 0xad)};
    t.bound = QColor(0xe4, 0xe8, 0xee);
    return t;
}

Theme Theme::dark() {
    Theme t;
    t.isDark = true;
    t.surface = QColor(0x11, 0x14, 0x19);
    t.card = QColor(0x1b, 0x20, 0x27);
    t.field = QColor(0x13, 0x17, 0x1d);
    t.frame = QColor(0x2d, 0x34, 0x3e);
    t.grid = QColor(0x29, 0x30, 0x39);
    t.axis = QColor(0x55, 0x60, 0x6e);
    t.tooltip = QColor(0x26, 0x2d, 0x37);
    t.selectedItem = QColor(0x22, 0x3a, 0x55);
    t.text = QColor(0xec, 0xf0, 0xf5);
    t.secondaryText = QColor(0xa6, 0xb0, 0xbd);
    t.accent = QColor(0x6c, 0xb6, 0xf5);
    t.accentText = darkInk;
    t.forward = QColor(0x9a, 0xd6, 0xf7);
    t.backward = QColor(0x1f, 0x74, 0xbd);
    t.recompute = QColor(0xf0, 0xad, 0x1e);
    t.offload = QColor(0x1f, 0xb5, 0x8a);
    t.prefetch = QColor(0xd8, 0x8d, 0xb8);
    t.memoryStall = QColor(0xe8, 0x71, 0x1c);
    t.transferStall = QColor(0xf0, 0xe4, 0x42);
    t.keep = QColor(0x23, 0x74, 0xb8);
    t.undecided = QColor(0x4a, 0x54, 0x61);
    t.memory = QColor(0x5d, 0xb5, 0xee);
    t.memoryFill = QColor(0x1f, 0x44, 0x60);
    t.activations = QColor(0x2c, 0x6c, 0x9c);
    t.gradients = QColor(0xb5, 0x6f, 0x98);
    t.workspaces = QColor(0xb8, 0x86, 0x1f);
    t.budget = QColor(0xf0, 0x7e, 0x2b);
    t.budgetText = QColor(0xf7, 0x96, 0x4c);
    t.ghost = QColor(0x8a, 0x95, 0xa3);
    t.baseline = QColor(0xb8, 0x98, 0xe0);
    t.selection = QColor(0xff, 0xff, 0xff);
    t.flow = QColor(0xe3, 0xe8, 0xee);
    t.playhead = QColor(0xff, 0x6f, 0xa3);
    t.rangeBand = QColor(0x6c, 0xb6, 0xf5, 46);
    t.good = QColor(0x3f, 0xcf, 0xa0);
    t.warn = QColor(0xf0, 0xb5, 0x42);
    t.bad = QColor(0xff, 0x8f, 0x66);
    t.goodGround = QColor(0x12, 0x38, 0x2d);
    t.warnGround = QColor(0x40, 0x31, 0x0e);
    t.badGround = QColor(0x47, 0x23, 0x16);
    t.trackInfeasible = QColor(0x9c, 0x50, 0x24);
    t.trackStall = QColor(0x66, 0x4a, 0x3c);
    t.trackRecompute = QColor(0xa3, 0x7a, 0x1e);
    t.trackFree = QColor(0x1c, 0x82, 0x64);
    t.strategies = {QColor(0x9a, 0xa4, 0xb1), QColor(0xc9, 0x93, 0x3d), QColor(0x9a, 0xd6, 0xf7),
                    QColor(0xf0, 0xad, 0x1e), QColor(0x1f, 0xb5, 0x8a), QColor(0xd8, 0x8d, 0xb8),
                    QColor(0x6c, 0xb6, 0xf5)};
    t.bound = QColor(0x2a, 0x31, 0x3b);
    return t;
}

QPalette Theme::palette() const {
    QPalette p;
    p.setColor(QPalette::Window, surface);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, field);
    p.setColor(QPalette::AlternateBase, card);
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::PlaceholderText, secondaryText);
    p.setColor(QPalette::Button, card);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, bad);
    p.setColor(QPalette::ToolTipBase, tooltip);
    p.setColor(QPalette::ToolTipText, text);
    p.setColor(QPalette::Highlight, accent);
    p.setColor(QPalette::HighlightedText, accentText);
    p.setColor(QPalette::Link, accent);
    p.setColor(QPalette::LinkVisited, accent);
    // Fusion derives its bevels from these.
    p.setColor(QPalette::Light, isDark ? frame.lighter(130) : card);
    p.setColor(QPalette::Midlight, frame);
    p.setColor(QPalette::Mid, axis);
    p.setColor(QPalette::Dark, isDark ? surface.darker(130) : axis);
    p.setColor(QPalette::Shadow, isDark ? QColor(0, 0, 0) : axis.darker(140));
    const QColor faded = mixed(card, secondaryText, isDark ? 0.45 : 0.55);
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, faded);
    p.setColor(QPalette::Disabled, QPalette::Highlight, frame);
    p.setColor(QPalette::Disabled, QPalette::HighlightedText, faded);
    return p;
}

QColor Theme::inkOn(const QColor& ground) const {
    return contrast(darkInk, ground) >= contrast(lightInk, ground) ? darkInk : lightInk;
}

QColor Theme::hatchOn(const QColor& ground) const {
    // Away from the ink, so that a letter on the hatch only gains.
    return inkOn(ground) == darkInk ? mixed(ground, lightInk, 0.45) : mixed(ground, darkInk, 0.5);
}

std::vector<Theme::TextPair> Theme::textPairs() const {
    std::vector<TextPair> pairs;
    for (const QColor& ground : {surface, card, field, tooltip, selectedItem}) {
        pairs.push_back({"text", text, ground});
        pairs.push_back({"secondary text", secondaryText, ground});
    }
    for (const QColor& ground : {goodGround, warnGround, badGround})
        pairs.push_back({"message", text, ground});
    for (const QColor& ground : {surface, card}) {
        pairs.push_back({"good", good, ground});
        pairs.push_back({"warn", warn, ground});
        pairs.push_back({"bad", bad, ground});
        pairs.push_back({"accent", accent, ground});
    }
    pairs.push_back({"good on its ground", good, goodGround});
    pairs.push_back({"warn on its ground", warn, warnGround});
    pairs.push_back({"bad on its ground", bad, badGround});
    pairs.push_back({"text on accent", accentText, accent});
    pairs.push_back({"budget label", budgetText, card});
    pairs.push_back({"text on bound", text, bound});
    pairs.push_back({"secondary text on bound", secondaryText, bound});
    for (const QColor& ground : {memoryFill, activations, gradients, workspaces})
        pairs.push_back({"ink on memory", inkOn(ground), ground});
    for (const QColor& ground :
         {forward, backward, recompute, offload, prefetch, memoryStall, transferStall, keep, undecided}) {
        pairs.push_back({"ink on a bar", inkOn(ground), ground});
        pairs.push_back({"ink on a hatch", inkOn(ground), hatchOn(ground)});
    }
    for (const QColor& ground : {trackInfeasible, trackStall, trackRecompute, trackFree})
        pairs.push_back({"ink on the budget track", inkOn(ground), ground});
    return pairs;
}

QString fontFamily() {
    const QStringList families = QFontDatabase::families();
    for (const char* family : {"Inter", "DejaVu Sans"}) {
        if (families.contains(QLatin1String(family)))
            return QLatin1String(family);
    }
    return QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
}

QFont productFont(double pixelSize, QFont::Weight weight) {
    static const QString family = fontFamily();
    QFont font(family);
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(pixelSize))));
    font.setWeight(weight);
    return font;
}

QFont tabularFont(double pixelSize, QFont::Weight weight) {
    QFont font = productFont(pixelSize, weight);
#if QT_VERSION >= QT_VERSION_CHECK(6, 7, 0)
    font.setFeature(QFont::Tag("tnum"), 1);
#endif
    return font;
}

} // namespace slackscope::figures
