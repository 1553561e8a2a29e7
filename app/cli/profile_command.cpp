#include "app/cli/commands.h"
#include "app/cli/output_file.h"
#include "core/profile/profile_json.h"

#include <CLI/CLI.hpp>

namespace slackscope::cli {

namespace {

struct ProfileOptions {
    ModelOptions model;
    std::optional<std::string> output;
};

Outcome run(const ProfileOptions& options) {
    if (auto writable = OutputFile::check(options.output); !writable)
        return writable;
    auto loaded = load(options.model);
    if (!loaded)
        return tl::unexpected(loaded.error());
    auto out = OutputFile::open(options.output);
    if (!out)
        return tl::unexpected(out.error());
    out->write(writeProfile(loaded->profile));
    return out->commit();
}

} // namespace

void addProfileCommand(CLI::App& program, Chosen& chosen) {
    auto options = std::make_shared<ProfileOptions>();
    CLI::App* command = program.add_subcommand("profile", "Write the profile that INPUT means");
    addModelOptions(*command, options->model);
    command->add_option("-o,--output", options->output, "the file to write; default: standard output")
        ->type_name("FILE");
    command->footer(
        "Example:\n  slackscope profile llama-7b --batch 2 --sequence 4096 -o llama.profile.json");
    command->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

} // namespace slackscope::cli
