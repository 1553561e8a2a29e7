// Strict JSON text to a tree, for the readers of the core. Include only from .cpp files: it pulls in the JSON
// library.
//
// Refused, with line, column and byte: anything RFC 8259 refuses (NaN, comments, trailing commas, invalid
// UTF-8, a cut-off file, numbers beyond a double). Refused besides, with their JSON pointer: an object that
// names a key twice, and nesting deeper than `deepestJson`, so that no reader can run out of stack.
#pragma once

#include "core/profile/input_error.h"

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace slackscope {

inline constexpr std::size_t deepestJson = 200;

tl::expected<nlohmann::json, InputError> parseJson(std::string_view text, const std::string& file);

// The error that a SAX handler gets, as ours.
InputError jsonSyntaxError(std::string_view text, const std::string& file, std::size_t position,
                           std::string_view libraryMessage);

// A whole number up to 2^53 in size. A float that is exactly integral counts (2.5e10); else `reason` says why
// not.
std::optional<std::int64_t> wholeNumber(const nlohmann::json& value, std::string& reason);

// "a string", "null", ...: what a value of the wrong type is.
std::string jsonTypeName(const nlohmann::json& value);

// One reference token of a JSON pointer: "~" and "/" escaped.
std::string pointerToken(std::string_view key);

} // namespace slackscope
