// Where a command's result goes: standard output, or a file that appears whole or not at all.
#pragma once

#include "app/cli/outcome.h"

#include <optional>
#include <string>
#include <string_view>

namespace slackscope::cli {

// A file is written beside its target and renamed over it by `commit`; until then, and after any failure, the
// target stays as it was. Devices and pipes are written to directly. Only one failure is kept; writing goes
// on without effect after it.
class OutputFile {
public:
    // No path, "-" or /dev/stdout: standard output.
    static tl::expected<OutputFile, Failure> open(const std::optional<std::string>& path);

    // Whether `open` would succeed, for before long work; leaves nothing behind and opens no device or pipe.
    static Outcome check(const std::optional<std::string>& path);

    OutputFile(OutputFile&& other) noexcept;
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    OutputFile& operator=(OutputFile&&) = delete;
    ~OutputFile(); // without commit: removes what was written

    // Whether `commit` would take the place of a file.
    bool replacesFile() const;
    void write(std::string_view text);
    Outcome commit();

private:
    OutputFile() = default;
    static tl::expected<OutputFile, Failure> openBeside(const std::string& path, int mode);
    void remember(int error);
    void discard();

    std::string shown_;     // for error sentences
    std::string target_;    // links resolved
    std::string temporary_; // empty: written directly
    int descriptor_ = -1;
    bool ownsDescriptor_ = false;
    std::optional<int> error_; // errno of the first failed write
};

} // namespace slackscope::cli
