// "Did you mean": names close to what the user typed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slackscope {

// Up to `most` of `names`, nearest first: by edit distance, with names that contain or begin like the text
// first.
std::vector<std::string> nearMatches(std::string_view text, std::span<const std::string> names,
                                     std::size_t most = 4);

// "a, b, c", or "a".
std::string commaList(std::span<const std::string> names);

} // namespace slackscope
