#include "ui/scenario/sources.h"

#include "ui/figures/format.h"

#include "core/input/hardware.h"
#include "core/input/presets.h"
#include "core/planner/strategy.h"

#include <QCoreApplication>

namespace slackscope {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Sources", text);
}

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

QString chosenOr(bool chosen, const QString& otherwise) {
    return chosen ? tr("Your choice.") : otherwise;
}

QString parameters(std::int64_t count) {
    constexpr double million = 1e6;
    constexpr double billion = 1e9;
    const auto value = static_cast<double>(count);
    return value >= billion ? tr("%1 billion").arg(value / billion, 0, 'f', 2)
                            : tr("%1 million").arg(value / million, 0, 'f', 0);
}

QString modelSource(const LoadedStep& step) {
    const Profile& profile = step.graph->profile();
    QString source;
    if (step.kind == InputKind::ModelPreset) {
        if (const auto preset = findModelPreset(step.scenario.input)) {
            source = tr("%1 parameters; %2.")
                         .arg(parameters(parameterCount(preset->config)), text(preset->source));
        }
    } else {
        source = tr("Read from %1; profile source: %2.")
                     .arg(text(step.scenario.input),
                          profile.source.empty() ? tr("not stated") : text(profile.source));
    }
    if (step.config) {
        for (const std::string& note : step.config->notes)
            source += QLatin1Char(' ') + text(note) + QLatin1Char('.');
    }
    return source;
}

QString deviceSource(const LoadedStep& step) {
    const Profile& profile = step.graph->profile();
    if (step.config) {
        const auto device = findDevice(*withDefaults(*step.config, step.scenario.options).device);
        return device ? tr("%1 memory, %2. Source: %3.")
                            .arg(figures::formatBytes(device->memoryBytes),
                                 figures::formatBandwidth(device->memoryBytesPerS), text(device->source))
                      : QString();
    }
    return profile.device ? tr("From the file: %1.").arg(text(profile.device->name))
                          : tr("The file names no device.");
}

QString linkSource(const LoadedStep& step) {
    const AnalyticOptions& options = step.scenario.options;
    if (!step.config && !options.link)
        return tr("From the file: %1.").arg(text(step.graph->profile().link.name));
    const auto link = findLink(options.link.value_or("pcie4-x16"));
    return link ? tr("Source: %1.").arg(text(link->source)) : QString();
}

QString bandwidthSource(const LoadedStep& step) {
    const Link& link = step.graph->profile().link;
    const QString rates = tr("Device to host %1, host to device %2, %3 before the first byte. ")
                              .arg(figures::formatBandwidth(static_cast<double>(link.deviceToHostBytesPerS)),
                                   figures::formatBandwidth(static_cast<double>(link.hostToDeviceBytesPerS)),
                                   figures::formatTime(link.latencyNs));
    if (step.scenario.options.deviceToHostBytesPerS || step.scenario.options.hostToDeviceBytesPerS)
        return rates + tr("Your choice.");
    return rates + linkSource(step);
}

} // namespace

QString sourceOf(ScenarioField field, const LoadedStep* step, const std::string& strategy) {
    if (field == ScenarioField::Strategy) {
        const StrategyInfo* info = findStrategy(strategy);
        return info ? tr("%1: %2.").arg(text(info->name), text(info->summary)) : QString();
    }
    if (!step)
        return {};
    const AnalyticOptions& options = step->scenario.options;
    const bool fromFile = !step->config;
    const QString file = tr("Part of the file; not known apart from its times.");
    switch (field) {
    case ScenarioField::Model:
        return modelSource(*step);
    case ScenarioField::Batch:
        return fromFile ? file
                        : chosenOr(options.batch.has_value(), tr("Samples a step; the model's default."));
    case ScenarioField::Sequence:
        return fromFile ? file
                        : chosenOr(options.sequence.has_value(), tr("Tokens a sample; the model's default."));
    case ScenarioField::Attention:
        return fromFile ? file
                        : tr("Flash: scores are recomputed in the kernel, arXiv 2205.14135. Eager: scores "
                             "are kept, "
                             "arXiv 2205.05198.");
    case ScenarioField::Precision:
        return fromFile
                   ? file
                   : tr("Of activations and matrix products; fp32 uses TF32 units where there are some.");
    case ScenarioField::Loss:
        return fromFile
                   ? file
                   : tr("Chunked: logits a part at a time, arXiv 2410.10989. Full: whole logits and their "
                        "fp32 copy.");
    case ScenarioField::Device:
        return deviceSource(*step);
    case ScenarioField::Link:
        return linkSource(*step);
    case ScenarioField::Bandwidth:
        return bandwidthSource(*step);
    case ScenarioField::MatmulEfficiency:
        return fromFile
                   ? file
                   : tr("Part of the peak FLOP/s that matrix products reach. ") +
                         chosenOr(options.matmulEfficiency.has_value(),
                                  tr("0.60 is near what is reported for A100: 0.60 to 0.67 for BERT-Large "
                                     "and GPT models."));
    case ScenarioField::MemoryEfficiency:
        return fromFile ? file
                        : tr("Part of the memory bandwidth that other kernels reach. ") +
                              chosenOr(options.memoryEfficiency.has_value(),
                                       tr("0.80 is what elementwise kernels commonly reach."));
    case ScenarioField::Strategy:
        break;
    }
    return {};
}

} // namespace slackscope
