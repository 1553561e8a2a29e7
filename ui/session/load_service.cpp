#include "ui/session/load_service.h"

#include "core/planner/strategy.h"

#include <exception>
#include <new>
#include <utility>

namespace slackscope {

tl::expected<LoadedStepPtr, InputError> loadStep(const Scenario& scenario) {
    auto input = loadInput(scenario.input, scenario.options);
    if (!input)
        return tl::unexpected(input.error());
    auto graph = StepGraph::build(std::move(input->profile));
    if (!graph)
        return tl::unexpected(InputError{scenario.input, graph.error().pointer, graph.error().reason});
    auto step = std::make_shared<LoadedStep>();
    step->scenario = scenario;
    step->kind = input->kind;
    step->config = std::move(input->config);
    step->name = QString::fromStdString(input->displayName);
    step->graph = *graph;
    step->costs = recomputeCosts(**graph);
    step->unlimitedPeakBytes = unlimitedPeak(*graph);
    if (const StrategyInfo* keepAll = findStrategy("keep-all"))
        step->unlimited =
            std::make_shared<const Plan>(keepAll->prepare(*graph, {}, {})->plan(step->unlimitedPeakBytes));
    return step;
}

quint64 LoadService::request(const Scenario& scenario) {
    const quint64 job = ++newest_;
    worker_.submit(job, [this, job, scenario](const StopRequested& stop) {
        LoadedStepPtr step;
        QString sentence;
        try {
            if (auto loaded = loadStep(scenario))
                step = std::move(*loaded);
            else
                sentence = QString::fromStdString(loaded.error().sentence());
        } catch (const std::bad_alloc&) {
            sentence = tr("%1 needs more memory than this computer can give. Open a smaller input.")
                           .arg(QString::fromStdString(scenario.input));
        } catch (const std::exception& error) {
            sentence = tr("%1 could not be loaded (internal error: %2).")
                           .arg(QString::fromStdString(scenario.input), QString::fromUtf8(error.what()));
        }
        if (stop())
            return;
        QMetaObject::invokeMethod(
            this,
            [this, job, step, sentence] {
                if (job != newest_)
                    return;
                if (step)
                    emit loaded(job, step);
                else
                    emit refused(job, sentence);
            },
            Qt::QueuedConnection);
    });
    return job;
}

void LoadService::cancel() {
    ++newest_;
    worker_.cancel();
}

} // namespace slackscope
