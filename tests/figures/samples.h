// Plans and pictures for the tests of the figures.
#pragma once

#include "core/profile/profile.h"
#include "ui/figures/step_picture.h"
#include "ui/figures/tradeoff_curves.h"

#include <memory>
#include <string>

namespace slackscope::test {

// The plan of `strategy` for `profile` at `part` of the unlimited peak; 0 = no budget at all.
std::shared_ptr<const Plan> planOf(Profile profile, const std::string& strategy, double part);
// Its picture, with the ghost of keep-all.
std::shared_ptr<const figures::StepPicture> pictureOf(Profile profile, const std::string& strategy,
                                                      double part);
// A layered step in which all three decisions occur.
std::shared_ptr<const figures::StepPicture> mixedPicture(int layers = 12);
// Every strategy and the bound at `samples` budgets, evenly spaced from 0 to the unlimited peak, and at each
// strategy's minimum.
std::shared_ptr<const figures::TradeoffCurves> tradeoffOf(Profile profile, int samples);
// One operator after another, `operators` of them, without layers or kinds.
Profile plainChain(int operators, Nanoseconds eachNs, Bytes eachBytes);

} // namespace slackscope::test
