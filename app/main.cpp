// The program `slackscope`: everything that needs no Qt. A window or a picture is handed over, with the same
// arguments, to slackscope-window, so that the rest starts in a few milliseconds and runs where Qt is not
// installed.
#include "app/cli/program.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace slackscope::cli {

namespace {

namespace fs = std::filesystem;

class HandOver final : public Frontend {
public:
    explicit HandOver(char** argv) : argv_(argv) {}

    tl::expected<int, Failure> openWindow(const std::optional<std::string>& /*input*/) override {
        return tl::unexpected(run());
    }
    Outcome exportPicture(const PlanOptions& /*plan*/, const PictureRequest& /*picture*/) override {
        return tl::unexpected(run());
    }

private:
    // Returns only when it failed.
    Failure run() {
        const fs::path here = ownPath().parent_path();
        for (const fs::path& candidate :
             {here / "slackscope-window", here / SLACKSCOPE_LIBEXEC / "slackscope-window"}) {
            if (::access(candidate.c_str(), X_OK) == 0) {
                ::execv(candidate.c_str(), argv_);
                return {ExitStatus::InternalError,
                        "cannot start " + candidate.string() + ": " + std::generic_category().message(errno)};
            }
        }
        return {ExitStatus::InternalError, "slackscope-window, which draws windows and pictures, is not "
                                           "beside this program; build or install "
                                           "both together, or make a link to this one."};
    }

    // Where this program lies; in a bare chroot without /proc, as it was called.
    fs::path ownPath() const {
        std::error_code error;
        fs::path own = fs::read_symlink("/proc/self/exe", error);
        if (error)
            own = fs::canonical(argv_[0], error);
        return own;
    }

    char** argv_;
};

} // namespace

} // namespace slackscope::cli

int main(int argc, char** argv) {
    slackscope::cli::HandOver frontend(argv);
    return slackscope::cli::runProgram(argc, argv, frontend);
}
