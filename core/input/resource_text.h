// The texts of resources/*.json, compiled in (resource_text.cpp.in).
#pragma once

#include <string_view>

namespace slackscope {

std::string_view devicesJson();
std::string_view linksJson();
std::string_view modelsJson();

} // namespace slackscope
