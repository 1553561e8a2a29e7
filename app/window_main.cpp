// The program `slackscope-window`: the same command line with Qt behind it. `slackscope` starts it; it can be
// started by hand too.
#include "app/cli/output_file.h"
#include "app/cli/program.h"
#include "app/cli/terminal_progress.h"
#include "ui/figures/export.h"
#include "ui/tradeoff/tradeoff_of_sweep.h"
#include "ui/window/run.h"

#include <QApplication>

#include <cstdlib>
#include <iostream>

namespace slackscope::cli {

namespace {

// While Qt starts: its remarks on the environment help nobody, and where it cannot reach the display it would
// abort. Say so and end as any other wrong call does.
void onlyFatalMessages(QtMsgType type, const QMessageLogContext& /*context*/, const QString& /*message*/) {
    if (type != QtFatalMsg)
        return;
    std::cerr << "slackscope: cannot open a window, because the display cannot be reached; check DISPLAY or "
                 "WAYLAND_DISPLAY, or use 'slackscope plan' and 'slackscope export', which need none.\n";
    std::_Exit(static_cast<int>(ExitStatus::WrongUsage));
}

tl::expected<std::shared_ptr<const figures::StepPicture>, Failure> pictureOf(const PlanOptions& options) {
    auto plan = makePlan(options);
    if (!plan)
        return tl::unexpected(plan.error());
    const auto unlimited =
        findStrategy("keep-all")->prepare(plan->graph, {}, {})->plan(plan->unlimitedPeakBytes);
    return figures::StepPicture::build(std::make_shared<Plan>(std::move(*plan)),
                                       std::make_shared<Plan>(unlimited));
}

figures::ExportRequest requestOf(const PictureRequest& picture) {
    figures::ExportRequest request;
    request.view = *figures::figureView(QString::fromStdString(picture.view));
    request.format = *figures::figureFormat(QString::fromStdString(picture.path));
    request.size = {picture.width, picture.height};
    request.scale = picture.scale;
    request.theme = picture.theme == "dark" ? figures::Theme::dark() : figures::Theme::light();
    request.caption = picture.caption;
    return request;
}

// Beyond, a sweep takes longer than the rest of a picture by far: `all` goes without the tradeoff.
constexpr std::int32_t mostOperatorsForAll = 2'000;

bool showsTradeoff(const figures::ExportRequest& request, const StepGraph& graph) {
    return request.view == figures::FigureView::Tradeoff ||
           (request.view == figures::FigureView::All && figures::hasRoomForTradeoff(request.size) &&
            graph.operatorCount() <= mostOperatorsForAll);
}

std::shared_ptr<const figures::TradeoffCurves> sweptTradeoff(const Plan& plan) {
    TerminalProgress progress("Sweeping the budgets");
    const auto sweep = sweepToDraw(
        plan.graph, plan.pins, [&](double fraction) { progress.show(fraction); }, [] { return false; });
    return tradeoffOf(*sweep);
}

class QtFrontend final : public Frontend {
public:
    explicit QtFrontend(char** argv) : argv_(argv) {}

    tl::expected<int, Failure> openWindow(const std::optional<std::string>& input) override {
        qInstallMessageHandler(onlyFatalMessages);
        QApplication application(argc_, argv_);
        qInstallMessageHandler(nullptr);
        WindowStart start;
        if (input)
            start.input = QString::fromStdString(*input);
        return runWindow(application, start);
    }

    Outcome exportPicture(const PlanOptions& plan, const PictureRequest& picture) override {
        const auto shown = pictureOf(plan);
        if (!shown)
            return tl::unexpected(shown.error());
        qputenv("QT_QPA_PLATFORM", "offscreen");
        qInstallMessageHandler(onlyFatalMessages);
        const QApplication application(argc_, argv_);
        figures::ExportRequest request = requestOf(picture);
        if (figures::refusal(request).isEmpty() && showsTradeoff(request, (*shown)->graph()))
            request.tradeoff = sweptTradeoff((*shown)->plan());
        const auto bytes = figures::renderFigure(*shown, request);
        if (!bytes)
            return failure(ExitStatus::WrongUsage, bytes.error().toStdString());
        auto out = OutputFile::open(picture.path);
        if (!out)
            return tl::unexpected(out.error());
        out->write({bytes->constData(), static_cast<std::size_t>(bytes->size())});
        return endExport(*out, (*shown)->plan(), picture.path);
    }

private:
    int argc_ = 1; // Qt gets the program's name only: the options are ours
    char** argv_;
};

} // namespace

} // namespace slackscope::cli

int main(int argc, char** argv) {
    slackscope::cli::QtFrontend frontend(argv);
    return slackscope::cli::runProgram(argc, argv, frontend);
}
