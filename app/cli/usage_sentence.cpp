#include "app/cli/usage_sentence.h"

#include "core/input/near_matches.h"
#include "core/profile/input_error.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace slackscope::cli {

namespace {

const CLI::App& commandOf(const CLI::App& program) {
    const auto chosen = program.get_subcommands();
    return chosen.empty() ? program : *chosen.back();
}

std::string shownCommand(const CLI::App& program) {
    const CLI::App& command = commandOf(program);
    return &command == &program ? "'slackscope'" : "'slackscope " + command.get_name() + "'";
}

std::vector<std::string> optionsOf(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    }
    return names;
}

std::string positionalOf(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_positional())
            return option->get_name(true);
    }
    return {};
}

// Arguments that no option and no positional took.
std::string extraSentence(const CLI::App& program) {
    const CLI::App& command = commandOf(program);
    std::vector<std::string> extras = program.remaining(true);
    const auto option = std::find_if(extras.begin(), extras.end(), [](const std::string& extra) {
        return extra.size() > 1 && extra.front() == '-';
    });
    if (option != extras.end()) {
        const std::string name = option->substr(0, option->find('='));
        return quotedText(name) + " is not an option of " + shownCommand(program) + "; the nearest are " +
               commaList(nearMatches(name, optionsOf(command)));
    }
    std::string sentence;
    for (const std::string& extra : extras)
        sentence += (sentence.empty() ? "" : " ") + quotedText(extra);
    sentence += extras.size() == 1 ? " is one argument too many; " : " are too many arguments; ";
    if (&command != &program)
        return sentence + shownCommand(program) + " takes one " + positionalOf(command);
    std::vector<std::string> commands;
    for (const CLI::App* each : program.get_subcommands({}))
        commands.push_back(each->get_name());
    const std::string input = program.get_option("INPUT")->as<std::string>();
    return sentence + quotedText(input) + " is no command, so it was taken for the input of a window; the " +
           "nearest commands are " + commaList(nearMatches(input, commands));
}

std::string missingSentence(const std::string& name) {
    if (name == "INPUT")
        return "INPUT is missing; name a model (gpt2-xl), a Hugging Face config.json or a profile";
    if (name == "--output")
        return "--output is missing; name the file to write (-o plan.png)";
    return name + " is missing; give it";
}

} // namespace

std::string usageSentence(const CLI::App& program, const CLI::ParseError& error) {
    std::string said = error.what();
    while (!said.empty() && (said.back() == '\n' || said.back() == '.'))
        said.pop_back();
    const auto kind = static_cast<CLI::ExitCodes>(error.get_exit_code()); // get_name() may be the command's
    if (kind == CLI::ExitCodes::ExtrasError)
        return extraSentence(program);
    if (kind == CLI::ExitCodes::RequiredError)
        return missingSentence(said.substr(0, said.find(' ')));
    const auto part = [&](std::string_view before, std::string_view after) {
        const std::size_t from = said.find(before);
        if (from == std::string::npos)
            return std::string();
        const std::size_t begin = from + before.size();
        return said.substr(begin, after.empty() ? std::string::npos : said.find(after, begin) - begin);
    };
    if (kind == CLI::ExitCodes::ArgumentMismatch) {
        const std::string name = said.substr(0, said.find_first_of(": "));
        if (const std::string type = part(": 1 required ", " missing"); !type.empty())
            return name + " needs a value; write " + name + " " + type;
        if (const std::string times = part("but received ", ""); !times.empty())
            return name + " is given " + times + " times; give it once";
        const std::string flag = name.starts_with("-") ? name : "--" + name;
        return flag + " takes no value; write it alone";
    }
    return said; // a sentence of ours
}

} // namespace slackscope::cli
