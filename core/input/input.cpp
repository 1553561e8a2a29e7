#include "core/input/input.h"

#include "core/input/hugging_face.h"
#include "core/input/near_matches.h"
#include "core/input/presets.h"
#include "core/profile/json_text.h"
#include "core/profile/profile_json.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace slackscope {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t largestFile = std::uintmax_t{2} << 30U;

InputError refusal(const std::string& file, std::string reason) {
    return {file, "", std::move(reason)};
}

tl::expected<std::string, InputError> readFile(const std::string& name) {
    if (name.empty())
        return tl::unexpected(refusal("INPUT", "is empty; name a model or a file"));
    std::error_code error;
    const fs::file_status status = fs::status(name, error);
    if (status.type() == fs::file_type::not_found) {
        std::vector<std::string> ids;
        for (const ModelPreset& preset : modelPresets())
            ids.push_back(preset.id);
        return tl::unexpected(
            refusal(name, "is neither a file nor a model that is known; the nearest models are " +
                              commaList(nearMatches(name, ids))));
    }
    if (status.type() == fs::file_type::none)
        return tl::unexpected(refusal(name, "cannot be opened: " + error.message()));
    if (status.type() == fs::file_type::directory)
        return tl::unexpected(refusal(name, "is a directory; name a file in it"));
    if (status.type() != fs::file_type::regular)
        return tl::unexpected(
            refusal(name, "is a pipe, a socket or a device; save its content to a file first"));
    const std::uintmax_t size = fs::file_size(name, error);
    if (!error && size > largestFile)
        return tl::unexpected(
            refusal(name, "is " + std::to_string(size) + " bytes long; files above 2 GiB are not read"));
    std::ifstream stream(name, std::ios::binary);
    if (!stream)
        return tl::unexpected(refusal(name, "cannot be opened; check its permissions"));
    std::string text;
    std::array<char, 1 << 16> chunk{};
    while (stream.read(chunk.data(), chunk.size()) ||
           stream.gcount() > 0) // turns a failure into a bad stream
        text.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
    if (stream.bad())
        return tl::unexpected(refusal(name, "could not be read to its end"));
    return text;
}

enum class Content { Profile, Session, Timeline, OtherFormat, Trace, Object, Broken, OtherJson };

// Tells what a JSON text is from its top level, without building it; stops as soon as it knows.
class ContentScanner : public nlohmann::json_sax<json> {
public:
    Content result = Content::Object;
    std::string format;
    std::optional<InputError> error;

    ContentScanner(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    bool null() override { return value(); }
    bool boolean(bool /*value*/) override { return value(); }
    bool number_integer(number_integer_t /*value*/) override { return value(); }
    bool number_unsigned(number_unsigned_t /*value*/) override { return value(); }
    bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return value(); }
    bool binary(binary_t& /*value*/) override { return false; }
    bool string(string_t& text) override {
        if (depth_ != 1 || key_ != "format" || isArray_)
            return value();
        format = text;
        if (text == profileFormat)
            return stop(Content::Profile);
        if (text == "slackscope-session")
            return stop(Content::Session);
        if (text == "slackscope-timeline")
            return stop(Content::Timeline);
        return stop(Content::OtherFormat);
    }
    bool start_object(std::size_t /*size*/) override { return open(); }
    bool start_array(std::size_t /*size*/) override {
        if (depth_ == 0)
            isArray_ = true;
        return open();
    }
    bool end_object() override {
        --depth_;
        return true;
    }
    bool end_array() override {
        if (--depth_ == 0)
            result = Content::OtherJson;
        return true;
    }
    bool key(string_t& name) override {
        if (depth_ == 1)
            key_ = name;
        // A bare array of trace events: its entries have a phase.
        if ((depth_ == 1 && name == "traceEvents") || (depth_ == 2 && isArray_ && name == "ph"))
            return stop(Content::Trace);
        return true;
    }
    bool parse_error(std::size_t position, const std::string& /*token*/,
                     const json::exception& exception) override {
        error = jsonSyntaxError(text_, file_, position, exception.what());
        return stop(Content::Broken);
    }

private:
    bool value() {
        if (depth_ == 0)
            result = Content::OtherJson;
        return true;
    }
    bool open() {
        ++depth_;
        return true;
    }
    bool stop(Content content) {
        result = content;
        return false;
    }

    std::string_view text_;
    const std::string& file_;
    std::size_t depth_ = 0;
    bool isArray_ = false;
    std::string key_;
};

// "node12 -- ReLU(...) -- forward_compute_time=..." (PipeDream's profiler).
bool isPipeDreamGraph(std::string_view text) {
    return text.starts_with("node") && text.substr(0, text.find('\n')).find(" -- ") != std::string_view::npos;
}

std::string whyNotText(std::string_view text) {
    if (text.starts_with("\x1f\x8b"))
        return "is gzip-compressed, as PyTorch profiler traces often are; this version reads profiles and "
               "Hugging "
               "Face configs as plain JSON";
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
        return "is UTF-16 text; save it as UTF-8";
    if (text.find('\0') != std::string_view::npos)
        return "is a binary file; give a profile or a Hugging Face config.json";
    return {};
}

// The first option that only an analytic profile can obey, or null.
const char* analyticOption(const AnalyticOptions& options) {
    if (options.batch)
        return "batch";
    if (options.sequence)
        return "sequence";
    if (options.precision)
        return "precision";
    if (options.attention)
        return "attention";
    if (options.loss)
        return "loss";
    if (options.device)
        return "device";
    if (options.matmulEfficiency)
        return "matmul efficiency";
    if (options.memoryEfficiency)
        return "memory efficiency";
    if (options.launchNs)
        return "launch time";
    return nullptr;
}

tl::expected<LoadedInput, InputError> loadProfile(std::string_view text, const std::string& file,
                                                  const AnalyticOptions& options) {
    auto profile = readProfile(text, file);
    if (!profile)
        return tl::unexpected(profile.error());
    if (const char* const option = analyticOption(options))
        return tl::unexpected(refusal(file, std::string("is a finished profile: the option ") + option +
                                                " cannot apply to it; leave it out, or start from a model"));
    auto link = chosenLink(options, profile->link);
    if (!link)
        return tl::unexpected(link.error());
    profile->link = std::move(*link);
    if (const auto broken = validate(*profile))
        return tl::unexpected(InputError{file, broken->pointer, broken->reason});
    const std::string name = profile->name;
    return LoadedInput{std::move(*profile), InputKind::ProfileFile, std::nullopt, name};
}

tl::expected<LoadedInput, InputError> fromConfig(TransformerConfig config, InputKind kind,
                                                 const std::string& file, const AnalyticOptions& options) {
    auto profile = analyticProfile(config, options);
    if (!profile)
        return tl::unexpected(InputError{file, profile.error().pointer, profile.error().reason});
    std::string name = config.name;
    return LoadedInput{std::move(*profile), kind, std::move(config), std::move(name)};
}

bool looksLikeConfig(const json& object) {
    constexpr std::array keys = {
        "model_type", "architectures",     "hidden_size",       "n_embd",
        "d_model",    "num_hidden_layers", "n_layer",           "num_attention_heads",
        "vocab_size", "text_config",       "_diffusers_version"};
    return std::any_of(keys.begin(), keys.end(), [&](const char* key) { return object.contains(key); });
}

tl::expected<LoadedInput, InputError> loadObject(std::string_view text, const std::string& file,
                                                 const AnalyticOptions& options) {
    const auto object = parseJson(text, file);
    if (!object)
        return tl::unexpected(object.error());
    if (!looksLikeConfig(*object))
        return tl::unexpected(
            refusal(file, "is JSON, but neither a profile (no \"format\") nor a Hugging Face config "
                          "(no \"model_type\" or \"hidden_size\"); give one of these"));
    auto config = readHuggingFaceConfig(text, file);
    if (!config)
        return tl::unexpected(config.error());
    return fromConfig(std::move(*config), InputKind::HuggingFaceConfig, file, options);
}

} // namespace

tl::expected<LoadedInput, InputError> loadInput(const std::string& input, const AnalyticOptions& options) {
    if (const auto preset = findModelPreset(input))
        return fromConfig(preset->config, InputKind::ModelPreset, input, options);
    const auto text = readFile(input);
    if (!text)
        return tl::unexpected(text.error());
    if (std::string reason = whyNotText(*text); !reason.empty())
        return tl::unexpected(refusal(input, std::move(reason)));
    if (isPipeDreamGraph(*text))
        return tl::unexpected(
            refusal(input, "is a PipeDream profiler graph; this version reads profiles and Hugging "
                           "Face configs"));
    ContentScanner scanner(*text, input);
    json::sax_parse(text->begin(), text->end(), &scanner);
    switch (scanner.result) {
    case Content::Profile:
        return loadProfile(*text, input, options);
    case Content::Object:
        return loadObject(*text, input, options);
    case Content::Session:
        return tl::unexpected(refusal(input, "is a saved session; open it in the window"));
    case Content::Timeline:
        return tl::unexpected(
            refusal(input, "is a timeline, a result of planning; give the profile that it was planned for"));
    case Content::OtherFormat:
        return tl::unexpected(InputError{input, "/format",
                                         "is " + quotedText(scanner.format) + ", but a profile has \"" +
                                             std::string(profileFormat) + "\""});
    case Content::Trace:
        return tl::unexpected(refusal(input,
                                      "is a PyTorch profiler (Chrome) trace; this version reads profiles and "
                                      "Hugging Face configs"));
    case Content::OtherJson:
        return tl::unexpected(
            refusal(input, "is JSON, but no object; give a profile or a Hugging Face config.json"));
    case Content::Broken:
        break;
    }
    return tl::unexpected(*scanner.error);
}

} // namespace slackscope
