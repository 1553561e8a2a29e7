// A program: what the GPU is told to do in one step. A planner writes `Instructions`; `Program::assemble`
// checks them against the physics that do not depend on time and turns them into the flat arrays that the
// simulator runs.
//
// Everything that a program says is said by position: compute item i is `instructions.compute[i]`, and
// "after i" means "once compute item i has ended". `after` = none (-1) means the start of the step.
#pragma once

#include "core/profile/step_graph.h"

#include <tl/expected.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace slackscope {

enum class ComputeKind : std::uint8_t { Forward, Backward, Recompute };

struct ComputeItem {
    OperatorIndex op = none;
    ComputeKind kind = ComputeKind::Forward;
    bool operator==(const ComputeItem&) const = default;
};

// Ends the residency of `tensor` when compute item `after` has ended, or, where an offload of that residency
// has not ended by then, when the offload has. Gradients and workspaces need no release: the physics fix
// theirs. What is never released stays to the end of the step.
struct Release {
    TensorIndex tensor = none;
    std::int32_t after = none;
};

// A copy to the host: may start once compute item `after` has ended, when it is the first waiting item of its
// stream. The tensor must be resident and ready at that position. At most one per tensor.
struct Offload {
    TensorIndex tensor = none;
    std::int32_t after = none;
};

// A copy back: may start once compute item `after` has ended, the tensor's offload has ended, there is room,
// and it is the first waiting item of its stream. Some compute item must read it before it is released.
struct Prefetch {
    TensorIndex tensor = none;
    std::int32_t after = none;
};

struct Instructions {
    std::vector<ComputeItem> compute; // in stream order
    std::vector<Release> releases;    // ascending `after`
    std::vector<Offload> offloads;    // in stream order; `after` ascends, so that no copy blocks an older one
    std::vector<Prefetch> prefetches; // in stream order; `after` ascends
};

// Why instructions are not a program: the position at which the first fault shows, and what it is.
struct ProgramError {
    std::int32_t position = none;
    std::string reason;
};

enum class BufferKind : std::uint8_t { Tensor, Gradient, Workspace };
enum class Opening : std::uint8_t { StepStart, ComputeStart, PrefetchStart };

// An interval during which a buffer occupies device memory, in terms of items; see `residencySpan`.
struct Residency {
    BufferKind buffer = BufferKind::Tensor;
    Opening opening = Opening::StepStart;
    std::int32_t id = none;      // tensor index; operator index for a workspace
    std::int32_t opener = none;  // compute item or prefetch
    std::int32_t closer = none;  // compute item at whose end it closes
    std::int32_t offload = none; // it closes no earlier than this offload's end
    Bytes bytes = 0;
};

class Program {
public:
    // Checks: forwards in profile order, then backwards in reverse with recomputes among them; every read
    // tensor resident or on its way; every copy of a tensor that is there; the host limit; no release of what
    // is not resident. Whether it fits a budget is for the simulator to say.
    static tl::expected<Program, ProgramError> assemble(std::shared_ptr<const StepGraph> graph,
                                                        Instructions instructions);

    const StepGraph& graph() const { return *graph_; }
    const std::shared_ptr<const StepGraph>& sharedGraph() const { return graph_; }
    const Instructions& instructions() const { return instructions_; }
    // Every residency of the step; those of zero-byte buffers are left out. Built on demand, O(items).
    std::vector<Residency> residencies() const;

    // What the simulator runs. Sizes in bytes, durations in nanoseconds.
    struct ComputeStep {
        Nanoseconds durationNs = 0;
        Bytes allocated = 0;          // at its start: outputs, workspace, new gradients
        Bytes freed = 0;              // at its end, releases that wait for an offload not included
        std::int32_t prefetch = none; // starts after this prefetch has ended (and so all earlier ones)
        std::int32_t offload = none;  // starts after this offload has ended: it rewrites that tensor
    };
    struct OffloadStep {
        Nanoseconds durationNs = 0;
        Bytes bytes = 0;
        std::int32_t after = none;
        std::int32_t releasedAfter = none; // the residency closes no earlier than this compute item's end
    };
    struct PrefetchStep {
        Nanoseconds durationNs = 0;
        Bytes bytes = 0;
        std::int32_t after = none;
        std::int32_t offload = none; // position of the tensor's offload
    };
    std::span<const ComputeStep> computeSteps() const { return computeSteps_; }
    std::span<const OffloadStep> offloadSteps() const { return offloadSteps_; }
    std::span<const PrefetchStep> prefetchSteps() const { return prefetchSteps_; }
    // Offloads by ascending `releasedAfter`.
    std::span<const std::int32_t> offloadsByRelease() const { return offloadsByRelease_; }
    Bytes initialBytes() const { return initialBytes_; } // resident before the first item: profile inputs
    std::int64_t itemCount() const {
        return static_cast<std::int64_t>(computeSteps_.size() + offloadSteps_.size() + prefetchSteps_.size());
    }

private:
    friend class Assembler;
    std::shared_ptr<const StepGraph> graph_;
    Instructions instructions_;
    std::vector<ComputeStep> computeSteps_;
    std::vector<OffloadStep> offloadSteps_;
    std::vector<PrefetchStep> prefetchSteps_;
    std::vector<std::int32_t> offloadsByRelease_;
    Bytes initialBytes_ = 0;
};

} // namespace slackscope
