// Why a file or a request is refused: a value, shown to the user as one sentence.
#pragma once

#include <string>
#include <string_view>

namespace slackscope {

struct InputError {
    std::string file;    // what was read, as the user named it; may be empty
    std::string pointer; // where: an RFC 6901 JSON pointer; empty = the whole of it
    std::string reason;  // a fragment that follows the place, e.g. "is -3, but ..."; says what to do

    // "FILE: POINTER REASON." On one line: control characters are escaped, overlong parts shortened.
    std::string sentence() const;
    bool operator==(const InputError&) const = default;
};

// Text of the user's between double quotes, shortened in the middle when it is very long.
std::string quotedText(std::string_view text);

} // namespace slackscope
