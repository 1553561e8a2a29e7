// Where reports go: text in pieces, so that a report of a million events never stands in memory as a whole.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace slackscope {

// Takes the next piece of text. A sink that fails remembers it and swallows the rest.
using TextSink = std::function<void(std::string_view)>;

// Collects small pieces and hands large ones to the sink; what is left goes out with the destructor. Numbers
// are written the same in every locale.
class TextWriter {
public:
    explicit TextWriter(const TextSink& sink) : sink_(sink) { buffer_.reserve(flushAt + 4096); }
    ~TextWriter();
    TextWriter(const TextWriter&) = delete;
    TextWriter& operator=(const TextWriter&) = delete;

    TextWriter& operator<<(std::string_view text);
    TextWriter& operator<<(std::int64_t number);
    // A JSON string with its quotes. What is not UTF-8 becomes the replacement character.
    TextWriter& jsonString(std::string_view text);
    // The shortest decimal that reads back as the same double; finite numbers only.
    TextWriter& real(double number);
    // `thousandths` / 1000 with three decimals, as in "12.034".
    TextWriter& thousandths(std::int64_t thousandths);

private:
    static constexpr std::size_t flushAt = 1 << 16;
    void flushIfLarge();

    const TextSink& sink_;
    std::string buffer_;
};

} // namespace slackscope
