#include "core/report/text_writer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace slackscope {

TextWriter::~TextWriter() {
    if (!buffer_.empty())
        sink_(buffer_);
}

inline void TextWriter::flushIfLarge() {
    if (buffer_.size() < flushAt)
        return;
    sink_(buffer_);
    buffer_.clear();
}

TextWriter& TextWriter::operator<<(std::string_view text) {
    buffer_ += text;
    flushIfLarge();
    return *this;
}

TextWriter& TextWriter::operator<<(std::int64_t number) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    buffer_.append(digits.data(), end);
    return *this;
}

TextWriter& TextWriter::jsonString(std::string_view text) {
    const auto plain = [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
    if (std::all_of(text.begin(), text.end(), plain)) {
        buffer_ += '"';
        buffer_ += text;
        buffer_ += '"';
    } else {
        buffer_ += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    flushIfLarge();
    return *this;
}

TextWriter& TextWriter::real(double number) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    buffer_.append(digits.data(), end);
    return *this;
}

TextWriter& TextWriter::thousandths(std::int64_t thousandths) {
    if (thousandths < 0)
        buffer_ += '-';
    const std::int64_t whole = thousandths / 1000;
    const std::int64_t rest = thousandths % 1000;
    *this << (whole < 0 ? -whole : whole);
    const std::string digits = std::to_string(1000 + (rest < 0 ? -rest : rest));
    buffer_ += '.';
    buffer_.append(digits, 1);
    return *this;
}

} // namespace slackscope
