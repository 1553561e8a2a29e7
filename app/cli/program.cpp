#include "app/cli/program.h"

#include "app/cli/usage_sentence.h"

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>

namespace slackscope::cli {

namespace {

constexpr const char* programFooter =
    "Sizes: a number alone is bytes; KB MB GB TB are powers of 1000, KiB MiB GiB TiB of 1024; a percentage "
    "is of\n"
    "the unlimited peak, the memory that the step takes when everything is kept.\n"
    "Examples:\n"
    "  slackscope                                       open the window on a sample\n"
    "  slackscope config.json                           open the window on a Hugging Face config\n"
    "  slackscope plan gpt2-xl --budget 50%             plan without a window\n"
    "  slackscope sweep gpt2-xl                         throughput at every budget\n"
    "  slackscope export gpt2-xl --budget 12GiB -o a.svg\n"
    "  slackscope plan --help                           the options of a command\n"
    "Exit status: 0 done, 1 internal error, 2 wrong usage, 3 input refused, 4 budget infeasible, 5 output "
    "not\n"
    "written. A file is written whole or not at all.\n"
    "Everything is simulated, not measured on a GPU; fragmentation is not modelled.";

int say(const Failure& failed) {
    if (!failed.sentence.empty())
        std::cerr << "slackscope: " << failed.sentence << (failed.sentence.ends_with('.') ? "\n" : ".\n");
    return static_cast<int>(failed.status);
}

// CLI11 throws its help and its complaints; its own exit codes and phrases are not ours.
int endParsing(const CLI::App& program, const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
        program.exit(error);
        std::cout.flush();
        return static_cast<int>(std::cout ? ExitStatus::Done : ExitStatus::OutputNotWritten);
    }
    std::string command = "slackscope";
    for (const CLI::App* chosen : program.get_subcommands())
        command += " " + chosen->get_name();
    return say({ExitStatus::WrongUsage, usageSentence(program, error) + "; see '" + command + " --help'."});
}

int runChosen(const Chosen& chosen) {
    const Outcome outcome = chosen();
    return outcome ? static_cast<int>(ExitStatus::Done) : say(outcome.error());
}

// A misspelt preset or a missing file is said here, not in an empty window.
Outcome checkExists(const std::string& input) {
    std::error_code error;
    if (std::filesystem::exists(input, error))
        return {};
    const auto loaded = load({input, {}});
    if (!loaded)
        return tl::unexpected(loaded.error());
    return {};
}

bool hasDisplay() {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
        const char* value = std::getenv(name);
        if (value && *value)
            return true;
    }
    return false;
}

int openWindow(const std::string& input, Frontend& frontend) {
    if (!input.empty()) {
        if (const Outcome there = checkExists(input); !there)
            return say(there.error());
    }
    if (!hasDisplay())
        return say({ExitStatus::WrongUsage,
                    "there is no display to open a window on (DISPLAY and WAYLAND_DISPLAY are not set); "
                    "'slackscope plan' and 'slackscope export' need none."});
    const auto status = frontend.openWindow(input.empty() ? std::nullopt : std::optional(input));
    return status ? *status : say(status.error());
}

int run(int argc, const char* const* argv, Frontend& frontend) {
    CLI::App program("SlackScope: see and plan what one training step keeps in GPU memory.\n"
                     "Without a command it opens the window.",
                     "slackscope");
    program.set_version_flag("--version", "slackscope " SLACKSCOPE_VERSION);
    program.require_subcommand(0, 1);
    program.footer(programFooter);
    program.get_formatter()->column_width(30);
    std::string input;
    program
        .add_option("INPUT", input,
                    "what the window opens on: a model, a Hugging Face config.json or a profile")
        ->type_name("");
    Chosen chosen;
    addPlanCommand(program, chosen);
    addSweepCommand(program, chosen);
    addProfileCommand(program, chosen);
    addExportCommand(program, chosen, frontend);
    addListCommand(program, chosen);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return endParsing(program, error);
    }
    return chosen ? runChosen(chosen) : openWindow(input, frontend);
}

} // namespace

int runProgram(int argc, const char* const* argv, Frontend& frontend) {
    // A closed pipe is an error of the write, not the end of the program.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN); // a file-size limit: the write fails, and is told like any other failure
    try {
        return run(argc, argv, frontend);
    } catch (const std::bad_alloc&) {
        return say({ExitStatus::InternalError, "there is not enough memory for this input."});
    } catch (const std::exception& error) {
        return say({ExitStatus::InternalError, std::string("internal error: ") + error.what()});
    }
}

} // namespace slackscope::cli
