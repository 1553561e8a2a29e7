// From decisions to instructions: which items run in which order, when buffers are released, and where each
// prefetch is admitted.
//
// Deadlock freedom comes by construction (simulation model, "Memory"): the ledger adds up what is resident at
// each compute item as if every copy were instantaneous, and a prefetch is admitted at the earliest position
// from which it fits at every position up to its first read. Real timing then only delays the release of
// tensors whose offload is still in flight; offloads run in the order in which their tensors are produced, so
// each of them ends without waiting for a later compute item.
#pragma once

#include "core/planner/placement.h"
#include "core/program/program.h"
#include "core/simulator/simulator.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace slackscope {

// Everything kept, transients released: the plan of the unlimited peak.
Placement keepEverything(const StepGraph& graph);

// Whether the decision is possible and can free memory between the passes: some bytes, some compute item in
// between, a host that takes them or a producer that can run again.
bool canOffload(const StepGraph& graph, TensorIndex t);
bool canDrop(const StepGraph& graph, TensorIndex t);

// The most that is resident at any compute item when every copy is instantaneous, and where. A budget of at
// least `bytes` runs the placement to its end; a smaller one cannot.
// Where a placement recomputes so much that its program would outgrow any use (more than `mostRepeats` times
// the operators), no budget runs it: `bytes` is unlimitedBudget.
struct LedgerPeak {
    Bytes bytes = 0;
    OperatorIndex op = none; // operator of the first item at which the peak stands
    // The placement's recomputes: no budget makes it faster than the ideal time and theirs.
    std::int64_t recomputes = 0;
    Nanoseconds recomputedNs = 0;
};

class Lowering {
public:
    explicit Lowering(std::shared_ptr<const StepGraph> graph);

    const StepGraph& graph() const { return *graph_; }
    const std::shared_ptr<const StepGraph>& sharedGraph() const { return graph_; }

    // A placement drops only saved tensors for which canDrop holds and offloads only those for which
    // canOffload holds, or transients that the host takes; detours recompute only what
    // StepGraph::canRecompute says can be. O(items) each; the object holds scratch space, so use one per
    // thread and many times.
    LedgerPeak peak(const Placement& placement);
    // By compute item, what is resident while it runs, every copy taken as instantaneous; of the placement
    // that peak() was asked for last.
    std::span<const Bytes> ledger() const { return ledger_; }
    // Instructions of the placement, prefetches admitted under `budget` (>= peak(placement).bytes).
    Instructions lower(const Placement& placement, Bytes budget);
    // The same, of the placement that peak() was asked for last.
    Instructions lowerWalked(const Placement& placement, Bytes budget);

private:
    // A stretch of compute items, both ends included, during which a tensor is resident.
    struct Stay {
        TensorIndex tensor = none;
        std::int32_t first = none;
        std::int32_t last = none;
        std::int32_t earliest = 0; // where it starts with a prefetch: admitted from this position
    };

    enum class Opened : std::uint8_t { Not, Written, Rewritten, Fetched };

    static constexpr std::size_t mostRepeats = 64;

    bool walk(const Placement& placement); // false: too many repeats
    void runForward(const Placement& placement);
    void runBackward(OperatorIndex op, const Placement& placement);
    void demandSegment(OperatorIndex op, const Placement& placement);
    void gatherAhead(OperatorIndex op, const Placement& placement);
    void gather(TensorIndex wanted, const Placement& placement);
    void emitBatch(OperatorIndex neededBy, const Placement& placement);
    void writeAgain(TensorIndex t, OperatorIndex neededBy, const Placement& placement);
    void leaveInForward(TensorIndex t);
    Between comesBack(TensorIndex t, const Placement& placement) const;
    bool isBrief(TensorIndex t, const Placement& placement) const;
    void open(TensorIndex t, Opened how, std::int32_t from);
    void close(TensorIndex t);
    void read(TensorIndex t, const Placement& placement);
    void settle();
    void addUpLedger();
    std::vector<Prefetch> admitPrefetches(Bytes budget);
    bool isAvailable(TensorIndex t, const Placement& placement) const;
    std::int32_t position() const { return static_cast<std::int32_t>(compute_.size()); }

    std::shared_ptr<const StepGraph> graph_;
    // The walk's result.
    std::vector<ComputeItem> compute_;
    std::vector<Stay> stays_;   // residencies that start with the step or with a write
    std::vector<Stay> fetched_; // residencies that start with a prefetch; `first` reads it first
    std::vector<Bytes> ledger_; // by position, every prefetch at its first read
    // Scratch, by tensor unless said otherwise.
    std::vector<Opened> opened_;              // the residency that is open where the walk stands
    std::vector<std::int32_t> openedAt_;      // position of its write or first read
    std::vector<std::int32_t> lastRead_;      // position of the last read of it
    std::vector<std::int32_t> earliestFetch_; // the next prefetch may be admitted from this position
    std::vector<std::int32_t> uses_;          // backwards that have read it; kept up where there are detours
    std::vector<std::int32_t> gathered_;      // by operator: stamp of the batch that holds it
    std::vector<OperatorIndex> batch_;
    std::vector<TensorIndex> stack_;
    std::vector<TensorIndex> temporaries_; // of the batch: released after their last read in it
    std::vector<char> segmentDone_;        // by segment
    std::int32_t stamp_ = 0;
};

} // namespace slackscope
