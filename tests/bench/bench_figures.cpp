// Time of one full replot, and of building a picture, against the number of compute intervals. Run with
// QT_QPA_PLATFORM=offscreen; 1600 x 900, the whole step in view.
#include "tests/figures/samples.h"
#include "ui/figures/step_plot.h"

#include <QApplication>

#include <benchmark/benchmark.h>

#include <qcustomplot.h>

#include <map>

using namespace slackscope;
using namespace slackscope::figures;

namespace {

std::shared_ptr<const StepPicture> pictureWith(std::int64_t intervals) {
    static std::map<std::int64_t, std::shared_ptr<const StepPicture>> made;
    auto& picture = made[intervals];
    if (!picture)
        picture =
            test::pictureOf(test::plainChain(static_cast<int>(intervals / 2), 1000, 1000), "keep-all", 0);
    return picture;
}

void replot(benchmark::State& state, bool stacked) {
    StepPlot plot;
    plot.resize(1600, 900);
    plot.setPicture(pictureWith(state.range(0)));
    plot.setStacked(stacked);
    plot.show();
    QCoreApplication::processEvents();
    auto* canvas = plot.findChild<QCustomPlot*>();
    for (auto _ : state)
        canvas->replot(QCustomPlot::rpImmediateRefresh);
}

void replotPlain(benchmark::State& state) {
    replot(state, false);
}
void replotStacked(benchmark::State& state) {
    replot(state, true);
}

void hover(benchmark::State& state) {
    StepPlot plot;
    plot.resize(1600, 900);
    const auto picture = pictureWith(state.range(0));
    plot.setPicture(picture);
    plot.show();
    QCoreApplication::processEvents();
    Nanoseconds at = 0;
    for (auto _ : state) {
        at = (at + 997'001) % picture->stepNs();
        plot.setPlayhead(at);
    }
}

void build(benchmark::State& state) {
    const auto plan =
        test::planOf(test::plainChain(static_cast<int>(state.range(0) / 2), 1000, 1000), "keep-all", 0);
    const auto previous = StepPicture::build(plan);
    for (auto _ : state)
        benchmark::DoNotOptimize(StepPicture::build(plan, plan, previous));
}

} // namespace

BENCHMARK(replotPlain)->RangeMultiplier(10)->Range(1000, 1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(replotStacked)->RangeMultiplier(10)->Range(1000, 1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(hover)->RangeMultiplier(10)->Range(1000, 1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(build)->RangeMultiplier(10)->Range(1000, 1'000'000)->Unit(benchmark::kMillisecond);

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
