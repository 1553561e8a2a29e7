// The commands of the program. Each file of this folder that is named after a command adds that command.
#pragma once

#include "app/cli/outcome.h"
#include "app/cli/output_file.h"
#include "app/cli/plan_options.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace CLI { // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace slackscope::cli {

// What needs Qt. The headless program hands these over to the windowed one.
struct PictureRequest {
    std::string path; // ends with .png, .svg or .pdf
    std::string view;
    std::string theme;
    int width = 1600; // logical pixels
    int height = 900;
    double scale = 1;
    bool caption = true;
};

class Frontend {
public:
    virtual ~Frontend() = default;
    // Shows the window until it is closed; the program's exit status. No input: the default sample.
    virtual tl::expected<int, Failure> openWindow(const std::optional<std::string>& input) = 0;
    // Draws the plan that the options mean, and ends as endExport does.
    virtual Outcome exportPicture(const PlanOptions& plan, const PictureRequest& picture) = 0;
};

// Ends an export: the file appears, and an infeasible plan's failure is returned. Such a plan says so in a
// new file, but never takes the place of one that is there: that may hold the picture of one that works.
Outcome endExport(OutputFile& out, const Plan& plan, const std::string& path);

// What the chosen command does.
using Chosen = std::function<Outcome()>;

void addProfileCommand(CLI::App& program, Chosen& chosen);
void addPlanCommand(CLI::App& program, Chosen& chosen);
void addSweepCommand(CLI::App& program, Chosen& chosen);
void addExportCommand(CLI::App& program, Chosen& chosen, Frontend& frontend);
void addListCommand(CLI::App& program, Chosen& chosen);

} // namespace slackscope::cli
