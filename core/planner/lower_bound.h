// A step time that no program can beat at a budget.
//
// It is the optimum of a linear program whose constraints every program of the simulation model obeys. Given
// any program that runs to its end within the budget, set the variables as follows; each constraint then
// holds, so the program's step time is at least the optimum.
//
//   z_j in [0, 1]   operator j is recomputed at least once, and something reads what that wrote (a recompute
//                   that nothing reads is taken for waiting)
//   r_t in [0, 1]   saved tensor t is written by a recompute at least once: r_t <= z_producer(t)
//   o_t in [0, 1]   tensor t is offloaded and leaves the device while it idles (see Memory), and a prefetch
//                   brings it back: before its first backward use if it is saved, before the first recompute
//                   that reads it if it is transient and no forward wants it any more
//   h_u in [0, 1]   transient tensor u stays resident from its last forward use to the end of the forward
//   pass w_p >= 0        compute time that is neither forward nor backward (stalls and recomputes) between
//   the
//                   sampled position before p and p
//
// Recompute. If operator j runs again, each transient input u of it was held, was brought back from the host,
// or was itself written again: z_j <= h_u + o_u + z_producer(u). Saved inputs need no constraint here.
// All recomputes together take part of the waiting time of the backward pass: sum of w_p over the backward
// positions >= sum of z_j forward_ns_j.
//
// Memory, at every sampled compute item p. What the item itself needs is resident: inputs and outputs or
// saved tensors, workspace, and the gradients that are open by rule 3. Besides, a tensor idles at p if p does
// not read it but a forward or its first backward use will; profile inputs idle to the end of the step. An
// idle tensor is resident, unless it was dropped (only after its last forward use, and then r_t = 1) or it
// left for the host (then o_t = 1): so it counts with 1 - r_t, respectively 1, and a sum X_p is taken off,
// the bytes of the idle tensors that have left for the host by then, where r_t = 0 or p is before the last
// forward use. X_p is at most the sum of o_t bytes_t over the idle tensors. A transient that
// is held or offloaded counts, and may be taken off like the others, from its last forward use to the end of
// the forward pass. In the backward pass, what prefetches have brought back of saved tensors that no backward
// has read yet counts again: at least Y_p - U_p (below) less the bytes of all offloaded transients.
//
// Streams. C_p, the bytes that device-to-host has copied when p starts, parts of copies included, grows by at
// most the best rate of any tensor (bytes / copy time, latency included) times the time that passes, and is
// at most the bytes of the offloaded tensors that had been produced. Y_p, the same for the last prefetch of
// each tensor before its first backward use, grows at the best rate of that direction, is at most C_p, and at
// each backward is at least U_p, the bytes of the offloaded tensors whose first backward use is this or an
// earlier one. Tensors that left and have not been read are not among those: X_p <= C_p - U_p. On a
// half-duplex link both streams share the passing time. The host limit bounds the sum of o_t bytes_t.
//
// Leaving out positions only removes constraints, so sampling them keeps the bound valid.
//
// The solver works in floating point and is not trusted: its dual prices are only a proposal. For any prices
// whatever, the Lagrangian dual value with every variable at its cheaper end is a lower bound of the optimum
// (weak duality); that value is computed here from the constraints themselves, less a margin of 1e-12 of the
// sum of the absolute values of its terms, which covers the rounding of the sum.
#pragma once

#include "core/profile/step_graph.h"

#include <memory>

namespace slackscope {

class LowerBound {
public:
    // Compute items at which memory is counted: all of small profiles, else this many.
    static constexpr std::int32_t mostPositions = 96;

    // Larger profiles get the ideal time, which is a bound too: their program would take minutes to solve.
    static constexpr std::int32_t mostOperators = 20'000;

    explicit LowerBound(std::shared_ptr<const StepGraph> graph, std::int32_t positions = mostPositions);
    ~LowerBound();
    LowerBound(LowerBound&&) noexcept;
    LowerBound& operator=(LowerBound&&) noexcept;

    // At least the ideal time. Budgets may come in any order; a budget near the one before is solved faster.
    Nanoseconds stepNs(Bytes budget);

private:
    class Model;
    std::unique_ptr<Model> model_; // absent on larger profiles
    Nanoseconds idealNs_ = 0;
};

} // namespace slackscope
