#include "app/cli/commands.h"
#include "app/cli/output_file.h"
#include "core/report/explanation.h"
#include "core/report/summary.h"
#include "core/report/timeline_json.h"

#include <CLI/CLI.hpp>

namespace slackscope::cli {

namespace {

struct Options {
    PlanOptions plan;
    std::string format = "text";
    std::vector<std::string> explained; // tensor ids
    bool decisions = false;
    std::optional<std::string> output;
};

// The summary, and below it what else was asked for. An infeasible plan decides nothing.
std::string report(const Plan& plan, const Options& options, const std::vector<TensorIndex>& explained) {
    std::string text = planSummary(plan);
    if (plan.feasible() && options.decisions)
        text += "\n" + decisionList(plan);
    if (plan.feasible() && !explained.empty())
        text += "\n" + explanations(plan, explained);
    return text;
}

Outcome run(const Options& options) {
    const bool asText = options.format == "text";
    if (!asText && (options.decisions || !options.explained.empty()))
        return failure(ExitStatus::WrongUsage,
                       "--decisions and --explain are for --format text; the JSON has every decision.");
    if (auto writable = OutputFile::check(options.output); !writable)
        return writable;
    const auto graph = loadGraph(options.plan.model);
    if (!graph)
        return tl::unexpected(graph.error());
    std::vector<TensorIndex> explained;
    for (const std::string& id : options.explained) {
        const auto tensor = findTensor(**graph, "--explain", id);
        if (!tensor)
            return tl::unexpected(tensor.error());
        explained.push_back(*tensor);
    }
    const auto plan = makePlan(*graph, options.plan);
    if (!plan)
        return tl::unexpected(plan.error());
    auto out = OutputFile::open(options.output);
    if (!out)
        return tl::unexpected(out.error());
    if (asText)
        out->write(report(*plan, options, explained));
    else
        writeTimelineJson(*plan, [&](std::string_view piece) { out->write(piece); });
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
    command
        ->add_flag("--decisions", options->decisions,
                   "also list every saved tensor with its decision and the reason in one line")
        ->disable_flag_override();
    command
        ->add_option("--explain", options->explained,
                     "also explain the decision about this tensor, and simulate the step with it kept,\n"
                     "offloaded and recomputed, the rest held and re-planned; repeatable")
        ->type_name("TENSOR")
        ->allow_extra_args(false);
    command->add_option("-o,--output", options->output, "the file to write; default: standard output")
        ->type_name("FILE");
    command->footer(
        "Examples:\n"
        "  slackscope plan gpt2-xl --budget 50%\n"
        "  slackscope plan llama-7b --budget 12GiB --strategy slackswap --format json -o llama.json\n"
        "  slackscope plan gpt2-xl --pin layer0.ln1.out=keep --explain layer0.ln1.out\n"
        "An infeasible budget still prints its result; the exit status is then 4.");
    command->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

} // namespace slackscope::cli
