#include "app/cli/output_file.h"

#include "core/profile/input_error.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slackscope::cli {

namespace fs = std::filesystem;

namespace {

tl::unexpected<Failure> notWritten(const std::string& shown, const std::string& reason) {
    return failure(ExitStatus::OutputNotWritten, "cannot write " + shown + ": " + reason);
}

std::string reasonOf(int error) {
    return std::generic_category().message(error);
}

} // namespace

OutputFile::OutputFile(OutputFile&& other) noexcept
    : shown_(std::move(other.shown_)), target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)), descriptor_(std::exchange(other.descriptor_, -1)),
      ownsDescriptor_(std::exchange(other.ownsDescriptor_, false)), error_(other.error_) {
    other.temporary_.clear();
}

OutputFile::~OutputFile() {
    discard();
}

void OutputFile::discard() {
    if (ownsDescriptor_)
        ::close(descriptor_);
    ownsDescriptor_ = false;
    descriptor_ = -1;
    if (!temporary_.empty())
        ::unlink(temporary_.c_str());
    temporary_.clear();
}

bool OutputFile::replacesFile() const {
    std::error_code ignored;
    return !temporary_.empty() && fs::exists(target_, ignored);
}

Outcome OutputFile::check(const std::optional<std::string>& path) {
    struct stat status {};
    if (path && ::stat(path->c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
        if (::access(path->c_str(), W_OK) != 0)
            return notWritten(quotedText(*path), reasonOf(errno));
        return {};
    }
    const auto out = open(path);
    if (!out)
        return tl::unexpected(out.error());
    return {};
}

tl::expected<OutputFile, Failure> OutputFile::open(const std::optional<std::string>& path) {
    if (!path || *path == "-" || *path == "/dev/stdout") {
        OutputFile out;
        out.shown_ = "standard output";
        out.descriptor_ = STDOUT_FILENO;
        return out;
    }
    if (path->empty())
        return notWritten(quotedText(*path), "the name is empty");
    struct stat status {};
    if (::stat(path->c_str(), &status) != 0) {
        if (errno != ENOENT)
            return notWritten(quotedText(*path), reasonOf(errno));
        const fs::path directory = fs::path(*path).parent_path();
        std::error_code error;
        if (!directory.empty() && !fs::is_directory(directory, error))
            return notWritten(quotedText(*path), "there is no directory " + quotedText(directory.string()));
        const mode_t mask = ::umask(0);
        ::umask(mask);
        return openBeside(*path, static_cast<int>(0666U & ~mask));
    }
    if (S_ISDIR(status.st_mode))
        return notWritten(quotedText(*path), "it is a directory; name a file in it");
    if (::access(path->c_str(), W_OK) != 0)
        return notWritten(quotedText(*path), reasonOf(errno));
    if (S_ISREG(status.st_mode))
        return openBeside(*path, static_cast<int>(status.st_mode & 07777U));
    OutputFile out;
    out.shown_ = quotedText(*path);
    out.descriptor_ = ::open(path->c_str(), O_WRONLY | O_CLOEXEC);
    if (out.descriptor_ < 0)
        return notWritten(quotedText(*path), reasonOf(errno));
    out.ownsDescriptor_ = true;
    return out;
}

tl::expected<OutputFile, Failure> OutputFile::openBeside(const std::string& path, int mode) {
    OutputFile out;
    out.shown_ = quotedText(path);
    // A link keeps pointing where it points: its target is replaced, not the link.
    std::error_code error;
    const fs::path resolved = fs::weakly_canonical(path, error);
    out.target_ = error ? path : resolved.string();
    std::string name = out.target_ + ".XXXXXX";
    out.descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (out.descriptor_ < 0)
        return notWritten(quotedText(path), reasonOf(errno));
    out.ownsDescriptor_ = true;
    out.temporary_ = name;
    if (::fchmod(out.descriptor_, static_cast<mode_t>(mode)) != 0)
        return notWritten(quotedText(path), reasonOf(errno));
    return out;
}

void OutputFile::remember(int error) {
    if (!error_)
        error_ = error;
}

void OutputFile::write(std::string_view text) {
    while (!text.empty() && !error_) {
        const ssize_t written = ::write(descriptor_, text.data(), text.size());
        if (written >= 0)
            text.remove_prefix(static_cast<std::size_t>(written));
        else if (errno != EINTR)
            remember(errno);
    }
}

Outcome OutputFile::commit() {
    if (!temporary_.empty() && !error_ && ::fsync(descriptor_) != 0)
        remember(errno);
    if (ownsDescriptor_) {
        ownsDescriptor_ = false;
        if (::close(std::exchange(descriptor_, -1)) != 0)
            remember(errno);
    }
    if (!temporary_.empty() && !error_) {
        if (::rename(temporary_.c_str(), target_.c_str()) == 0)
            temporary_.clear();
        else
            remember(errno);
    }
    if (!error_)
        return {};
    discard();
    // Whoever closed the pipe has read enough: nothing to complain about.
    if (*error_ == EPIPE)
        return failure(ExitStatus::OutputNotWritten, "");
    return notWritten(shown_, reasonOf(*error_));
}

} // namespace slackscope::cli
