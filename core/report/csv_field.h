// One field of comma-separated values (RFC 4180).
#pragma once

#include <string>

namespace slackscope {

// Quoted only where it has to be.
std::string csvField(const std::string& text);

} // namespace slackscope
