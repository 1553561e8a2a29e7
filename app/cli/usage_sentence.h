// What is wrong with a command line, in one sentence of ours.
#pragma once

#include <string>

namespace CLI { // NOLINT(readability-identifier-naming): not ours
class App;
class ParseError;
} // namespace CLI

namespace slackscope::cli {

// What, where and what to do instead, without the end of the sentence. `program` has just refused its
// arguments with `error`.
std::string usageSentence(const CLI::App& program, const CLI::ParseError& error);

} // namespace slackscope::cli
