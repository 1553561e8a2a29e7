// A valid profile laid out for walking: flat arrays, who reads what and when.
//
// Positions below are operator indices; the backward pass visits operators in reverse, so "first backward
// use" is the largest index. All spans point into the graph and live as long as it does.
#pragma once

#include "core/profile/profile.h"

#include <tl/expected.hpp>

#include <memory>
#include <span>

namespace slackscope {

inline constexpr std::int32_t none = -1; // no such operator or tensor

// Compressed rows: row i is items[offsets[i] .. offsets[i + 1]).
struct Rows {
    std::vector<std::int32_t> offsets{0};
    std::vector<std::int32_t> items;
    std::span<const std::int32_t> operator[](std::int32_t row) const {
        const auto begin = static_cast<std::size_t>(offsets[static_cast<std::size_t>(row)]);
        const auto end = static_cast<std::size_t>(offsets[static_cast<std::size_t>(row) + 1]);
        return std::span(items).subspan(begin, end - begin);
    }
};

class StepGraph {
public:
    // Takes the profile over; refuses one that `validate` refuses.
    static tl::expected<std::shared_ptr<const StepGraph>, ProfileError> build(Profile profile);

    const Profile& profile() const { return profile_; }
    std::int32_t operatorCount() const { return static_cast<std::int32_t>(profile_.operators.size()); }
    std::int32_t tensorCount() const { return static_cast<std::int32_t>(profile_.tensors.size()); }
    const Operator& op(OperatorIndex i) const { return profile_.operators[static_cast<std::size_t>(i)]; }
    const Tensor& tensor(TensorIndex i) const { return profile_.tensors[static_cast<std::size_t>(i)]; }

    // Per operator, without duplicates, in profile order.
    std::span<const TensorIndex> inputs(OperatorIndex i) const { return inputs_[i]; }
    std::span<const TensorIndex> outputs(OperatorIndex i) const { return outputs_[i]; }
    std::span<const TensorIndex> saved(OperatorIndex i) const { return saved_[i]; }
    // Gradients whose residency starts with, and ends with, backward(i); only those with bytes.
    std::span<const TensorIndex> gradientsOpened(OperatorIndex i) const { return gradientsOpened_[i]; }
    std::span<const TensorIndex> gradientsClosed(OperatorIndex i) const { return gradientsClosed_[i]; }
    Bytes gradientBytesOpened(OperatorIndex i) const { return gradientBytesOpened_[at(i)]; }
    Bytes gradientBytesClosed(OperatorIndex i) const { return gradientBytesClosed_[at(i)]; }

    // Per tensor. Consumers ascend; savers ascend.
    OperatorIndex producer(TensorIndex t) const { return producer_[at(t)]; } // none: a profile input
    std::span<const OperatorIndex> consumers(TensorIndex t) const { return consumers_[t]; }
    std::span<const OperatorIndex> savers(TensorIndex t) const { return savers_[t]; }
    bool isSaved(TensorIndex t) const { return !savers(t).empty(); }
    // Last operator whose forward touches the tensor: last consumer, else the producer, else none.
    OperatorIndex lastForwardUse(TensorIndex t) const { return lastForwardUse_[at(t)]; }
    OperatorIndex firstBackwardUse(TensorIndex t) const { return savers(t).back(); } // saved tensors only
    OperatorIndex lastBackwardUse(TensorIndex t) const { return savers(t).front(); } // saved tensors only
    // Whether it can be made again in the backward pass from profile inputs and saved tensors that cannot be
    // recomputed themselves: its producer is recomputable and so, recursively, are the transient and the
    // recomputable inputs of that.
    bool canRecompute(TensorIndex t) const { return canRecompute_[at(t)] != 0; }

    Nanoseconds offloadNs(TensorIndex t) const { return offloadNs_[at(t)]; }
    Nanoseconds prefetchNs(TensorIndex t) const { return prefetchNs_[at(t)]; }

    // Tensors that some backward reads, ascending: the ones that get a decision.
    std::span<const TensorIndex> savedTensors() const { return savedTensors_; }
    // Profile inputs: tensors without a producer, ascending.
    std::span<const TensorIndex> profileInputs() const { return profileInputs_; }

    Nanoseconds forwardNs() const { return forwardNs_; }   // sum over operators
    Nanoseconds backwardNs() const { return backwardNs_; } // sum over operators
    Nanoseconds idealNs() const { return forwardNs_ + backwardNs_; }

private:
    explicit StepGraph(Profile profile);
    static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
    void findUses();
    void findGradients();
    void findRecomputable();

    Profile profile_;
    Rows inputs_, outputs_, saved_, gradientsOpened_, gradientsClosed_, consumers_, savers_;
    std::vector<OperatorIndex> producer_, lastForwardUse_;
    std::vector<Bytes> gradientBytesOpened_, gradientBytesClosed_;
    std::vector<char> canRecompute_;
    std::vector<Nanoseconds> offloadNs_, prefetchNs_;
    std::vector<TensorIndex> savedTensors_, profileInputs_;
    Nanoseconds forwardNs_ = 0;
    Nanoseconds backwardNs_ = 0;
};

} // namespace slackscope
