// How keys move a budget, wherever it can be grabbed.
#pragma once

#include <optional>

namespace slackscope::figures {

inline constexpr double budgetKeyStep = 0.005; // of the unlimited peak
inline constexpr double budgetPageStep = 0.05;
inline constexpr double budgetDragSnap = 0.001;

// The next multiple of the key step above or below: keys land on round values wherever a drag ended.
double steppedBudget(double fraction, int direction);
// Arrows step half a percent, Page keys five, Home and End go to 0 and 1; absent: another key. Not yet cut
// to what is allowed.
std::optional<double> budgetAfterKey(double fraction, int key);

} // namespace slackscope::figures
