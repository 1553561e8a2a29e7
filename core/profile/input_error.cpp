#include "core/profile/input_error.h"

#include <cstddef>

namespace slackscope {

namespace {

constexpr std::size_t longestName = 120;   // bytes of a name from a file that help to find it
constexpr std::size_t longestReason = 900; // lists of missing keys are long; nothing else should be

bool isContinuation(char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

// Keeps the first and the last half of `most` bytes; never cuts inside a UTF-8 sequence.
std::string shortened(std::string_view text, std::size_t most) {
    if (text.size() <= most)
        return std::string(text);
    std::size_t head = most / 2;
    std::size_t tail = text.size() - most / 2;
    while (head > 0 && isContinuation(text[head]))
        --head;
    while (tail < text.size() && isContinuation(text[tail]))
        ++tail;
    return std::string(text.substr(0, head)) + "..." + std::string(text.substr(tail));
}

std::string onOneLine(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string line;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7f) {
            line += c;
        } else {
            line += "\\x";
            line += digits[byte >> 4U];
            line += digits[byte & 15U];
        }
    }
    return line;
}

} // namespace

std::string InputError::sentence() const {
    std::string text;
    if (!file.empty())
        text += onOneLine(shortened(file, 2 * longestName)) + ": ";
    if (!pointer.empty())
        text += onOneLine(shortened(pointer, 2 * longestName)) + " ";
    text += onOneLine(shortened(reason, longestReason));
    if (!text.ends_with('.') && !text.ends_with('?'))
        text += '.';
    return text;
}

std::string quotedText(std::string_view text) {
    return '"' + shortened(text, longestName) + '"';
}

} // namespace slackscope
