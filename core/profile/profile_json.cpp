#include "core/profile/profile_json.h"

#include "core/profile/json_text.h"

#include <limits>
#include <unordered_map>

namespace slackscope {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

// Where an object stands: "", "/link", or entry `index` of a list. Becomes text only in an error.
struct Place {
    const char* list = "";
    std::optional<std::size_t> index;
    std::string text() const { return index ? list + ("/" + std::to_string(*index)) : list; }
};

using TensorIds = std::unordered_map<std::string_view, TensorIndex>;

// Reads the fields of one object after another. The first failure sticks; later reads give defaults, so the
// callers read straight on and ask once.
class Reader {
public:
    explicit Reader(const std::string& file) : file_(file) {}

    const std::optional<InputError>& error() const { return error_; }
    bool failed() const { return error_.has_value(); }
    void fail(const std::string& pointer, std::string reason) {
        if (!error_)
            error_ = InputError{file_, pointer, std::move(reason)};
    }

    const json* find(const json& object, const char* key) const {
        const auto found = object.find(key);
        return found == object.end() ? nullptr : &*found;
    }
    const json* require(const json& object, const Place& place, const char* key, const char* what) {
        const json* const value = find(object, key);
        if (value == nullptr)
            fail(place.text() + "/" + key, std::string("is missing; add ") + what);
        return value;
    }
    std::string text(const json& object, const Place& place, const char* key) {
        const json* const value = require(object, place, key, "a string");
        return value != nullptr ? asText(*value, place, key) : std::string();
    }
    std::string textOr(const json& object, const Place& place, const char* key) {
        const json* const value = find(object, key);
        return value != nullptr ? asText(*value, place, key) : std::string();
    }
    std::int64_t whole(const json& object, const Place& place, const char* key, const char* what) {
        const json* const value = require(object, place, key, what);
        return value != nullptr ? asWhole(*value, place, key) : 0;
    }
    std::int64_t wholeOr(const json& object, const Place& place, const char* key, std::int64_t otherwise) {
        const json* const value = find(object, key);
        return value != nullptr ? asWhole(*value, place, key) : otherwise;
    }
    std::optional<std::int64_t> wholeIfAny(const json& object, const Place& place, const char* key) {
        const json* const value = find(object, key);
        return value != nullptr ? std::optional(asWhole(*value, place, key)) : std::nullopt;
    }
    bool flagOr(const json& object, const Place& place, const char* key, bool otherwise) {
        const json* const value = find(object, key);
        if (value == nullptr)
            return otherwise;
        if (!value->is_boolean())
            fail(place.text() + "/" + key, "is " + jsonTypeName(*value) + ", but must be true or false");
        return value->is_boolean() && value->get<bool>();
    }
    bool isObject(const json& value, const Place& place) {
        if (!value.is_object())
            fail(place.text(), "is " + jsonTypeName(value) + ", but must be an object");
        return value.is_object();
    }
    const json::array_t* array(const json& object, const Place& place, const char* key, const char* what) {
        const json* const value = require(object, place, key, what);
        if (value == nullptr)
            return nullptr;
        if (!value->is_array()) {
            fail(place.text() + "/" + key, "is " + jsonTypeName(*value) + ", but must be an array");
            return nullptr;
        }
        return &value->get_ref<const json::array_t&>();
    }
    std::vector<TensorIndex> tensorList(const json& object, const Place& place, const char* key,
                                        const TensorIds& ids) {
        std::vector<TensorIndex> list;
        const json::array_t* const entries = array(object, place, key, "an array of tensor ids; [] is legal");
        if (entries == nullptr)
            return list;
        list.reserve(entries->size());
        for (const json& entry : *entries) {
            const auto pointer = [&] { return place.text() + "/" + key + "/" + std::to_string(list.size()); };
            if (!entry.is_string()) {
                fail(pointer(), "is " + jsonTypeName(entry) + ", but must be a tensor id, a string");
                return list;
            }
            const auto& id = entry.get_ref<const std::string&>();
            const auto found = ids.find(id);
            if (found == ids.end()) {
                fail(pointer(), "names the tensor " + quotedText(id) + ", which /tensors does not hold");
                return list;
            }
            list.push_back(found->second);
        }
        return list;
    }

private:
    std::string asText(const json& value, const Place& place, const char* key) {
        if (value.is_string())
            return value.get<std::string>();
        fail(place.text() + "/" + key, "is " + jsonTypeName(value) + ", but must be a string");
        return {};
    }
    std::int64_t asWhole(const json& value, const Place& place, const char* key) {
        std::string reason;
        const auto number = wholeNumber(value, reason);
        if (!number)
            fail(place.text() + "/" + key, std::move(reason));
        return number.value_or(0);
    }

    const std::string& file_;
    std::optional<InputError> error_;
};

Tensor readTensor(Reader& in, const json& entry, const Place& place) {
    Tensor tensor;
    if (!in.isObject(entry, place))
        return tensor;
    tensor.id = in.text(entry, place, "id");
    tensor.kind = in.textOr(entry, place, "kind");
    tensor.bytes = in.whole(entry, place, "bytes", "its size in whole bytes");
    tensor.gradientBytes = in.wholeOr(entry, place, "gradient_bytes", tensor.bytes);
    return tensor;
}

Operator readOperator(Reader& in, const json& entry, const Place& place, const TensorIds& ids) {
    Operator op;
    if (!in.isObject(entry, place))
        return op;
    op.id = in.text(entry, place, "id");
    op.kind = in.textOr(entry, place, "kind");
    if (const auto layer = in.wholeIfAny(entry, place, "layer")) {
        if (*layer < 0 || *layer > std::numeric_limits<int>::max())
            in.fail(place.text() + "/layer",
                    "is " + std::to_string(*layer) + ", but a layer number is from 0 to 2^31 - 1");
        else
            op.layer = static_cast<int>(*layer);
    }
    op.forwardNs = in.whole(entry, place, "forward_ns", "a time in whole nanoseconds");
    op.backwardNs = in.whole(entry, place, "backward_ns", "a time in whole nanoseconds");
    op.inputs = in.tensorList(entry, place, "inputs", ids);
    op.outputs = in.tensorList(entry, place, "outputs", ids);
    op.saved = in.tensorList(entry, place, "saved", ids);
    op.forwardWorkspaceBytes = in.wholeOr(entry, place, "forward_workspace_bytes", 0);
    op.backwardWorkspaceBytes = in.wholeOr(entry, place, "backward_workspace_bytes", 0);
    op.recomputable = in.flagOr(entry, place, "recomputable", true);
    return op;
}

Link readLink(Reader& in, const json& root) {
    Link link;
    const Place place{"/link", {}};
    const json* const entry =
        in.require(root, Place{}, "link", "the link to host memory: name, both bandwidths, latency_ns");
    if (entry == nullptr || !in.isObject(*entry, place))
        return link;
    link.name = in.text(*entry, place, "name");
    link.deviceToHostBytesPerS =
        in.whole(*entry, place, "device_to_host_bytes_per_s", "a rate in whole bytes per second");
    link.hostToDeviceBytesPerS =
        in.whole(*entry, place, "host_to_device_bytes_per_s", "a rate in whole bytes per second");
    link.latencyNs = in.whole(*entry, place, "latency_ns", "a time in whole nanoseconds");
    link.fullDuplex = in.flagOr(*entry, place, "full_duplex", true);
    link.hostMemoryBytes = in.wholeIfAny(*entry, place, "host_memory_bytes");
    return link;
}

std::optional<Device> readDevice(Reader& in, const json& root) {
    const Place place{"/device", {}};
    const json* const entry = in.find(root, "device");
    if (entry == nullptr || !in.isObject(*entry, place))
        return std::nullopt;
    Device device;
    device.name = in.text(*entry, place, "name");
    device.memoryBytes = in.whole(*entry, place, "memory_bytes", "its size in whole bytes");
    device.modelStateBytes =
        in.whole(*entry, place, "model_state_bytes", "a size in whole bytes; 0 is legal");
    return device;
}

void checkFormat(Reader& in, const json& root) {
    if (!in.isObject(root, Place{}))
        return;
    const std::string format = in.text(root, Place{}, "format");
    if (!in.failed() && format != profileFormat)
        in.fail("/format",
                "is " + quotedText(format) + ", but a profile has \"" + std::string(profileFormat) + "\"");
    const std::int64_t version = in.whole(root, Place{}, "version", "the format's version, 1");
    if (!in.failed() && version != profileVersion)
        in.fail("/version",
                "is " + std::to_string(version) + ", which this program does not know; it reads version 1");
}

void appendField(std::string& out, const char* name, const ordered_json& value, const char* end = ",\n") {
    out += std::string("  \"") + name +
           "\": " + value.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + end;
}

void appendList(std::string& out, const char* name, const std::vector<ordered_json>& entries,
                const char* end) {
    out += std::string("  \"") + name + "\": [";
    const char* separator = "\n    ";
    for (const ordered_json& entry : entries) {
        out += separator + entry.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
        separator = ",\n    ";
    }
    out += end;
}

ordered_json idList(const Profile& profile, const std::vector<TensorIndex>& list) {
    ordered_json ids = ordered_json::array();
    for (const TensorIndex t : list)
        ids.push_back(profile.tensors.at(static_cast<std::size_t>(t)).id);
    return ids;
}

} // namespace

tl::expected<Profile, InputError> readProfile(std::string_view text, const std::string& file) {
    const auto root = parseJson(text, file);
    if (!root)
        return tl::unexpected(root.error());
    Reader in(file);
    checkFormat(in, *root);
    if (in.failed())
        return tl::unexpected(*in.error());
    Profile profile;
    profile.name = in.text(*root, Place{}, "name");
    profile.source = in.text(*root, Place{}, "source");
    profile.tokensPerStep = in.wholeIfAny(*root, Place{}, "tokens_per_step");
    profile.samplesPerStep = in.wholeIfAny(*root, Place{}, "samples_per_step");
    profile.device = readDevice(in, *root);
    profile.link = readLink(in, *root);
    TensorIds ids;
    if (const auto* tensors = in.array(*root, Place{}, "tensors", "an array of tensors")) {
        profile.tensors.reserve(tensors->size());
        ids.reserve(tensors->size());
        for (std::size_t i = 0; i < tensors->size() && !in.failed(); ++i) {
            profile.tensors.push_back(readTensor(in, (*tensors)[i], Place{"/tensors", i}));
            // Reserved above, so the ids stay where they are; validate refuses a repeated one.
            ids.emplace(profile.tensors.back().id, static_cast<TensorIndex>(i));
        }
    }
    if (const auto* operators = in.array(*root, Place{}, "operators", "an array of operators")) {
        profile.operators.reserve(operators->size());
        for (std::size_t i = 0; i < operators->size() && !in.failed(); ++i)
            profile.operators.push_back(readOperator(in, (*operators)[i], Place{"/operators", i}, ids));
    }
    if (in.failed())
        return tl::unexpected(*in.error());
    if (const auto error = validate(profile))
        return tl::unexpected(InputError{file, error->pointer, error->reason});
    return profile;
}

std::string writeProfile(const Profile& profile) {
    std::string out = "{\n";
    appendField(out, "format", profileFormat);
    appendField(out, "version", profileVersion);
    appendField(out, "name", profile.name);
    appendField(out, "source", profile.source);
    if (profile.tokensPerStep)
        appendField(out, "tokens_per_step", *profile.tokensPerStep);
    if (profile.samplesPerStep)
        appendField(out, "samples_per_step", *profile.samplesPerStep);
    if (profile.device)
        appendField(out, "device",
                    {{"name", profile.device->name},
                     {"memory_bytes", profile.device->memoryBytes},
                     {"model_state_bytes", profile.device->modelStateBytes}});
    ordered_json link = {{"name", profile.link.name},
                         {"device_to_host_bytes_per_s", profile.link.deviceToHostBytesPerS},
                         {"host_to_device_bytes_per_s", profile.link.hostToDeviceBytesPerS},
                         {"latency_ns", profile.link.latencyNs},
                         {"full_duplex", profile.link.fullDuplex}};
    if (profile.link.hostMemoryBytes)
        link["host_memory_bytes"] = *profile.link.hostMemoryBytes;
    appendField(out, "link", link);

    std::vector<ordered_json> entries;
    for (const Tensor& tensor : profile.tensors) {
        ordered_json entry = {
            {"id", tensor.id}, {"bytes", tensor.bytes}, {"gradient_bytes", tensor.gradientBytes}};
        if (!tensor.kind.empty())
            entry["kind"] = tensor.kind;
        entries.push_back(std::move(entry));
    }
    appendList(out, "tensors", entries, "\n  ],\n");

    entries.clear();
    for (const Operator& op : profile.operators) {
        ordered_json entry = {{"id", op.id}};
        if (!op.kind.empty())
            entry["kind"] = op.kind;
        if (op.layer)
            entry["layer"] = *op.layer;
        entry["forward_ns"] = op.forwardNs;
        entry["backward_ns"] = op.backwardNs;
        entry["inputs"] = idList(profile, op.inputs);
        entry["outputs"] = idList(profile, op.outputs);
        entry["saved"] = idList(profile, op.saved);
        if (op.forwardWorkspaceBytes != 0)
            entry["forward_workspace_bytes"] = op.forwardWorkspaceBytes;
        if (op.backwardWorkspaceBytes != 0)
            entry["backward_workspace_bytes"] = op.backwardWorkspaceBytes;
        if (!op.recomputable)
            entry["recomputable"] = false;
        entries.push_back(std::move(entry));
    }
    appendList(out, "operators", entries, "\n  ]\n");
    return out + "}\n";
}

} // namespace slackscope
