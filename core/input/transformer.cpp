#include "core/input/transformer.h"

#include "core/input/hardware.h"
#include "core/input/transformer_layers.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace slackscope {

namespace {

constexpr std::int64_t mostLayers = 10'000;
constexpr std::int64_t mostExperts = 65'536;
constexpr std::int64_t widest = std::int64_t{1} << 31U;
constexpr Nanoseconds longestLatency = 1'000'000'000;

InputError refusal(std::string reason) {
    return {"", "", std::move(reason)};
}

std::string plain(double value) {
    std::array<char, 32> digits{}; // the longest shortest form of a double has 24 characters
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), end.ptr}; // the same in every locale
}

std::optional<InputError> checkRange(const std::string& what, std::int64_t value, std::int64_t least,
                                     std::int64_t most) {
    if (value >= least && value <= most)
        return std::nullopt;
    return refusal(what + " is " + std::to_string(value) + ", but must be from " + std::to_string(least) +
                   " to " + std::to_string(most));
}

std::optional<InputError> checkEfficiency(const std::string& what, double value) {
    if (value > 0 && value <= 1)
        return std::nullopt;
    return refusal(what + " is " + plain(value) + ", but must be above 0 and at most 1");
}

std::optional<InputError> checkConfig(const TransformerConfig& config) {
    struct Row {
        const char* what;
        std::int64_t value, least, most;
    };
    std::vector<Row> rows = {{"the number of layers", config.layers, 1, mostLayers},
                             {"the hidden size", config.hidden, 1, widest},
                             {"the number of attention heads", config.heads, 1, widest},
                             {"the number of key/value heads", config.kvHeads, 1, config.heads},
                             {"the head size", config.headDim, 1, widest},
                             {"the vocabulary", config.vocabulary, 1, widest},
                             {"the number of learned positions", config.learnedPositions, 0, widest}};
    if (config.architecture == Architecture::EncoderDecoder)
        rows.push_back({"the number of encoder layers", config.encoderLayers, 1, mostLayers});
    if (!config.moe || config.moe->denseLayersFirst > 0)
        rows.push_back({"the FFN width", config.ffnWidth, 1, widest});
    if (config.moe) {
        rows.push_back({"the number of experts", config.moe->experts, 1, mostExperts});
        rows.push_back(
            {"the number of experts per token", config.moe->activePerToken, 1, config.moe->experts});
        rows.push_back({"the number of shared experts", config.moe->sharedExperts, 0, mostExperts});
        rows.push_back({"the expert width", config.moe->expertWidth, 1, widest});
        rows.push_back({"the number of dense layers", config.moe->denseLayersFirst, 0, config.layers});
    }
    if (config.latentAttention) {
        const LatentAttention& low = *config.latentAttention;
        rows.push_back({"the query rank", low.queryRank, 0, widest});
        rows.push_back({"the key/value rank", low.keyValueRank, 1, widest});
        rows.push_back({"the head size without position", low.plainHeadDim, 1, widest});
        rows.push_back({"the rotary head size", low.rotaryHeadDim, 1, widest});
        rows.push_back({"the value head size", low.valueHeadDim, 1, widest});
    }
    for (const Row& row : rows) {
        if (auto error = checkRange(row.what, row.value, row.least, row.most))
            return error;
    }
    // Below, products of two widths must stay inside 64 bits.
    const auto& latent = config.latentAttention;
    const std::int64_t queryKeyDim = latent ? latent->plainHeadDim + latent->rotaryHeadDim : config.headDim;
    const std::int64_t valueDim = latent ? latent->valueHeadDim : config.headDim;
    if (static_cast<Wide>(config.heads) * std::max(queryKeyDim, valueDim) > widest)
        return refusal("heads times head size is over 2^31");
    if (config.heads % config.kvHeads != 0)
        return refusal(std::to_string(config.heads) + " attention heads cannot share " +
                       std::to_string(config.kvHeads) + " key/value heads evenly");
    return std::nullopt;
}

// The options with every default, or what is wrong with them.
std::optional<InputError> checkOptions(const TransformerConfig& config, const AnalyticOptions& options) {
    if (auto error = checkRange("the batch", *options.batch, 1, widest))
        return error;
    if (auto error = checkRange("the sequence", *options.sequence, 1, widest))
        return error;
    if (config.positions == PositionKind::Learned && *options.sequence > config.learnedPositions)
        return refusal("the sequence is " + std::to_string(*options.sequence) + ", but " + config.name +
                       " has a table of " + std::to_string(config.learnedPositions) +
                       " learned positions; choose a shorter one");
    if (auto error = checkEfficiency("the matmul efficiency", *options.matmulEfficiency))
        return error;
    if (auto error = checkEfficiency("the memory efficiency", *options.memoryEfficiency))
        return error;
    return checkRange("the launch time in ns", *options.launchNs, 0, longestLatency);
}

const char* nameOf(Precision precision) {
    return precision == Precision::Bf16 ? "bf16" : precision == Precision::Fp16 ? "fp16" : "fp32";
}

std::string sourceOf(const TransformerConfig& config, const AnalyticOptions& options,
                     const DeviceSpec& device) {
    std::string source = std::string("analytic: ") + nameOf(*options.precision);
    if (*options.precision == Precision::Fp32)
        source += device.tf32FlopsPerS ? " (TF32 matrix products)" : " (no TF32 on this device)";
    source += *options.attention == Attention::Flash ? ", FlashAttention" : ", eager attention";
    source += *options.loss == Loss::Chunked ? ", chunked loss" : ", full logits";
    source += ", matmul efficiency " + plain(*options.matmulEfficiency) + ", memory efficiency " +
              plain(*options.memoryEfficiency);
    for (const std::string& note : config.notes)
        source += "; " + note;
    return source;
}

void writeStep(const Run& run, StepWriter& out) {
    const TransformerConfig& config = run.config;
    LayerWriter writer(run, out);
    int column = 0;
    const auto stack = [&](const std::string& name, std::int64_t layers, bool causal, TensorIndex encoded) {
        TensorIndex x = writer.embedding(name);
        for (std::int64_t i = 0; i < layers && !out.tooLarge(); ++i) {
            out.beginPart((name.empty() ? "layer" : name + ".layer") + std::to_string(i) + ".", column++);
            const bool experts = config.moe && i >= config.moe->denseLayersFirst;
            x = writer.layer(x, causal, experts, encoded);
        }
        out.beginPart(name.empty() ? "" : name + ".", std::nullopt);
        return writer.stackEnd(x);
    };
    TensorIndex x = -1;
    if (config.architecture == Architecture::EncoderDecoder) {
        const TensorIndex encoded = stack("encoder", config.encoderLayers, false, -1);
        x = stack("decoder", config.layers, true, encoded);
    } else {
        x = stack("", config.layers, config.architecture == Architecture::DecoderOnly, -1);
    }
    writer.headAndLoss(x);
}

} // namespace

AnalyticOptions withDefaults(const TransformerConfig& config, AnalyticOptions options) {
    options.batch = options.batch.value_or(config.defaultBatch);
    options.sequence = options.sequence.value_or(config.defaultSequence);
    options.precision = options.precision.value_or(Precision::Bf16);
    options.attention = options.attention.value_or(Attention::Flash);
    options.loss = options.loss.value_or(Loss::Chunked);
    options.device = options.device.value_or("a100-80gb-sxm");
    options.link = options.link.value_or("pcie4-x16");
    options.matmulEfficiency = options.matmulEfficiency.value_or(0.60);
    options.memoryEfficiency = options.memoryEfficiency.value_or(0.80);
    options.launchNs = options.launchNs.value_or(5'000);
    return options;
}

tl::expected<Link, InputError> chosenLink(const AnalyticOptions& options, std::optional<Link> measured) {
    Link link;
    if (options.link || !measured) {
        const auto spec = findLink(options.link.value_or("pcie4-x16"));
        if (!spec)
            return tl::unexpected(spec.error());
        link = {spec->name,
                spec->deviceToHostBytesPerS,
                spec->hostToDeviceBytesPerS,
                spec->latencyNs,
                spec->fullDuplex,
                std::nullopt};
        if (measured)
            link.hostMemoryBytes = measured->hostMemoryBytes;
    } else {
        link = std::move(*measured);
    }
    const auto rate = [&](const char* what, const std::optional<std::int64_t>& given,
                          std::int64_t& value) -> std::optional<InputError> {
        value = given.value_or(value);
        return checkRange(what, value, 1, largestQuantity);
    };
    if (auto error =
            rate("the device-to-host bandwidth", options.deviceToHostBytesPerS, link.deviceToHostBytesPerS))
        return tl::unexpected(std::move(*error));
    if (auto error =
            rate("the host-to-device bandwidth", options.hostToDeviceBytesPerS, link.hostToDeviceBytesPerS))
        return tl::unexpected(std::move(*error));
    if (options.copyLatencyNs) {
        if (auto error = checkRange("the copy latency in ns", *options.copyLatencyNs, 0, longestLatency))
            return tl::unexpected(std::move(*error));
        link.latencyNs = *options.copyLatencyNs;
    }
    link.fullDuplex = options.fullDuplex.value_or(link.fullDuplex);
    if (options.hostMemoryBytes) {
        if (auto error = checkRange("the host memory", *options.hostMemoryBytes, 0, largestQuantity))
            return tl::unexpected(std::move(*error));
        link.hostMemoryBytes = options.hostMemoryBytes;
    }
    return link;
}

tl::expected<Profile, InputError> analyticProfile(const TransformerConfig& config,
                                                  const AnalyticOptions& given) {
    const AnalyticOptions options = withDefaults(config, given);
    if (auto error = checkConfig(config))
        return tl::unexpected(std::move(*error));
    if (auto error = checkOptions(config, options))
        return tl::unexpected(std::move(*error));
    const auto device = findDevice(*options.device);
    if (!device)
        return tl::unexpected(device.error());
    auto link = chosenLink(options);
    if (!link)
        return tl::unexpected(link.error());
    const auto peak = device->matmulFlopsPerS(*options.precision);
    if (!peak)
        return tl::unexpected(refusal(device->name + " has no " + nameOf(*options.precision) +
                                      " matrix units; choose fp16 or fp32, or another device"));

    Profile profile;
    const std::int64_t stacks = config.architecture == Architecture::EncoderDecoder ? 2 : 1;
    profile.name = config.name + ", batch " + std::to_string(*options.batch) + ", sequence " +
                   std::to_string(*options.sequence) + ", " + device->name;
    profile.source = sourceOf(config, options, *device);
    profile.link = std::move(*link);
    StepWriter out(profile,
                   {*peak * *options.matmulEfficiency, device->memoryBytesPerS * *options.memoryEfficiency,
                    static_cast<double>(*options.launchNs)});
    const std::int64_t elementBytes = *options.precision == Precision::Fp32 ? 4 : 2;
    writeStep({config, *options.batch, *options.sequence, elementBytes, *options.attention, *options.loss},
              out);
    profile.samplesPerStep = *options.batch;
    profile.tokensPerStep = out.size({*options.batch, *options.sequence, stacks});
    profile.device = Device{device->name, device->memoryBytes, out.size({parameterCount(config), 16})};
    std::optional<ProfileError> broken;
    if (!out.tooLarge())
        broken = validate(profile);
    if (out.tooLarge() || broken)
        return tl::unexpected(
            refusal(config.name + " with batch " + std::to_string(*options.batch) + " and sequence " +
                    std::to_string(*options.sequence) + " is too large: " +
                    (broken ? broken->pointer + " " + broken->reason : "a size or a time passes 2^53") +
                    "; choose a smaller batch or sequence"));
    return profile;
}

} // namespace slackscope
