#include "app/cli/commands.h"
#include "app/cli/output_file.h"
#include "core/input/near_matches.h"
#include "core/report/chrome_trace.h"
#include "core/report/event_csv.h"
#include "core/report/timeline_json.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace slackscope::cli {

namespace {

struct Options {
    PlanOptions plan;
    PictureRequest picture;
};

constexpr std::array<std::string_view, 5> views{"all", "timeline", "memory", "decisions", "tradeoff"};
constexpr std::array<std::string_view, 2> themes{"light", "dark"};
constexpr int largestSide = 20'000;
constexpr double largestScale = 16;

std::string lowered(std::string text) {
    for (char& c : text)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

template <std::size_t Count>
std::string alternatives(const std::array<std::string_view, Count>& words) {
    std::string list;
    for (const std::string_view word : words)
        list += (list.empty() ? "" : "|") + std::string(word);
    return list;
}

template <std::size_t Count>
void addChoice(CLI::App& command, const std::string& name, std::string& into,
               const std::array<std::string_view, Count>& words, const std::string& help) {
    into = words.front();
    command
        .add_option_function<std::string>(
            name,
            [name, &into, &words](const std::string& text) {
                if (std::find(words.begin(), words.end(), text) == words.end())
                    throw CLI::ValidationError(name,
                                               quotedText(text) + " is not one of " + alternatives(words));
                into = text;
            },
            help + "; default " + std::string(words.front()))
        ->type_name(alternatives(words));
}

void parsePixels(const std::string& text, PictureRequest& into) {
    const char* const end = text.data() + text.size();
    int width = 0;
    int height = 0;
    const auto first = std::from_chars(text.data(), end, width);
    bool valid = first.ec == std::errc() && first.ptr != end && *first.ptr == 'x';
    if (valid) {
        const auto second = std::from_chars(first.ptr + 1, end, height);
        valid = second.ec == std::errc() && second.ptr == end;
    }
    if (!valid || width < 120 || height < 120 || width > largestSide || height > largestSide)
        throw CLI::ValidationError("--size", quotedText(text) +
                                                 " is not WIDTHxHEIGHT in pixels, each from 120 to " +
                                                 std::to_string(largestSide) + ", such as 1600x900");
    into.width = width;
    into.height = height;
}

void parseScale(const std::string& text, PictureRequest& into) {
    double scale = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), scale);
    if (error != std::errc() || end != text.data() + text.size() || !(scale >= 0.1 && scale <= largestScale))
        throw CLI::ValidationError("--scale", quotedText(text) + " is not a number from 0.1 to 16");
    into.scale = scale;
}

using Writer = void (*)(const Plan&, const TextSink&);

// The writer of a data file by its suffix; none: it is a picture.
Writer dataWriter(const std::string& path) {
    const std::string name = lowered(path);
    if (name.ends_with(".trace.json"))
        return writeChromeTrace;
    if (name.ends_with(".json"))
        return writeTimelineJson;
    if (name.ends_with(".csv"))
        return writeEventCsv;
    return nullptr;
}

bool isPicture(const std::string& path) {
    const std::string name = lowered(path);
    return name.ends_with(".png") || name.ends_with(".svg") || name.ends_with(".pdf");
}

Outcome writeData(const PlanOptions& options, const std::string& path, Writer writer) {
    const auto plan = makePlan(options);
    if (!plan)
        return tl::unexpected(plan.error());
    auto out = OutputFile::open(path);
    if (!out)
        return tl::unexpected(out.error());
    writer(*plan, [&](std::string_view text) { out->write(text); });
    return endExport(*out, *plan, path);
}

Outcome run(const Options& options, Frontend& frontend) {
    const std::string& path = options.picture.path;
    const Writer writer = dataWriter(path);
    if (writer && options.picture.view == "tradeoff")
        return failure(ExitStatus::WrongUsage,
                       "--view tradeoff is a picture; use 'slackscope sweep --format json' for its numbers.");
    if (auto writable = OutputFile::check(path); !writable)
        return writable;
    if (writer)
        return writeData(options.plan, path, writer);
    return frontend.exportPicture(options.plan, options.picture);
}

} // namespace

Outcome endExport(OutputFile& out, const Plan& plan, const std::string& path) {
    if (!plan.feasible() && out.replacesFile())
        return failure(ExitStatus::BudgetInfeasible,
                       infeasibleSentence(plan) + " " + quotedText(path) + " was left as it was.");
    if (auto written = out.commit(); !written)
        return written;
    if (!plan.feasible())
        return failure(ExitStatus::BudgetInfeasible, infeasibleSentence(plan));
    return {};
}

void addExportCommand(CLI::App& program, Chosen& chosen, Frontend& frontend) {
    auto options = std::make_shared<Options>();
    PictureRequest& picture = options->picture;
    CLI::App* command =
        program.add_subcommand("export", "Plan, and write a picture or the data behind it; needs no display");
    addPlanOptions(*command, options->plan);
    command
        ->add_option_function<std::string>(
            "-o,--output",
            [options](const std::string& text) {
                if (!dataWriter(text) && !isPicture(text))
                    throw CLI::ValidationError("--output", quotedText(text) +
                                                               " does not end with .png, .svg, .pdf, .json, "
                                                               ".trace.json or .csv");
                options->picture.path = text;
            },
            "the file to write; its ending says what: .png, .svg, .pdf (pictures), .json (timeline),\n"
            ".trace.json (Chrome trace, opens in Perfetto), .csv (events)")
        ->type_name("FILE")
        ->required();
    addChoice(*command, "--view", picture.view, views,
              "what the picture shows; tradeoff sweeps all budgets first");
    command
        ->add_option_function<std::string>(
            "--size", [options](const std::string& text) { parsePixels(text, options->picture); },
            "of the picture, in pixels (96 per inch in .svg and .pdf); default 1600x900")
        ->type_name("WxH");
    command
        ->add_option_function<std::string>(
            "--scale", [options](const std::string& text) { parseScale(text, options->picture); },
            "pixels of a .png per pixel of --size, text and lines too; default 1")
        ->type_name("FACTOR");
    addChoice(*command, "--theme", picture.theme, themes, "colours");
    command
        ->add_flag("--caption,!--no-caption", picture.caption,
                   "a line that names model, budget and strategy; default: with it")
        ->disable_flag_override();
    command->footer("Examples:\n"
                    "  slackscope export gpt2-xl --budget 50% -o gpt2.png --scale 2\n"
                    "  slackscope export gpt2-xl --budget 12GiB -o gpt2.trace.json");
    command->callback(
        [options, &chosen, &frontend] { chosen = [options, &frontend] { return run(*options, frontend); }; });
}

} // namespace slackscope::cli
