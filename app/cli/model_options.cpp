#include "app/cli/model_options.h"

#include "app/cli/size_text.h"
#include "core/input/hardware.h"

#include <CLI/CLI.hpp>

#include <array>
#include <charconv>
#include <utility>

namespace slackscope::cli {

namespace {

constexpr const char* group = "Model (for presets and Hugging Face configs)";

[[noreturn]] void refuse(const std::string& option, const std::string& reason) {
    throw CLI::ValidationError(option, reason);
}

void addCount(CLI::App& command, const std::string& name, std::optional<std::int64_t>& into,
              const char* help) {
    command
        .add_option_function<std::string>(
            name,
            [name, &into](const std::string& text) {
                std::int64_t value = 0;
                const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
                if (error != std::errc() || end != text.data() + text.size() || value < 1 ||
                    value > largestQuantity)
                    refuse(name, quotedText(text) + " is not a whole number from 1 on");
                into = value;
            },
            help)
        ->type_name("N")
        ->group(group);
}

void addShare(CLI::App& command, const std::string& name, std::optional<double>& into, const char* help) {
    command
        .add_option_function<std::string>(
            name,
            [name, &into](const std::string& text) {
                double value = 0;
                const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
                if (error != std::errc() || end != text.data() + text.size() ||
                    !(value > 0.0 && value <= 1.0))
                    refuse(name, quotedText(text) + " is not a share above 0 and up to 1, such as 0.6");
                into = value;
            },
            help)
        ->type_name("SHARE")
        ->group(group);
}

template <class Value, std::size_t Count>
void addChoice(CLI::App& command, const std::string& name, std::optional<Value>& into,
               const std::array<std::pair<std::string, Value>, Count>& choices, const char* help) {
    std::string list;
    for (const auto& [word, value] : choices)
        list += (list.empty() ? "" : "|") + word;
    command
        .add_option_function<std::string>(
            name,
            [name, &into, choices, list](const std::string& text) {
                for (const auto& [word, value] : choices) {
                    if (word == text) {
                        into = value;
                        return;
                    }
                }
                refuse(name, quotedText(text) + " is not one of " + list);
            },
            help)
        ->type_name(list)
        ->group(group);
}

// Devices and links are looked up at once, so that a misspelt one is wrong usage and not a refused input.
template <class Find>
void addSpec(CLI::App& command, const std::string& name, std::optional<std::string>& into, Find find,
             const char* help) {
    command
        .add_option_function<std::string>(
            name,
            [name, &into, find](const std::string& text) {
                const auto found = find(text);
                if (!found)
                    refuse(name, found.error().sentence());
                into = text;
            },
            help)
        ->type_name("ID")
        ->group(group);
}

} // namespace

void addModelOptions(CLI::App& command, ModelOptions& into) {
    command
        .add_option("INPUT", into.input,
                    "a model (gpt2-xl; see 'slackscope list'), a Hugging Face config.json or a profile;\n"
                    "files are recognised by their content")
        ->type_name("")
        ->required();
    AnalyticOptions& options = into.options;
    addCount(command, "--batch", options.batch, "samples per step; default: the model's own");
    addCount(command, "--sequence", options.sequence, "tokens per sample; default: the model's own");
    addChoice(command, "--precision", options.precision,
              std::array<std::pair<std::string, Precision>, 3>{
                  {{"bf16", Precision::Bf16}, {"fp16", Precision::Fp16}, {"fp32", Precision::Fp32}}},
              "element type of activations; default bf16");
    addChoice(command, "--attention", options.attention,
              std::array<std::pair<std::string, Attention>, 2>{
                  {{"flash", Attention::Flash}, {"eager", Attention::Eager}}},
              "FlashAttention, or scores kept in memory; default flash");
    addChoice(command, "--loss", options.loss,
              std::array<std::pair<std::string, Loss>, 2>{{{"chunked", Loss::Chunked}, {"full", Loss::Full}}},
              "fused chunk by chunk, or whole logits; default chunked");
    addSpec(
        command, "--device", options.device, [](const std::string& id) { return findDevice(id); },
        "the GPU; default a100-80gb-sxm");
    addSpec(
        command, "--link", options.link, [](const std::string& id) { return findLink(id); },
        "between GPU and host memory (for profiles too); default pcie4-x16");
    addShare(command, "--matmul-efficiency", options.matmulEfficiency,
             "share of the peak FLOP/s that matrix products reach; default 0.60");
    addShare(command, "--memory-efficiency", options.memoryEfficiency,
             "share of the memory bandwidth that other kernels reach; default 0.80");
    command
        .add_option_function<std::string>(
            "--host-memory",
            [&options](const std::string& text) {
                const auto bytes = parseSize(text);
                if (!bytes)
                    refuse("--host-memory", bytes.error());
                options.hostMemoryBytes = *bytes;
            },
            "host memory that offloads may fill (for profiles too); 0 = no offload; default: no limit")
        ->type_name("SIZE")
        ->group(group);
}

tl::expected<LoadedInput, Failure> load(const ModelOptions& options) {
    auto loaded = loadInput(options.input, options.options);
    if (!loaded)
        return failure(ExitStatus::InputRefused, loaded.error().sentence());
    return std::move(*loaded);
}

} // namespace slackscope::cli
