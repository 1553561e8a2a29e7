#include "app/cli/commands.h"
#include "app/cli/output_file.h"
#include "core/report/summary.h"
#include "core/report/timeline_json.h"

#include <CLI/CLI.hpp>

namespace slackscope::cli {

namespace {

struct Options {
    PlanOptions plan;
    std::string format = "text";
    std::optional<std::string> output;
};

Outcome run(const Options& options) {
    const auto plan = makePlan(options.plan);
    if (!plan)
        return tl::unexpected(plan.error());
    auto out = OutputFile::open(options.output);
    if (!out)
        return tl::unexpected(out.error());
    if (options.format == "json")
        writeTimelineJson(*plan, [&](std::string_view text) { out->write(text); });
    else
        out->write(planSummary(*plan));
    if (auto written = out->commit(); !written)
        return written;
    if (!plan->feasible())
        return failure(ExitStatus::BudgetInfeasible, infeasibleSentence(*plan));
    return {};
}

} // namespace

void addPlanCommand(CLI::App& program, Chosen& chosen) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        program.add_subcommand("plan", "Plan and simulate one step under a budget, and print the result");
    addPlanOptions(*command, options->plan);
    command
        ->add_option_function<std::string>(
            "--format",
            [options](const std::string& text) {
                if (text != "text" && text != "json")
                    throw CLI::ValidationError("--format", quotedText(text) + " is not one of text|json");
                options->format = text;
            },
            "a summary to read, or the whole timeline; default text")
        ->type_name("text|json");
    command->add_option("-o,--output", options->output, "the file to write; default: standard output")
        ->type_name("FILE");
    command->footer(
        "Examples:\n"
        "  slackscope plan gpt2-xl --budget 50%\n"
        "  slackscope plan llama-7b --budget 12GiB --strategy slackswap --format json -o llama.json\n"
        "An infeasible budget still prints its result; the exit status is then 4.");
    command->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

} // namespace slackscope::cli
