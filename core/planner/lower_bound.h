// A step time that no program can beat at a budget: the greater of two bounds, a linear program for all
// profiles but the very largest and, for those of a few operators, the search of exact_search.h, which looks
// at every program until it has found the fastest or met its limit of states.
//
// The linear program's bound is the optimum of a linear program whose constraints every program of the
// simulation model obeys. Given any program that runs to its end within the budget, set the variables as
// follows; each constraint then holds, so the program's step time is at least the optimum.
//
//   z_j in [0, 1]   operator j is recomputed, and some item reads what that wrote, directly or from a
//                   host copy of it (a recompute that nothing reads is taken for waiting)
//   r_t in [0, 1]   saved tensor t is written by such a recompute before its first backward use:
//                   r_t <= z_producer(t)
//   q_t in [0, 1]   otherwise, t leaves the device between its last forward and its first backward use, and a
//                   prefetch brings it back: r_t + q_t <= 1. A recompute has not written it, so it left when
//                   its copy to the host had ended. Where t has no r_t, q_t is o_t
//   o_t in [0, 1]   tensor t is offloaded and leaves the device while it idles (see Memory), and, unless it
//                   is a profile input that no backward reads, a prefetch brings it back that an item reads
//                   (a recompute only if z counts it): before its first backward use if it is saved, and if
//                   it is transient, before the next forward or the first recompute that reads it; q_t <= o_t
//   h_u in [0, 1]   transient tensor u stays from its last forward use to the end of the forward pass, or has
//                   no bytes
//   w_p >= 0        compute time that is neither forward nor backward (stalls and recomputes) between the
//                   sampled position before p and p
//
// Recompute. If operator j runs again, each transient input u of it was held, was brought back from the
// host, or was itself written again: z_j <= h_u + o_u + z_producer(u). Saved inputs need no constraint here.
// All recomputes together take part of the waiting time of the backward pass: the sum of w_p over the
// backward positions is at least the sum of z_j forward_ns_j.
//
// Memory, at every sampled compute item p. What the item itself needs is resident: inputs and outputs or
// saved tensors, workspace, and the gradients that are open by rule 3. Besides, a tensor idles at p if p
// does not read it but a later forward or its first backward use does; profile inputs idle to the end of the
// step. P_p adds up the idle tensors: each counts whole before its last forward use, and with 1 - r_t after
// it (there it may be dropped, and then r_t = 1); a transient that is held or offloaded counts with
// h_u + o_u from its last forward use to the end of the forward pass. X_p is the bytes of those idle tensors
// that have left for the host at some time before p, having o_t = 1, and q_t = 1 if p is past their last
// forward use: at most the sum of o_t bytes_t, or q_t bytes_t, over the idle tensors. V_p is the bytes that
// prefetches have brought back of saved tensors with q_t = 1 that no backward has read yet, counted for the
// last prefetch before the first backward use. Whatever became of a tensor, it is resident at p with at least
// its share of P_p - X_p + V_p: never left, 1; left, 0; brought back, 1; dropped, 0. In the forward pass V_p
// is left out, which takes less.
//
// Streams. C_p, the bytes of tensors with o_t = 1 that device-to-host has copied when p starts, parts of
// copies included, grows by at most the best rate of any tensor (bytes / copy time, latency included) times
// the time that passes, and is at most the bytes of those that had been produced. Y_p, the same for the last
// prefetch of each saved tensor with q_t = 1 before its first backward use and the first of each transient,
// grows at the best rate of that direction and is at most C_p. U_p is the bytes of the saved tensors with
// q_t = 1 whose first backward use is at p or earlier; F_p, of the transients with o_u = 1 for whose
// recompute it is too late at p: a recompute serves a backward that reads some saved tensor downstream, so it
// comes before the last of those. Then Y_p >= U_p + F_p at every backward; X_p <= C_p - U_p - F_p, for what
// has left and was not read is not among those; and V_p >= Y_p - U_p - (the bytes of all transients with o_u
// = 1). On a half-duplex link both streams share the passing time. The host limit bounds the sum of o_t
// bytes_t.
//
// Leaving out positions only removes constraints, so sampling them keeps the bound valid.
//
// On profiles of up to mostStagedOperators operators, stage_rows.h adds rows of each budget: what is brought
// or written again between two full items must be so wholly in between. There every variable is 0 or 1, which
// cuts.h and branching.h make use of; so are z, r, q, o and h here.
//
// How the solver's answer becomes a bound without trusting it: linear_program.h.
#pragma once

#include "core/planner/exact_search.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace slackscope {

class LowerBound {
public:
    // Compute items at which memory is counted: all of small profiles, else this many.
    static constexpr std::int32_t mostPositions = 96;

    // Larger profiles get the ideal time, which is a bound too: their program would take minutes to solve.
    static constexpr std::int32_t mostOperators = 20'000;

    // Larger profiles go without the rows of stage_rows.h, which would make their program slow to solve.
    static constexpr std::int32_t mostStagedOperators = 64;

    // Profiles up to this size are searched too, up to so many states: some ten milliseconds at most.
    static constexpr std::int32_t mostSearchedOperators = 12;
    static constexpr std::int64_t mostStates = 20'000;

    explicit LowerBound(std::shared_ptr<const StepGraph> graph, std::int32_t positions = mostPositions,
                        std::int64_t states = mostStates);
    ~LowerBound();
    LowerBound(LowerBound&&) noexcept;
    LowerBound& operator=(LowerBound&&) noexcept;

    // Where the linear program of a profile of up to mostStagedOperators operators proves too little: rounds
    // of cuts (cuts.h), those in a row that hardly help, and linear programs after that (branching.h).
    static constexpr int mostRounds = 20;
    static constexpr int mostStalled = 8;
    static constexpr int mostBranches = 16;

    // Where what that proves is less than so much of what is asked for: once more, with so many rounds of
    // cuts from so many vertices besides the optimum, whose costs differ by up to so many parts of the ideal
    // time.
    static constexpr Nanoseconds hardBelowPercent = 95;
    static constexpr int mostHardRounds = 40;
    static constexpr int mostHardStalled = 10;
    static constexpr int hardVertices = 2;
    static constexpr double hardAside = 1e-4;

    // At least the ideal time. The same whatever budgets were asked for before. Cuts and branches only where
    // what is proved comes to less than 99.9 % of `planNs`, the step time of a plan that the bound stands
    // beside (0: not at all), up to which the bound depends on it; where `stop` asks for an end, what is
    // proved by then.
    Nanoseconds stepNs(Bytes budget, Nanoseconds planNs = 0, const std::function<bool()>& stop = {});

    // The bounds of many budgets, each solved from where the one before it ended, which is some ten times
    // faster: best in descending order. Equal to stepNs' (without a plan) but for the last digits,
    // where any program fits the budget; the same list gives the same bounds. Where `stop` asks for an end,
    // those found so far.
    std::vector<Nanoseconds> stepsNs(std::span<const Bytes> budgets, const std::function<bool()>& stop = {});

private:
    class Model;
    // The better of a bound and what the search of small profiles finds.
    Nanoseconds searched(Bytes budget, Nanoseconds bound);

    std::unique_ptr<Model> model_;      // absent on larger profiles
    std::optional<ExactSearch> search_; // on small ones
    std::int64_t states_ = 0;
    Nanoseconds idealNs_ = 0;
};

} // namespace slackscope
