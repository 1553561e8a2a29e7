#include "app/cli/commands.h"
#include "app/cli/output_file.h"
#include "core/input/hardware.h"
#include "core/input/presets.h"
#include "core/report/quantities.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>

namespace slackscope::cli {

namespace {

// Left-aligned columns, two blanks apart; the last one is free.
class Table {
public:
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    std::string text() const {
        std::vector<std::size_t> widths;
        for (const auto& cells : rows_) {
            widths.resize(std::max(widths.size(), cells.size()));
            for (std::size_t i = 0; i < cells.size(); ++i)
                widths[i] = std::max(widths[i], cells[i].size());
        }
        std::string all;
        for (const auto& cells : rows_) {
            all += "  ";
            for (std::size_t i = 0; i < cells.size(); ++i) {
                all += cells[i];
                if (i + 1 < cells.size())
                    all += std::string(widths[i] - cells[i].size() + 2, ' ');
            }
            all += '\n';
        }
        return all;
    }

private:
    std::vector<std::vector<std::string>> rows_;
};

std::string gigabytesPerSecond(double bytesPerS) {
    return formatReal(bytesPerS / 1e9, 1) + " GB/s";
}

std::string teraflops(std::optional<double> flopsPerS) {
    return flopsPerS ? formatReal(*flopsPerS / 1e12, 1) : "-";
}

std::string modelList() {
    Table table;
    table.row({"ID", "NAME", "PARAMETERS", "BATCH", "SEQUENCE"});
    for (const ModelPreset& model : modelPresets())
        table.row({model.id, model.name,
                   formatReal(static_cast<double>(parameterCount(model.config)) / 1e9, 2) + " billion",
                   std::to_string(model.config.defaultBatch), std::to_string(model.config.defaultSequence)});
    return "Models (batch and sequence are their defaults)\n" + table.text();
}

std::string deviceList() {
    Table table;
    table.row({"ID", "NAME", "MEMORY", "BANDWIDTH", "BF16 TFLOP/S", "FP16", "TF32", "FP32"});
    for (const DeviceSpec& device : devices())
        table.row({device.id, device.name, formatBytes(device.memoryBytes),
                   gigabytesPerSecond(device.memoryBytesPerS), teraflops(device.bf16FlopsPerS),
                   teraflops(device.fp16FlopsPerS), teraflops(device.tf32FlopsPerS),
                   teraflops(device.fp32FlopsPerS)});
    return "Devices (dense peaks, as specified)\n" + table.text();
}

std::string linkList() {
    Table table;
    table.row({"ID", "NAME", "TO HOST", "TO DEVICE", "LATENCY", "DUPLEX"});
    for (const LinkSpec& link : links())
        table.row({link.id, link.name, gigabytesPerSecond(static_cast<double>(link.deviceToHostBytesPerS)),
                   gigabytesPerSecond(static_cast<double>(link.hostToDeviceBytesPerS)),
                   formatNanoseconds(link.latencyNs), link.fullDuplex ? "full" : "half"});
    return "Links (rates that copies reach)\n" + table.text();
}

std::string strategyList() {
    Table table;
    table.row({"ID", "NAME", "WHAT IT DOES"});
    for (const StrategyInfo* strategy : strategies())
        table.row({std::string(strategy->id), std::string(strategy->name), std::string(strategy->summary)});
    return "Strategies\n" + table.text();
}

struct Section {
    std::string_view name;
    std::string (*text)();
};
constexpr std::array sections{Section{"models", modelList}, Section{"devices", deviceList},
                              Section{"links", linkList}, Section{"strategies", strategyList}};

Outcome run(const std::string& wanted) {
    std::string text;
    for (const Section& section : sections) {
        if (wanted.empty() || wanted == section.name)
            text += (text.empty() ? "" : "\n") + section.text();
    }
    if (text.empty())
        return failure(ExitStatus::WrongUsage,
                       quotedText(wanted) + " is not one of models, devices, links and strategies");
    auto out = OutputFile::open(std::nullopt);
    if (!out)
        return tl::unexpected(out.error());
    out->write(text);
    return out->commit();
}

} // namespace

void addListCommand(CLI::App& program, Chosen& chosen) {
    auto wanted = std::make_shared<std::string>();
    CLI::App* command =
        program.add_subcommand("list", "Show the models, devices, links and strategies that it knows");
    command->add_option("WHAT", *wanted, "models, devices, links or strategies; default: all")->type_name("");
    command->callback([wanted, &chosen] { chosen = [wanted] { return run(*wanted); }; });
}

} // namespace slackscope::cli
