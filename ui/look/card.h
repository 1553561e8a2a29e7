// The quiet frame around each part of the window: rounded, one pixel.
#pragma once

class QWidget;

namespace slackscope {

class Look;

// Paints the frame of a card over the whole of `widget`. Call from its paintEvent.
void paintCard(QWidget& widget, const Look& look);

} // namespace slackscope
