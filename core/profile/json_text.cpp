#include "core/profile/json_text.h"

#include "core/profile/units.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace slackscope {

using nlohmann::json;

namespace {

// Builds the tree by hand: the library's own builder overwrites repeated keys and nests without limit.
class TreeBuilder : public nlohmann::json_sax<json> {
public:
    TreeBuilder(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    bool null() override { return put(json(nullptr)); }
    bool boolean(bool value) override { return put(json(value)); }
    bool number_integer(number_integer_t value) override { return put(json(value)); }
    bool number_unsigned(number_unsigned_t value) override { return put(json(value)); }
    bool number_float(number_float_t value, const string_t& /*text*/) override { return put(json(value)); }
    bool string(string_t& value) override { return put(json(std::move(value))); }
    bool binary(binary_t& /*value*/) override { return false; } // never in text
    bool start_object(std::size_t /*size*/) override { return open(json::object()); }
    bool start_array(std::size_t /*size*/) override { return open(json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& value) override {
        Frame& frame = frames_.back();
        const auto [slot, isNew] = frame.node->get_ref<json::object_t&>().try_emplace(value);
        frame.slot = &slot->second;
        frame.key = &slot->first;
        return isNew || fail("appears twice in the same object; keep one of the two");
    }
    bool parse_error(std::size_t position, const std::string& /*token*/,
                     const json::exception& error) override {
        error_ = jsonSyntaxError(text_, file_, position, error.what());
        return false;
    }

    tl::expected<json, InputError> take() {
        if (error_)
            return tl::unexpected(std::move(*error_));
        return std::move(root_);
    }

private:
    struct Frame {
        json* node = nullptr;
        json* slot = nullptr;             // where the value of the current key goes; objects only
        const std::string* key = nullptr; // current key; objects only
    };

    json* store(json value) {
        if (frames_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        Frame& frame = frames_.back();
        if (frame.node->is_array()) {
            frame.node->get_ref<json::array_t&>().push_back(std::move(value));
            return &frame.node->back();
        }
        *frame.slot = std::move(value);
        return frame.slot;
    }
    bool put(json value) {
        store(std::move(value));
        return true;
    }
    bool open(json value) {
        json* const node = store(std::move(value));
        frames_.push_back({node, nullptr, nullptr});
        return frames_.size() <= deepestJson ||
               fail("is nested deeper than " + std::to_string(deepestJson) + " levels; flatten the file");
    }
    bool close() {
        frames_.pop_back();
        return true;
    }
    bool fail(std::string reason) {
        std::string pointer;
        for (const Frame& frame : frames_) {
            if (frame.key != nullptr)
                pointer += "/" + pointerToken(*frame.key);
            else if (frame.node->is_array() && !frame.node->empty())
                pointer += "/" + std::to_string(frame.node->size() - 1);
        }
        error_ = InputError{file_, std::move(pointer), std::move(reason)};
        return false;
    }

    std::string_view text_;
    const std::string& file_;
    json root_;
    std::vector<Frame> frames_;
    std::optional<InputError> error_;
};

} // namespace

tl::expected<json, InputError> parseJson(std::string_view text, const std::string& file) {
    TreeBuilder builder(text, file);
    json::sax_parse(text.begin(), text.end(), &builder);
    return builder.take();
}

InputError jsonSyntaxError(std::string_view text, const std::string& file, std::size_t position,
                           std::string_view libraryMessage) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        return {file, "", "is empty; it should hold a JSON object"};
    // The library says "[json.exception...] parse error at line 1, column 2: syntax error while parsing value
    // - invalid literal; last read: '...'". We keep the cause and give the place ourselves.
    std::string_view cause = libraryMessage;
    if (const auto at = cause.find("] "); at != std::string_view::npos)
        cause.remove_prefix(at + 2);
    if (const auto at = cause.find(" - "); at != std::string_view::npos)
        cause.remove_prefix(at + 3);
    if (const auto at = cause.find("; last read"); at != std::string_view::npos)
        cause = cause.substr(0, at);
    const std::size_t byte = std::clamp<std::size_t>(position, 1, text.size());
    const std::string_view before = text.substr(0, byte - 1);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const auto lastBreak = before.rfind('\n');
    const std::size_t column = lastBreak == std::string_view::npos ? byte : byte - 1 - lastBreak;
    const std::string place = "line " + std::to_string(line) + ", column " + std::to_string(column) +
                              " (byte " + std::to_string(byte) + " of " + std::to_string(text.size()) + ")";
    if (cause.find("unexpected end of input") != std::string_view::npos || position > text.size())
        return {file, "", "is cut off: the JSON ends too early at " + place + "; get a complete copy"};
    std::string reason(cause);
    if (reason.find("UTF-8") != std::string::npos)
        reason = "the text is not valid UTF-8";
    return {file, "", "is not valid JSON at " + place + ": " + reason};
}

std::optional<std::int64_t> wholeNumber(const json& value, std::string& reason) {
    if (value.is_number_unsigned()) {
        const auto number = value.get<std::uint64_t>();
        if (number <= static_cast<std::uint64_t>(largestQuantity))
            return static_cast<std::int64_t>(number);
        reason = "is " + std::to_string(number) + ", above 2^53, the largest whole number a file may give";
        return std::nullopt;
    }
    if (value.is_number_integer()) {
        const auto number = value.get<std::int64_t>();
        if (number >= -largestQuantity)
            return number;
        reason = "is " + std::to_string(number) + ", below -2^53";
        return std::nullopt;
    }
    if (value.is_number_float()) {
        const double number = value.get<double>();
        if (std::trunc(number) == number && std::abs(number) <= static_cast<double>(largestQuantity))
            return static_cast<std::int64_t>(number);
        reason = "is " + value.dump() +
                 (std::trunc(number) == number ? ", but numbers may not pass 2^53"
                                               : ", but must be a whole number");
        return std::nullopt;
    }
    reason = "is " + jsonTypeName(value) + ", but must be a whole number";
    if (value.is_string())
        reason += "; write it without quotes";
    return std::nullopt;
}

std::string jsonTypeName(const json& value) {
    switch (value.type()) {
    case json::value_t::null:
        return "null";
    case json::value_t::object:
        return "an object";
    case json::value_t::array:
        return "an array";
    case json::value_t::string:
        return "the string " + quotedText(value.get_ref<const std::string&>());
    case json::value_t::boolean:
        return value.get<bool>() ? "true" : "false";
    default:
        return "the number " + value.dump();
    }
}

std::string pointerToken(std::string_view key) {
    std::string token;
    for (const char c : key) {
        if (c == '~')
            token += "~0";
        else if (c == '/')
            token += "~1";
        else
            token += c;
    }
    return token;
}

} // namespace slackscope
