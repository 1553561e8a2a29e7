// Rows of the lower bound's linear program (lower_bound.h has the others, and the meaning of its variables)
// that come from the fullest items of the backward pass, and depend on the budget: beside such an item there
// is no room for some tensor whatever is decided, so that each copy of it lies wholly on one side.
//
// Some backwards beside which a tensor that is still needed has no room, those with the least room first, and
// behind each of them the next item that reads such a tensor, cut the backward pass into stages. The first
// item of the first stage is the last forward; a stage lasts from the end of its first item to the end of its
// last item, which is the first of the next stage, or to the end of the step. A recompute is useful if an
// item reads what it wrote, directly or from a host copy of it; an item here is a forward, a backward or a
// useful recompute. The host copy of t is useful if o_t = 1 or an item reads a prefetch of it. Given any
// program that runs to its end within the budget, set for each stage s
//
//   x_js = 1   operator j runs usefully in the stage
//   k_ts = 1   when the first item ends, tensor t is resident or a copy is bringing it, that item does not
//              touch it, and that residency is of use later: an item reads it, or the copy of g_ts does
//   v_ts = 1   when the first item ends, a copy is bringing t that some item reads and that started after the
//              first item of the stage before had ended
//   a_ts = 1   a prefetch of t that some useful item reads lies wholly within the stage, and before the first
//              forward or backward in it that reads t, or, where none does, before the last item starts
//   b_ts = 1   no forward or backward of the stage reads t, and such a prefetch starts in the stage and ends
//              while the last item runs
//   y_t = 1    the host copy of t is useful
//   g_ts = 1   besides, the first offload of t ends in the stage. The time up to the end of the first stage's
//              first item is a stage here too: s = -1
//
// and zero otherwise. Tensors of no bytes are always there and left out. Then:
//
// Room. What the first item needs and the sum of k_ts bytes_t are at most the budget; so, among the tensors
// that are larger than the n-th part of what the item leaves, at most n - 1 are there. The link brings one
// tensor at a time: the sum of v_ts over t is at most one.
//
// Sources. Let t be read in the stage by the first of its forwards and backwards that read t, without being
// touched by the stage's first item. The residency that is read was open when the first item ended, or was
// opened by a prefetch or a recompute since: k_ts + a_ts + x_js >= 1 with j the producer. The same holds for
// each input t of a useful recompute of operator i in the stage, which ends before the last item starts (and
// where a backward of the stage reads t the sum is one anyway): x_is <= k_ts + a_ts + x_js. And a tensor that
// nothing touches from the first item to the last is there when that ends only if it was, has come, was
// written, or is coming: k_t,s+1 <= k_ts + a_ts + b_ts + x_js + v_t,s+1.
//
// Offloads. The sum of g_ts over the stages is y_t. For s >= 0, g_ts = f_ts + e_ts: a copy that runs when the
// stage's first item ends, or one that starts later. As there is no host copy before it, what such a copy
// reads was open when the first item ended or was written again in the stage: f_ts <= k_ts and e_ts + f_ts <=
// k_ts + x_js, unless the first item touches t or t is a profile input. What useful items read was fetched
// after that: a_ts, b_ts and v_t,s+1 are at most the sum of g_ts' over the stages up to s. Only one copy of a
// direction runs at a time: the sum of f_ts over t is at most one, on a half-duplex link that of f_ts + v_ts.
//
// Ties to the other variables. x_js <= z_j, and z_j <= the sum of x_js over the stages. Where t idles before
// its first backward use and k_ts = 0, it has left, and was written again or brought back:
// k_ts + r_t + q_t >= 1. A prefetch that ends before the first backward use of a saved tensor brings it back
// as o_t says: a_ts <= o_t. o_t <= y_t, and the sum of y_t bytes_t is at most the host limit.
//
// Time. All x_js forward_ns_j of a stage fit into the waiting between its items; all together into the
// waiting of the backward pass. If i runs usefully in the stage and its input t was neither there before nor
// written again, a prefetch of t and then that recompute fit between the stage's items: those take at least
// (prefetch_ns_t + forward_ns_i) x_is - prefetch_ns_t (k_ts + x_js). Copies of one direction do not overlap,
// and on a half-duplex link no copies do: of all those of a, b, v and g, those that lie between two instants
// together take at most the time between them. The copy of g_ts ends in its stage, and before the stage's
// last item starts if it has no room beside that one. Where s = -1, that holds for the first forward after
// the producer beside which t has no room: to be there later, t would have to be brought back. The copy
// starts after its producer; if e_ts = 1, after the stage's first item; and if f_ts = 1, after the first item
// of the stage before, unless that stage may be shorter than the copy.
//
// A recompute that has no room of its own beside the gradients open at any time of the stage has x_js = 0.
// Leaving out stages only removes constraints.
#pragma once

#include "core/planner/linear_program.h"
#include "core/profile/step_graph.h"

#include <memory>

namespace slackscope {

// The linear programs are written in megabytes and microseconds, so that their numbers are near one.
inline double inMegabytes(Bytes bytes) {
    return static_cast<double>(bytes) / 1e6;
}
inline double inMicroseconds(Nanoseconds ns) {
    return static_cast<double>(ns) / 1e3;
}

// What the rows refer to. Positions are compute items: forward op = op, backward op = 2n - 1 - op. Columns
// are -1 where the program has none.
struct BoundFrame {
    std::vector<int> dropped;           // r, by tensor
    std::vector<int> offloaded;         // o, by tensor
    std::vector<int> broughtBack;       // q, by tensor
    std::vector<int> again;             // z, by operator
    std::vector<std::int32_t> sampled;  // positions, ascending
    std::vector<int> waits;             // w, by sampled position, and after the last
    LinearProgram::Sum waitsInBackward; // the sum of w over the backward pass
    std::vector<Bytes> needs;           // by position: resident whatever is decided
};

class StageRows {
public:
    // Full items that cut the pass. More make the program larger and hardly tighter.
    static constexpr std::size_t mostFull = 12;

    StageRows(std::shared_ptr<const StepGraph> graph, const BoundFrame& frame);

    // Adds the rows of one budget to a program whose columns the frame numbers.
    void add(LinearProgram& program, Bytes budget) const;

private:
    class Writer;

    Bytes bytes(TensorIndex t) const { return graph_->tensor(t).bytes; }
    std::int32_t backwardPosition(OperatorIndex op) const { return 2 * operators_ - 1 - op; }
    Nanoseconds durationNs(std::int32_t position) const;
    LinearProgram::Sum elapsed(std::int32_t after, std::int32_t until, Nanoseconds& passed) const;

    std::shared_ptr<const StepGraph> graph_;
    BoundFrame frame_;
    std::int32_t operators_;
    std::vector<std::int32_t> lastNeed_; // by tensor: last position at which an item may need it
    std::vector<Bytes> gradientsBefore_; // by position: open before the item starts
};

} // namespace slackscope
