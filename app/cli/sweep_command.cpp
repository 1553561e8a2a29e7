#include "app/cli/commands.h"
#include "app/cli/output_file.h"
#include "app/cli/pin_options.h"
#include "app/cli/sweep_values.h"
#include "app/cli/terminal_progress.h"
#include "core/input/near_matches.h"
#include "core/planner/axis_sweep.h"
#include "core/report/quantities.h"
#include "core/report/sweep_csv.h"
#include "core/report/sweep_json.h"
#include "core/report/sweep_text.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace slackscope::cli {

namespace {

// A grid with fewer steps, each halved up to so many times.
constexpr std::int32_t adaptiveSteps = 19;
constexpr std::int32_t adaptiveSplits = 4;
constexpr double defaultKeep = 0.95;
// Sequences are tried in multiples of this.
constexpr std::int64_t sequenceStep = 64;

struct Options {
    ModelOptions model;
    std::vector<const StrategyInfo*> strategies{slackscope::strategies().begin(),
                                                slackscope::strategies().end()};
    std::vector<NamedPin> pins;
    std::optional<StepAxis> axis; // absent: the budget
    bool axisIsGiven = false;
    std::optional<StepAxis> find; // the largest of this axis
    ValueTexts texts;
    bool adaptive = false;
    bool withBound = true;
    std::optional<Budget> budget; // of a step on another axis
    std::optional<Bytes> memory;  // of the device, model state included
    std::optional<double> keep;   // throughput of ideal; default 0.95
    // Parsed from the texts when all options are known.
    BudgetRange budgets;
    std::vector<std::int64_t> values;
    std::string format = "text";
    std::optional<std::string> output;
};

[[noreturn]] void refuse(const std::string& option, const std::string& reason) {
    throw CLI::ValidationError(option, reason);
}

template <class Value>
Value accepted(tl::expected<Value, std::string> parsed) {
    if (!parsed)
        throw CLI::ValidationError(parsed.error());
    return std::move(*parsed);
}

class TellProgress : public SweepObserver {
public:
    void progressed(double fraction) override { line_.show(fraction); }

private:
    TerminalProgress line_{"Sweeping"};
};

std::vector<const StrategyInfo*> strategiesNamed(const std::string& list) {
    if (list == "all")
        return {strategies().begin(), strategies().end()};
    std::vector<const StrategyInfo*> named;
    for (const std::string& id : accepted(splitList("--strategies", list))) {
        const StrategyInfo* strategy = findStrategy(id);
        if (!strategy) {
            std::vector<std::string> ids;
            if (id == list)
                ids.emplace_back("all"); // which stands alone
            for (const StrategyInfo* each : strategies())
                ids.emplace_back(each->id);
            refuse("--strategies",
                   quotedText(id) + " is not a strategy; the nearest are " + commaList(nearMatches(id, ids)));
        }
        if (std::find(named.begin(), named.end(), strategy) == named.end())
            named.push_back(strategy);
    }
    return named;
}

// What goes together, and what the texts mean now that the axis is known. Throws what CLI11 throws.
void settle(Options& options) {
    ValueTexts& texts = options.texts;
    if (texts.values && (texts.from || texts.to || texts.steps))
        refuse("--values", "lists every value; leave --from, --to and --steps out");
    if (options.budget && options.memory)
        refuse("--memory", "and --budget both say how much room there is; give one of them");
    const auto varied = options.find ? options.find : options.axis;
    for (const auto& [axis, option, given] :
         {std::tuple{StepAxis::Batch, "--batch", options.model.options.batch},
          std::tuple{StepAxis::Sequence, "--sequence", options.model.options.sequence}}) {
        if (given && varied == axis)
            refuse(option, "is what varies here; leave it out");
    }
    if (options.keep && !options.find)
        refuse("--keep", "belongs to a search; add --find largest-batch or --find largest-sequence");
    if (options.find) {
        if (options.axisIsGiven || options.adaptive || texts.values || texts.from || texts.to || texts.steps)
            refuse("--find", "chooses its own values; leave --axis, --values, --from, --to, --steps and "
                             "--adaptive out");
        if (!options.memory && (!options.budget || options.budget->percentMillionths))
            refuse("--find", "needs the room that there is, in bytes: give --memory 40GB or --budget 12GiB");
        return;
    }
    if (options.axis) {
        if (options.adaptive)
            refuse("--adaptive", "works on the budget axis; give the values of other axes with --values");
        options.values = accepted(parseAxisValues(*options.axis, texts));
        return;
    }
    if (options.budget || options.memory)
        refuse(options.budget ? "--budget" : "--memory",
               "fixes the budget, which is what this sweep varies; use --from and --to, or another --axis");
    if (options.adaptive && texts.values)
        refuse("--adaptive", "chooses its own budgets between --from and --to; leave --values out");
    options.budgets = accepted(parseBudgets(texts, options.adaptive ? adaptiveSteps : BudgetRange().steps));
    const BudgetRange& range = options.budgets;
    if (range.from.percentMillionths && range.to.percentMillionths &&
        *range.from.percentMillionths > *range.to.percentMillionths)
        refuse("--from", "is larger than --to; exchange them");
}

using Write = std::function<void(const TextSink&)>;

Outcome writeOut(const Options& options, const Write& write) {
    auto out = OutputFile::open(options.output);
    if (!out)
        return tl::unexpected(out.error());
    write([&](std::string_view text) { out->write(text); });
    return out->commit();
}

// --- the budget axis

Outcome sweepBudgets(const Options& options) {
    auto loaded = load(options.model);
    if (!loaded)
        return tl::unexpected(loaded.error());
    const auto graph = StepGraph::build(std::move(loaded->profile));
    if (!graph)
        return failure(
            ExitStatus::InputRefused,
            InputError{options.model.input, graph.error().pointer, graph.error().reason}.sentence());
    const auto pins = resolvePins(**graph, options.pins);
    if (!pins)
        return tl::unexpected(pins.error());
    SweepRequest request;
    request.graph = *graph;
    request.pins = *pins;
    request.strategies = options.strategies;
    request.withBound = options.withBound;
    request.splits = options.adaptive ? adaptiveSplits : 0;
    const Bytes peak = unlimitedPeak(*graph);
    auto budgets = resolve(options.budgets, peak);
    if (!budgets)
        return failure(ExitStatus::WrongUsage, budgets.error());
    request.grid = std::move(*budgets);
    const SweepSubject subject{(*graph)->profile().name, options.pins};
    std::cerr << "Sweeping " << subject.profile << " (" << (*graph)->profile().source << ") over "
              << request.grid.size() << (request.grid.size() == 1 ? " budget, " : " budgets from ")
              << formatBytes(request.grid.front());
    if (request.grid.size() > 1)
        std::cerr << " to " << formatBytes(request.grid.back());
    std::cerr << " (unlimited peak " << formatBytes(peak) << ")\n";
    std::optional<Sweep> sweep;
    {
        TellProgress progress;
        sweep = runSweep(request, &progress, {});
    }
    const Outcome written = writeOut(options, [&](const TextSink& sink) {
        if (options.format == "json")
            writeSweepJson(*sweep, subject, sink);
        else if (options.format == "csv")
            writeSweepCsv(*sweep, subject, sink);
        else
            sink(sweepText(*sweep, subject));
    });
    if (!written)
        return written;
    const bool anyFeasible =
        std::any_of(sweep->curves.begin(), sweep->curves.end(), [](const SweepCurve& curve) {
            return std::any_of(curve.points.begin(), curve.points.end(),
                               [](const SweepPoint& point) { return point.feasible; });
        });
    if (!anyFeasible) {
        Bytes least = largestQuantity;
        for (const SweepCurve& curve : sweep->curves)
            least = std::min(least, curve.minimumBudgetBytes.value_or(least));
        return failure(ExitStatus::BudgetInfeasible,
                       "no budget of the sweep is enough for any of the strategies" +
                           std::string(options.pins.empty() ? "" : " with these pins") +
                           "; the least that one needs is " + formatExactBytes(least) + ".");
    }
    return {};
}

// --- other axes

AxisWords wordsFor(const Options& options, StepAxis axis) {
    AxisWords words;
    words.name = axisName(axis);
    words.value = axis == StepAxis::Bandwidth ? formatBandwidth : formatCount;
    if (options.memory)
        words.budget = formatBytes(*options.memory) + " of device memory, less the model state";
    else if (const Budget budget = options.budget.value_or(defaultBudget); budget.percentMillionths)
        words.budget = formatPercent(static_cast<double>(*budget.percentMillionths) / 1e8) +
                       " of the unlimited peak of each row";
    else
        words.budget = formatBytes(budget.bytes);
    return words;
}

tl::expected<AxisCase, std::string> caseAt(const Options& options, const LoadedInput& input, StepAxis axis,
                                           std::int64_t value) {
    auto profile = profileAt(input, options.model.options, axis, value, options.model.input);
    if (!profile)
        return tl::unexpected(profile.error().sentence());
    AxisCase made;
    if (options.memory) {
        const Bytes state = profile->device->modelStateBytes;
        if (state > *options.memory)
            return tl::unexpected("the model state alone takes " + formatBytes(state) + ".");
        made.budgetBytes = *options.memory - state;
    }
    const auto graph = StepGraph::build(std::move(*profile));
    if (!graph)
        return tl::unexpected(
            InputError{options.model.input, graph.error().pointer, graph.error().reason}.sentence());
    made.graph = *graph;
    auto pins = resolvePins(*made.graph, options.pins);
    if (!pins)
        return tl::unexpected(pins.error().sentence);
    made.pins = std::move(*pins);
    if (!options.memory)
        made.budgetBytes = options.budget.value_or(defaultBudget).resolve(unlimitedPeak(made.graph));
    return made;
}

// Whether the axis can be walked at all, so that what is refused for every value is refused once.
Outcome checkAxis(const Options& options, const LoadedInput& input, StepAxis axis) {
    if (!input.config && axis != StepAxis::Bandwidth)
        return failure(ExitStatus::InputRefused,
                       profileAt(input, {}, axis, 1, options.model.input).error().sentence());
    if (!options.pins.empty()) {
        // A misspelt tensor is wrong usage, not a row that is refused.
        const auto graph = StepGraph::build(input.profile);
        for (const NamedPin& pin : options.pins) {
            if (!graph)
                break; // each row says what is wrong with it
            if (const auto tensor = findTensor(**graph, "--pin", pin.tensor); !tensor)
                return tl::unexpected(tensor.error());
        }
    }
    if (!options.memory)
        return {};
    const auto& device = input.profile.device;
    if (!device)
        return failure(ExitStatus::WrongUsage,
                       "--memory: the profile names no device, so that its model state is not known; give "
                       "--budget, the room beside the model state, instead");
    if (device->modelStateBytes > *options.memory)
        return failure(ExitStatus::BudgetInfeasible,
                       "the model state alone takes " + formatBytes(device->modelStateBytes) +
                           ", more than the " + formatBytes(*options.memory) +
                           " of memory; choose a smaller model or a larger device.");
    return {};
}

Outcome runAxis(const Options& options) {
    const StepAxis axis = options.find ? *options.find : *options.axis;
    const auto loaded = load(options.model);
    if (!loaded)
        return tl::unexpected(loaded.error());
    if (auto possible = checkAxis(options, *loaded, axis); !possible)
        return possible;
    AxisRequest request;
    request.make = [&](std::int64_t value) { return caseAt(options, *loaded, axis, value); };
    request.strategies = options.strategies;
    request.withBound = options.withBound;
    AxisWords words = wordsFor(options, axis);
    words.subject = {loaded->config ? loaded->config->name : loaded->profile.name, options.pins};
    if (options.memory)
        words.budget += " of " + formatBytes(loaded->profile.device->modelStateBytes);

    if (options.find) {
        LargestRequest largestRequest;
        largestRequest.axis = std::move(request);
        largestRequest.smallest = axis == StepAxis::Sequence ? sequenceStep : 1;
        largestRequest.keep = options.keep.value_or(defaultKeep);
        std::cerr << "Searching the largest " << words.name << " of " << words.subject.profile
                  << " that keeps " << formatPercent(largestRequest.keep) << " of ideal, budget "
                  << words.budget << "\n";
        std::optional<Largest> largest;
        {
            TerminalProgress progress("Trying " + words.name);
            largest = findLargest(
                largestRequest,
                [&](std::int64_t value, double part) { progress.show(words.value(value), part); }, {});
        }
        // As in a sweep whose every value is refused: there is nothing to write.
        if (!largest->value && largest->limit == Largest::Limit::Step)
            return failure(ExitStatus::InputRefused, largest->tried.rows.front().refusal);
        const Outcome written = writeOut(options, [&](const TextSink& sink) {
            if (options.format == "json")
                writeLargestJson(*largest, largestRequest, words.subject, words.name, sink);
            else if (options.format == "csv")
                writeAxisSweepCsv(largest->tried, words.subject, words.name, sink);
            else
                sink(largestText(*largest, largestRequest, words));
        });
        if (written && !largest->value)
            return failure(ExitStatus::BudgetInfeasible,
                           "not even " + words.name + " " + formatCount(largestRequest.smallest) +
                               " fits and keeps " + formatPercent(largestRequest.keep) + " of ideal.");
        return written;
    }

    std::cerr << "Sweeping the " << words.name << " of " << words.subject.profile << " over "
              << options.values.size() << (options.values.size() == 1 ? " value" : " values") << ", budget "
              << words.budget << "\n";
    std::optional<AxisSweep> sweep;
    {
        TerminalProgress progress("Sweeping");
        sweep = runAxisSweep(request, options.values, [&](double part) { progress.show(part); }, {});
    }
    const auto isRefused = [](const AxisRow& row) { return !row.refusal.empty(); };
    if (std::all_of(sweep->rows.begin(), sweep->rows.end(), isRefused))
        return failure(ExitStatus::InputRefused, sweep->rows.front().refusal);
    const Outcome written = writeOut(options, [&](const TextSink& sink) {
        if (options.format == "json")
            writeAxisSweepJson(*sweep, words.subject, words.name, sink);
        else if (options.format == "csv")
            writeAxisSweepCsv(*sweep, words.subject, words.name, sink);
        else
            sink(axisSweepText(*sweep, words));
    });
    if (!written)
        return written;
    for (const AxisRow& row : sweep->rows) {
        if (isRefused(row) && options.format == "csv")
            std::cerr << "slackscope: left out: " << row.refusal << "\n";
    }
    if (std::none_of(sweep->rows.begin(), sweep->rows.end(),
                     [](const AxisRow& row) { return row.best() != nullptr; }))
        return failure(ExitStatus::BudgetInfeasible,
                       "the budget is too small for every strategy at every value; raise --" +
                           std::string(options.memory ? "memory" : "budget") + ".");
    return {};
}

void addText(CLI::App& command, const std::string& name, std::optional<std::string>& into,
             const std::string& type, const std::string& help) {
    command
        .add_option_function<std::string>(
            name, [&into](const std::string& text) { into = text; }, help)
        ->type_name(type);
}

} // namespace

void addSweepCommand(CLI::App& program, Chosen& chosen) {
    auto options = std::make_shared<Options>();
    CLI::App* command = program.add_subcommand(
        "sweep", "Throughput against budget, link bandwidth, batch or sequence, for every strategy");
    addModelOptions(*command, options->model);
    command
        ->add_option_function<std::string>(
            "--axis",
            [options](const std::string& text) {
                const std::map<std::string, std::optional<StepAxis>> axes{{"budget", std::nullopt},
                                                                          {"bandwidth", StepAxis::Bandwidth},
                                                                          {"batch", StepAxis::Batch},
                                                                          {"sequence", StepAxis::Sequence}};
                const auto found = axes.find(text);
                if (found == axes.end())
                    refuse("--axis", quotedText(text) + " is not one of budget|bandwidth|batch|sequence");
                options->axis = found->second;
                options->axisIsGiven = true;
            },
            "what varies; default budget. Bandwidth is in GB/s, each direction")
        ->type_name("budget|bandwidth|batch|sequence");
    addText(*command, "--from", options->texts.from, "VALUE",
            "the smallest value; budgets as 10%, 12GiB, 12GB or bytes; default 10% on the budget axis");
    addText(*command, "--to", options->texts.to, "VALUE", "the largest; default 100% on the budget axis");
    command
        ->add_option_function<std::string>(
            "--steps",
            [options](const std::string& text) {
                const auto steps = parseCount("--steps", text);
                if (!steps || *steps > mostSweepSteps)
                    refuse("--steps", quotedText(text) + " is not a whole number from 1 to " +
                                          std::to_string(mostSweepSteps));
                options->texts.steps = *steps;
            },
            "values from --from to --to, both included; default 91 on the budget axis, 11 on the others")
        ->type_name("N");
    addText(*command, "--values", options->texts.values, "LIST",
            "instead, the values themselves, separated by commas; default on the other axes:\n" +
                defaultValues(StepAxis::Bandwidth) + " (GB/s),\n" + defaultValues(StepAxis::Batch) +
                " (batch), " + defaultValues(StepAxis::Sequence) + " (sequence)");
    command
        ->add_flag("--adaptive", options->adaptive,
                   "on the budget axis: fewer steps (default 19), and more points where a curve bends or\n"
                   "changes kind, down to a sixteenth of a step; text shows the steps, csv and json all")
        ->disable_flag_override();
    command
        ->add_option_function<std::string>(
            "--strategies",
            [options](const std::string& text) { options->strategies = strategiesNamed(text); },
            "all, or ids separated by commas; default all")
        ->type_name("LIST");
    command
        ->add_flag("--bound,!--no-bound", options->withBound,
                   "the lower bound of all programs, pinned or not; default: with it. It takes most of the\n"
                   "time of a large sweep")
        ->disable_flag_override();
    command
        ->add_option_function<std::string>(
            "--budget",
            [options](const std::string& text) {
                const auto budget = parseBudget(text);
                if (!budget)
                    refuse("--budget", budget.error());
                options->budget = *budget;
            },
            "on the other axes: of each step, a percentage of its own unlimited peak or a size;\ndefault 50%")
        ->type_name("BUDGET");
    command
        ->add_option_function<std::string>(
            "--memory",
            [options](const std::string& text) {
                const auto memory = parseSize(text);
                if (!memory)
                    refuse("--memory", memory.error());
                options->memory = *memory;
            },
            "instead, the device memory that each step must fit in, model state included")
        ->type_name("SIZE");
    command
        ->add_option_function<std::string>(
            "--find",
            [options](const std::string& text) {
                if (text == "largest-batch")
                    options->find = StepAxis::Batch;
                else if (text == "largest-sequence")
                    options->find = StepAxis::Sequence;
                else
                    refuse("--find", quotedText(text) + " is not one of largest-batch|largest-sequence");
            },
            "search the largest batch, or sequence in multiples of 64, that fits in --memory (or\n"
            "--budget) and with the fastest of the strategies keeps --keep")
        ->type_name("largest-batch|largest-sequence");
    command
        ->add_option_function<std::string>(
            "--keep", [options](const std::string& text) { options->keep = accepted(parseKeep(text)); },
            "of the ideal throughput, for --find; default 95%")
        ->type_name("PERCENT");
    addPinOption(*command, options->pins);
    command
        ->add_option_function<std::string>(
            "--format",
            [options](const std::string& text) {
                if (text != "text" && text != "csv" && text != "json")
                    refuse("--format", quotedText(text) + " is not one of text|csv|json");
                options->format = text;
            },
            "tables to read, long CSV (one row per strategy and value), or JSON; default text")
        ->type_name("text|csv|json");
    command->add_option("-o,--output", options->output, "the file to write; default: standard output")
        ->type_name("FILE");
    command->footer(
        "Examples:\n"
        "  slackscope sweep gpt2-xl                                  91 budgets, every strategy\n"
        "  slackscope sweep llama-7b --adaptive --format csv -o llama.csv\n"
        "  slackscope sweep bert-large --axis bandwidth --values 12,25,40,55 --budget 30%\n"
        "  slackscope sweep gpt2-xl --axis batch --memory 40GB\n"
        "  slackscope sweep gpt2-xl --pin layer0.ln1.out=keep\n"
        "  slackscope sweep gpt2-xl --find largest-batch --memory 40GB --keep 95%\n"
        "Throughputs are simulated, in percent of the ideal of the same step. The exit status is 4 where no\n"
        "strategy finds a program at any value, or the search finds none.");
    command->callback([options, &chosen] {
        settle(*options);
        chosen = [options]() -> Outcome {
            if (auto writable = OutputFile::check(options->output); !writable)
                return writable;
            return options->axis || options->find ? runAxis(*options) : sweepBudgets(*options);
        };
    });
}

} // namespace slackscope::cli
