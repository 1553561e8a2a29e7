#include "tests/figures/samples.h"

#include "core/planner/strategy.h"
#include "tests/support/profiles.h"
#include "ui/tradeoff/tradeoff_of_sweep.h"

namespace slackscope::test {

std::shared_ptr<const Plan> planOf(Profile profile, const std::string& strategy, double part) {
    const auto graph = StepGraph::build(std::move(profile));
    if (!graph)
        return {};
    const Bytes budget =
        part > 0 ? static_cast<Bytes>(static_cast<double>(unlimitedPeak(*graph)) * part) : unlimitedBudget;
    return std::make_shared<const Plan>(findStrategy(strategy)->prepare(*graph, {}, {})->plan(budget));
}

std::shared_ptr<const figures::StepPicture> pictureOf(Profile profile, const std::string& strategy,
                                                      double part) {
    const std::shared_ptr<const Plan> plan = planOf(std::move(profile), strategy, part);
    const auto unlimited = std::make_shared<const Plan>(
        findStrategy("keep-all")->prepare(plan->graph, {}, {})->plan(unlimitedBudget));
    return figures::StepPicture::build(plan, unlimited);
}

std::shared_ptr<const figures::StepPicture> mixedPicture(int layers) {
    return pictureOf(layeredProfile(layers), "slackswap", 0.5);
}

std::shared_ptr<const figures::TradeoffCurves> tradeoffOf(Profile profile, int samples) {
    SweepRequest request;
    request.graph = StepGraph::build(std::move(profile)).value();
    request.strategies.assign(strategies().begin(), strategies().end());
    request.grid = evenBudgets(0, unlimitedPeak(request.graph), samples);
    return slackscope::tradeoffOf(runSweep(request, nullptr, {}).value());
}

Profile plainChain(int operators, Nanoseconds eachNs, Bytes eachBytes) {
    Profile profile;
    profile.name = "chain";
    profile.source = "test";
    profile.link = {"test link", 25'000'000'000, 25'000'000'000, 10'000, true, std::nullopt};
    profile.tensors.push_back({"input", "", eachBytes, 0});
    for (int i = 0; i < operators; ++i) {
        profile.tensors.push_back({"t" + std::to_string(i), "", eachBytes, 0});
        Operator op;
        op.id = "op" + std::to_string(i);
        op.forwardNs = eachNs;
        op.backwardNs = 2 * eachNs;
        op.inputs = {i};
        op.outputs = {i + 1};
        op.saved = {i};
        profile.operators.push_back(std::move(op));
    }
    return profile;
}

} // namespace slackscope::test
