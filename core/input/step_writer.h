// Writes the operators and tensors of an analytic step, with times by the roofline model (transformer.h).
#pragma once

#include "core/profile/profile.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace slackscope {

// Speeds as reached, not as specified.
struct Roofline {
    double flopsPerS = 0;
    double bytesPerS = 0;
    double launchNs = 0;
};

// A kernel and how often it is launched: arithmetic on the matrix units and bytes of device memory, per
// launch.
struct Kernel {
    double flops = 0;
    double bytes = 0;
    std::int64_t launches = 1;
};

enum class Gradient { Yes, No }; // a gradient has the size of its tensor

struct Step {
    std::string name;
    std::string kind;
    std::vector<Kernel> forward;
    std::vector<Kernel> backward;
    std::vector<TensorIndex> inputs;
    std::vector<TensorIndex> outputs;
    std::vector<TensorIndex> saved;
    Bytes forwardWorkspaceBytes = 0;
    Bytes backwardWorkspaceBytes = 0;
};

class StepWriter {
public:
    StepWriter(Profile& profile, const Roofline& roofline) : profile_(profile), roofline_(roofline) {}

    // Prefix of the ids that follow, and their layer.
    void beginPart(std::string prefix, std::optional<int> layer);
    TensorIndex tensor(const std::string& name, std::string kind, Bytes bytes, Gradient gradient);
    void add(Step step);

    // Product of non-negative factors. One that passes 2^53 gives 2^53 and makes the whole step too large.
    Bytes size(std::initializer_list<std::int64_t> factors);
    bool tooLarge() const { return tooLarge_; }
    Bytes bytesOf(TensorIndex tensor) const {
        return profile_.tensors[static_cast<std::size_t>(tensor)].bytes;
    }

private:
    Nanoseconds timeOf(const std::vector<Kernel>& kernels);

    Profile& profile_;
    Roofline roofline_;
    std::string prefix_;
    std::optional<int> layer_;
    bool tooLarge_ = false;
};

} // namespace slackscope
