#include "core/input/step_writer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slackscope {

void StepWriter::beginPart(std::string prefix, std::optional<int> layer) {
    prefix_ = std::move(prefix);
    layer_ = layer;
}

TensorIndex StepWriter::tensor(const std::string& name, std::string kind, Bytes bytes, Gradient gradient) {
    profile_.tensors.push_back(
        {prefix_ + name, std::move(kind), bytes, gradient == Gradient::Yes ? bytes : Bytes{0}});
    return static_cast<TensorIndex>(profile_.tensors.size() - 1);
}

void StepWriter::add(Step step) {
    Operator op;
    op.id = prefix_ + step.name;
    op.kind = std::move(step.kind);
    op.layer = layer_;
    op.forwardNs = timeOf(step.forward);
    op.backwardNs = timeOf(step.backward);
    op.inputs = std::move(step.inputs);
    op.outputs = std::move(step.outputs);
    op.saved = std::move(step.saved);
    op.forwardWorkspaceBytes = step.forwardWorkspaceBytes;
    op.backwardWorkspaceBytes = step.backwardWorkspaceBytes;
    profile_.operators.push_back(std::move(op));
}

Bytes StepWriter::size(std::initializer_list<std::int64_t> factors) {
    Wide product = 1;
    for (const std::int64_t factor : factors) {
        product *= factor;
        if (product > largestQuantity) {
            tooLarge_ = true;
            product = largestQuantity;
        }
    }
    return static_cast<Bytes>(product);
}

Nanoseconds StepWriter::timeOf(const std::vector<Kernel>& kernels) {
    double ns = 0;
    for (const Kernel& kernel : kernels)
        ns += static_cast<double>(kernel.launches) *
              (std::max(kernel.flops / roofline_.flopsPerS, kernel.bytes / roofline_.bytesPerS) * 1e9 +
               roofline_.launchNs);
    if (!(ns < static_cast<double>(largestQuantity))) {
        tooLarge_ = true;
        return largestQuantity;
    }
    return std::llround(ns);
}

} // namespace slackscope
