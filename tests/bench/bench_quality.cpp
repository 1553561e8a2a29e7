// How good plans are, and how long they take: every strategy against the lower bound. Parts, all of them
// unless some are named as arguments:
//   presets      bert-large, gpt2-xl and llama-7b at 90 to 10 % of the unlimited peak
//   random       200 random layered graphs at 70, 50 and 30 %, on all cores
//   sizes        layered chains of 10^3, 10^4 and 10^5 operators at 50 %
//   sensitivity  how far the presets' figures move with matmul efficiency (0.4-0.7) and link (12-55 GB/s)
//
// Throughput is in percent of the ideal, simulated. The gap to the bound is 1 - throughput / bound's
// throughput: a plan is at most that far from the best there can be. "first" is the time from nothing to the
// first plan, "final" that to the last improvement, both at 50 % and on one core; "plan" is one more budget
// after that. A strategy that is not done after two minutes is stopped and marked with >.
#include "core/input/input.h"
#include "core/planner/lower_bound.h"
#include "core/planner/strategy.h"
#include "core/planner/threads.h"
#include "tests/support/profiles.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

using namespace slackscope;

namespace {

using Clock = std::chrono::steady_clock;
using GraphPtr = std::shared_ptr<const StepGraph>;

constexpr const char* presets[] = {"bert-large", "gpt2-xl", "llama-7b"};
constexpr auto patience = std::chrono::minutes(2);

double milliseconds(Clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

GraphPtr presetGraph(const char* preset, const AnalyticOptions& options = {}) {
    return StepGraph::build(loadInput(preset, options)->profile).value();
}

double boundThroughput(const GraphPtr& graph, Nanoseconds boundNs) {
    return boundNs == 0 ? 1.0 : static_cast<double>(graph->idealNs()) / static_cast<double>(boundNs);
}

struct Times {
    double firstMs = 0;
    double finalMs = 0;
    double planMs = 0; // of one budget, afterwards
    bool gaveUp = false;
};

// Prepares and refines to the end, timed.
std::unique_ptr<PreparedStrategy> prepared(const StrategyInfo& strategy, const GraphPtr& graph, Bytes budget,
                                           Times& times) {
    const auto begin = Clock::now();
    auto made = strategy.prepare(graph, {}, {});
    made->plan(budget);
    times.firstMs = milliseconds(Clock::now() - begin);
    refineFully(*made, [&] { return times.gaveUp = Clock::now() - begin > patience; });
    const auto refined = Clock::now();
    made->plan(budget);
    times.finalMs = milliseconds(Clock::now() - begin);
    times.planMs = milliseconds(Clock::now() - refined);
    return made;
}

void printTimes(const Times& times) {
    std::printf("%11.1f %s%11.1f %11.2f", times.firstMs, times.gaveUp ? ">" : " ", times.finalMs,
                times.planMs);
}

void printHeading(const char* first) {
    std::printf("%-16s", first);
    for (const StrategyInfo* strategy : strategies())
        std::printf(" %16s", std::string(strategy->id).c_str());
    std::printf(" %8s\n", "bound");
}

void measurePresets() {
    constexpr int percents[] = {90, 70, 50, 40, 30, 20, 10};
    for (const char* preset : presets) {
        const GraphPtr graph = presetGraph(preset);
        const Bytes peak = unlimitedPeak(graph);
        std::map<const StrategyInfo*, Times> times;
        std::map<const StrategyInfo*, std::unique_ptr<PreparedStrategy>> ready;
        for (const StrategyInfo* strategy : strategies())
            ready[strategy] = prepared(*strategy, graph, peak / 2, times[strategy]);
        std::printf("\n%s, %d operators: throughput %%, and gap to the bound %%\n", preset,
                    graph->operatorCount());
        printHeading("budget");
        for (const int percent : percents) {
            const Bytes budget = peak * percent / 100;
            const double bound = boundThroughput(graph, LowerBound(graph).stepNs(budget));
            std::printf("%14d %%", percent);
            for (const StrategyInfo* strategy : strategies()) {
                const Plan plan = ready[strategy]->plan(budget);
                if (plan.feasible())
                    std::printf("  %7.2f %7.3f", 100 * plan.throughputOfIdeal(),
                                100 * (1 - plan.throughputOfIdeal() / bound));
                else
                    std::printf("  %7s %7s", "-", "-");
            }
            std::printf(" %8.2f\n", 100 * bound);
        }
        std::printf("%-16s %11s  %11s %11s %16s\n", "times in ms", "first", "final", "plan",
                    "minimum budget");
        for (const StrategyInfo* strategy : strategies()) {
            std::printf("%-16s ", std::string(strategy->id).c_str());
            printTimes(times[strategy]);
            std::printf(" %14.2f %%\n", 100.0 *
                                            static_cast<double>(ready[strategy]->plan(0).minimumBudgetBytes) /
                                            static_cast<double>(peak));
        }
        std::fflush(stdout);
    }
}

void measureRandom() {
    constexpr std::uint64_t graphs = 200;
    constexpr int percents[] = {70, 50, 30};
    struct Tally {
        int feasible = 0;
        double sum = 0;
        double worst = 0;
    };
    std::map<const StrategyInfo*, std::map<int, Tally>> tallies;
    std::mutex access;
    const auto measure = [&](std::uint64_t seed) {
        const GraphPtr graph = StepGraph::build(test::randomLayers(seed)).value();
        const Bytes peak = unlimitedPeak(graph);
        std::map<int, double> bounds;
        LowerBound bound(graph);
        // The first, optimized, has the plans that the bound stands beside.
        for (const StrategyInfo* strategy : strategies()) {
            const auto ready = strategy->prepare(graph, {}, {});
            refineFully(*ready, {});
            for (const int percent : percents) {
                const Bytes budget = peak * percent / 100;
                refineFullyAt(*ready, budget, {});
                if (!bounds.contains(percent))
                    bounds[percent] =
                        boundThroughput(graph, bound.stepNs(budget, ready->plan(budget).stepNs()));
            }
            for (const int percent : percents) {
                const Plan plan = ready->plan(peak * percent / 100);
                if (!plan.feasible())
                    continue;
                const double gap = 1 - plan.throughputOfIdeal() / bounds[percent];
                const std::lock_guard lock(access);
                Tally& tally = tallies[strategy][percent];
                ++tally.feasible;
                tally.sum += gap;
                tally.worst = std::max(tally.worst, gap);
            }
        }
    };
    std::atomic<std::uint64_t> last = 0;
    runOnThreads(
        coreCount(),
        [&] {
            for (std::uint64_t seed = ++last; seed <= graphs; seed = ++last)
                measure(seed);
        },
        [] {});
    std::printf("\n%d random layered graphs: gap to the bound %% where the strategy finds a program\n",
                static_cast<int>(graphs));
    std::printf("%-16s", "");
    for (const int percent : percents)
        std::printf("  at %d %%: programs    mean   worst", percent);
    std::printf("\n");
    for (const StrategyInfo* strategy : strategies()) {
        std::printf("%-16s", std::string(strategy->id).c_str());
        for (const int percent : percents) {
            const Tally& tally = tallies[strategy][percent];
            if (tally.feasible > 0)
                std::printf("  %17d %7.2f %7.2f", tally.feasible, 100 * tally.sum / tally.feasible,
                            100 * tally.worst);
            else
                std::printf("  %17d %7s %7s", 0, "-", "-");
        }
        std::printf("\n");
    }
    std::fflush(stdout);
}

void measureSizes() {
    for (const int operators : {1'000, 10'000, 100'000}) {
        const GraphPtr graph = StepGraph::build(test::layeredProfile(operators / 5)).value();
        const Bytes budget = unlimitedPeak(graph) / 2;
        std::printf("\n%d operators at 50 %%: throughput %% and times in ms", graph->operatorCount());
        double bound = 1;
        if (graph->operatorCount() <= LowerBound::mostOperators) {
            const auto begin = Clock::now();
            bound = boundThroughput(graph, LowerBound(graph).stepNs(budget));
            std::printf("; bound %.2f %% in %.0f ms", 100 * bound, milliseconds(Clock::now() - begin));
        }
        std::printf("\n%-16s %9s %7s %11s  %11s %11s %13s\n", "", "", "gap", "first", "final", "plan",
                    "peak MB so far");
        for (const StrategyInfo* strategy : strategies()) {
            Times times;
            const Plan plan = prepared(*strategy, graph, budget, times)->plan(budget);
            std::printf("%-16s ", std::string(strategy->id).c_str());
            if (plan.feasible())
                std::printf("%9.2f", 100 * plan.throughputOfIdeal());
            else
                std::printf("%9s", "-");
            if (plan.feasible() && graph->operatorCount() <= LowerBound::mostOperators)
                std::printf(" %7.3f ", 100 * (1 - plan.throughputOfIdeal() / bound));
            else
                std::printf(" %7s ", "-");
            printTimes(times);
            rusage usage{};
            getrusage(RUSAGE_SELF, &usage);
            std::printf(" %13.0f\n", static_cast<double>(usage.ru_maxrss) / 1024);
            std::fflush(stdout);
        }
    }
}

void printSensitivityRow(const char* preset, const char* what, const AnalyticOptions& options) {
    constexpr int percents[] = {50, 30, 20};
    const GraphPtr graph = presetGraph(preset, options);
    const Bytes peak = unlimitedPeak(graph);
    std::printf("%-12s %-20s", preset, what);
    for (const char* id : {"slackswap", "optimized"}) {
        const StrategyInfo* strategy = findStrategy(id);
        if (!strategy)
            continue;
        const auto ready = strategy->prepare(graph, {}, {});
        refineFully(*ready, {});
        for (const int percent : percents) {
            const Plan plan = ready->plan(peak * percent / 100);
            if (plan.feasible())
                std::printf(" %7.2f", 100 * plan.throughputOfIdeal());
            else
                std::printf(" %7s", "-");
        }
        std::printf("  ");
    }
    for (const int percent : percents)
        std::printf(" %7.2f", 100 * boundThroughput(graph, LowerBound(graph).stepNs(peak * percent / 100)));
    std::printf("\n");
    std::fflush(stdout);
}

void measureSensitivity() {
    std::printf("\nThroughput %% with other assumptions (default: efficiency 0.6, link pcie4-x16)\n");
    std::printf("%-33s", "");
    for (const char* id : {"slackswap", "optimized", "bound"}) {
        if (std::strcmp(id, "bound") == 0 || findStrategy(id))
            std::printf(" %-9s at 50, 30, 20 %% ", id);
    }
    std::printf("\n");
    for (const char* preset : presets) {
        for (const double efficiency : {0.4, 0.5, 0.6, 0.7}) {
            AnalyticOptions options;
            options.matmulEfficiency = efficiency;
            char text[32];
            std::snprintf(text, sizeof text, "efficiency %.1f", efficiency);
            printSensitivityRow(preset, text, options);
        }
        for (const int gigabytes : {12, 25, 40, 55}) {
            AnalyticOptions options;
            options.deviceToHostBytesPerS = options.hostToDeviceBytesPerS =
                std::int64_t{gigabytes} * 1'000'000'000;
            char text[32];
            std::snprintf(text, sizeof text, "link %d GB/s", gigabytes);
            printSensitivityRow(preset, text, options);
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::pair<std::string, void (*)()>> parts{{"presets", measurePresets},
                                                                {"random", measureRandom},
                                                                {"sizes", measureSizes},
                                                                {"sensitivity", measureSensitivity}};
    const std::vector<std::string> wanted(argv + 1, argv + argc);
    for (const std::string& word : wanted) {
        if (std::none_of(parts.begin(), parts.end(), [&](const auto& part) { return part.first == word; })) {
            std::fprintf(stderr, "usage: bench_quality [presets] [random] [sizes] [sensitivity]\n");
            return 2;
        }
    }
    std::printf("Simulated, not measured on a GPU.\n");
    for (const auto& [name, measure] : parts) {
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end())
            measure();
    }
    return 0;
}
