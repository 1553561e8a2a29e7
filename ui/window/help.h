// The list of keys, and what the program is and is not.
#pragma once

class QWidget;

namespace slackscope {

// Neither blocks the window.
void showKeys(QWidget* parent);
void showAbout(QWidget* parent);

} // namespace slackscope
