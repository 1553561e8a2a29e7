// Every colour and the font of the product, in one place. Nothing else names a colour.
//
// The categories follow Okabe and Ito's palette ("Color Universal Design", 2008), which stays apart for the
// common colour vision deficiencies; the dark theme shifts lightness, not hue.
#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>
#include <QString>

#include <array>
#include <vector>

namespace slackscope::figures {

struct Theme {
    bool isDark = false;

    // Grounds and lines
    QColor surface;      // behind the cards
    QColor card;         // ground of a panel
    QColor field;        // ground of an input, of an empty lane, of a chip
    QColor frame;        // hairlines around cards and fields
    QColor grid;         // grid lines of a plot
    QColor axis;         // ticks and base lines
    QColor tooltip;      // ground of tooltips and tags
    QColor selectedItem; // ground of a selected row in a list

    // Text; each is legible on surface, card, field, tooltip and selectedItem
    QColor text;
    QColor secondaryText;

    // The one accent, for what can be grabbed and what has the focus
    QColor accent;
    QColor accentText; // on accent

    // What bars and cells mean
    QColor forward;
    QColor backward;
    QColor recompute;
    QColor offload;
    QColor prefetch;
    QColor memoryStall;
    QColor transferStall;
    QColor keep;
    QColor undecided; // cell of an infeasible plan

    // Memory
    QColor memory;     // outline of the resident bytes
    QColor memoryFill; // opaque
    QColor activations;
    QColor gradients;
    QColor workspaces;
    QColor budget;     // the budget line
    QColor budgetText; // its label, on card
    QColor ghost;      // unlimited curve
    QColor baseline;   // pinned plan

    // Selection and time
    QColor selection; // outline of what is selected
    QColor flow;      // lines that join a tensor's events
    QColor playhead;
    QColor rangeBand; // translucent

    // Verdicts, as text on card and surface
    QColor good;
    QColor warn;
    QColor bad;
    // Grounds of message bars; `text` is legible on them
    QColor goodGround;
    QColor warnGround;
    QColor badGround;

    // Track of the budget slider
    QColor trackInfeasible;
    QColor trackStall;
    QColor trackRecompute;
    QColor trackFree;

    // Lines of the tradeoff plot, in the order of strategies(); the last is repeated for more
    std::array<QColor, 7> strategies;
    QColor bound; // region that no plan can reach

    static Theme light();
    static Theme dark();

    // For QApplication::setPalette with the Fusion style.
    QPalette palette() const;

    // Dark or light ink, whichever is better legible on `ground`.
    QColor inkOn(const QColor& ground) const;
    // Line colour of a hatch on `ground`: visible, and the ink of `ground` stays legible on it.
    QColor hatchOn(const QColor& ground) const;

    // Every text colour with a ground that it is painted on; what the contrast test walks.
    struct TextPair {
        const char* name;
        QColor text;
        QColor ground;
    };
    std::vector<TextPair> textPairs() const;
};

// Contrast ratio of two opaque colours, 1 to 21 (WCAG 2.1, "contrast ratio" and "relative luminance").
double contrast(const QColor& a, const QColor& b);
// `part` of the way from a to b, in linear light; 0 = a.
QColor mixed(const QColor& a, const QColor& b, double part);

// "Inter" where it is installed, else "DejaVu Sans", else the system's own.
QString fontFamily();
// The product's font; sizes in pixels, rounded.
QFont productFont(double pixelSize, QFont::Weight weight = QFont::Normal);
// With digits of one width, from Qt 6.7 on; older Qt cannot ask a font for them (DejaVu Sans has them
// anyway), so give changing numbers a fixed place.
QFont tabularFont(double pixelSize, QFont::Weight weight = QFont::Normal);

} // namespace slackscope::figures
