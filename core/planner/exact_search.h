// The fastest of all programs, by looking at every one: for profiles of a few operators.
//
// A best-first search (A*) over the states of the machine at the instants at which something ends. That is
// enough: take any run of any program, keep the order of all its starts and ends, and move every start to the
// latest of the starts and ends before it. Items only move forward in time; at each start no more has been
// allocated and no less has ended than before, so the run still obeys the simulation model, and now every
// start falls on the step's start or on an end.
//
// A state is: forwards and backwards ended; tensors resident; tensors on the host; the item running on each
// stream, what it still needs, and which tensors it writes. From a state the search tries every next compute
// item, every recompute that writes something absent of use, every offload, every prefetch, and leaving
// streams idle. What is left out, and why nothing is lost:
//   - Buffers are released only to make room for an allocation at that instant, and never more than it takes:
//     a later release can be made later (releases come before allocations).
//   - Buffers that no later item can read are released at once; profile inputs only once they are on the host
//     (rule 9). Host copies of those are forgotten where there is no host limit.
//   - A state is dropped when another of the same position and the same running items is no later and has all
//     its resident tensors and host copies (the same host copies under a host limit): it can do the same.
//   - Tensors of no bytes are never released, so they are always there once written.
//   - What a running item writes and what a prefetch brings stays to the end of that item (rules 1 and 6).
// The order of choices at one instant is compute, offload, prefetch: no start makes room for another.
//
// The estimate of what remains is the sum of the items not yet started, what the running one still needs, and
// the forward time of every operator that must run again because a backward, or such an operator, reads an
// output that is neither resident nor on the host; or, where that is more, for some later backward: all
// prefetches that must have ended before it plus all compute items from there. Each is less than what any run
// from that state takes, so the least estimate among the states still open bounds every program from below,
// whenever the search stops.
#pragma once

#include "core/profile/step_graph.h"

#include <memory>

namespace slackscope {

class ExactSearch {
public:
    // Tensors and operators fit a word of bits each; more are refused.
    static constexpr std::int32_t mostOperators = 64;
    static constexpr std::int32_t mostTensors = 64;

    struct Result {
        Nanoseconds boundNs = 0; // no program takes less
        bool optimal = false;    // the search ended: no tighter bound comes of it
        bool infeasible = false; // there is no program: `boundNs` is without meaning
        std::int64_t states = 0; // states stored
    };

    static bool fits(const StepGraph& graph) {
        return graph.operatorCount() <= mostOperators && graph.tensorCount() <= mostTensors;
    }

    // The graph must fit.
    explicit ExactSearch(std::shared_ptr<const StepGraph> graph);

    // Stops at `mostStates` stored states, or when the choices tried are many times that. The same on every
    // machine.
    Result run(Bytes budget, std::int64_t mostStates) const;

private:
    struct State;
    class Run;
    using Bits = std::uint64_t;

    std::shared_ptr<const StepGraph> graph_;
    std::int32_t operators_;
    // By operator; tensors of no bytes are left out of every set.
    std::vector<Bits> inputs_, outputs_, saved_;
    // By count of forwards and backwards ended.
    std::vector<Bits> live_;               // may be read by an item that has not ended
    std::vector<Bits> forwardReads_;       // by forwards that have not ended
    std::vector<Bits> backwardReads_;      // by backwards that have not ended
    std::vector<Nanoseconds> remainingNs_; // of the items that have not ended
    std::vector<Bytes> gradients_;         // open between this item and the one before
    Bits profileInputs_ = 0;
};

} // namespace slackscope
