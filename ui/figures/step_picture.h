// All that the figures show of one plan, in flat sorted arrays: built once off the UI thread, never changed,
// shared by every painter.
#pragma once

#include "core/planner/costs.h"
#include "core/planner/plan.h"
#include "ui/figures/decision_grid.h"

#include <QString>
#include <QStringList>

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace slackscope::figures {

enum class Lane : std::uint8_t { Compute, DeviceToHost, HostToDevice };
inline constexpr std::array<Lane, 3> allLanes{Lane::Compute, Lane::DeviceToHost, Lane::HostToDevice};

enum class BarKind : std::uint8_t {
    Forward,
    Backward,
    Recompute,
    Offload,
    Prefetch,
    MemoryStall,
    TransferStall
};
inline constexpr std::size_t barKindCount = 7;

struct Bar {
    Nanoseconds fromNs = 0;
    Nanoseconds toNs = 0;
    std::int32_t id = none; // operator of a compute bar or stall (the one that waits), tensor of a copy
    BarKind kind = BarKind::Forward;
    bool operator==(const Bar&) const = default;
};

// What fills the memory from `atNs` to the next point. The parts add up to the simulated curve.
struct MemoryParts {
    Nanoseconds atNs = 0;
    Bytes activations = 0; // tensors, profile inputs included
    Bytes gradients = 0;
    Bytes workspaces = 0;
    Bytes sum() const { return activations + gradients + workspaces; }
};

// Something that happens to one tensor.
struct TensorEvent {
    enum class Role : std::uint8_t {
        Produced,
        ForwardUse,
        Offload,
        Prefetch,
        Recomputed,
        RecomputeUse, // read by a recompute of one of its consumers
        BackwardUse
    };
    Role role = Role::Produced;
    Lane lane = Lane::Compute;
    std::int32_t bar = none; // index into bars(lane)
};

// What is selected, everywhere in the window. Several tensors come from a rubber band in the decision map.
struct Selection {
    std::vector<TensorIndex> tensors;
    OperatorIndex op = none; // the bar that was clicked, where it was a compute bar
    TensorIndex tensor() const { return tensors.size() == 1 ? tensors.front() : none; }
    bool empty() const { return tensors.empty() && op == none; }
    bool operator==(const Selection&) const = default;
};

// A description for tooltips and status lines; nothing hovered = empty title.
struct HoverInfo {
    QString title;     // full name
    QStringList lines; // what, when, how much, decision, reason
    TensorIndex tensor = none;
    OperatorIndex op = none;
    bool operator==(const HoverInfo&) const = default;
};

// What a selected stretch of time holds.
struct RangeReadout {
    Interval interval;
    Bytes toHostBytes = 0;   // a copy that is cut counts by the part inside
    Bytes toDeviceBytes = 0; // likewise
    double computeBusy = 0;  // fraction of the stretch
    Bytes peakBytes = 0;     // resident, inside
    bool operator==(const RangeReadout&) const = default;
};

class StepPicture {
public:
    // O(items). `unlimited` (a keep-all plan of the same graph) gives the ghost curve, absent = no ghost.
    // `previous` saves the work that depends on the graph only, when it shows the same graph.
    static std::shared_ptr<const StepPicture> build(std::shared_ptr<const Plan> plan,
                                                    const std::shared_ptr<const Plan>& unlimited = {},
                                                    const std::shared_ptr<const StepPicture>& previous = {});

    const Plan& plan() const { return *plan_; }
    const StepGraph& graph() const { return *plan_->graph; }
    bool feasible() const { return plan_->feasible(); }
    Nanoseconds stepNs() const { return plan_->stepNs(); }

    // Sorted by start, without overlap. Index = item of the plan's program.
    std::span<const Bar> bars(Lane lane) const { return bars_[static_cast<std::size_t>(lane)]; }
    std::span<const Bar> stalls() const { return stalls_; } // compute lane
    std::span<const MemoryPoint> memory() const { return memory_; }
    std::span<const MemoryPoint> unlimitedMemory() const { return unlimitedMemory_; } // the ghost
    Nanoseconds unlimitedStepNs() const { return unlimitedStepNs_; }
    Bytes peakBytes() const { return peakBytes_; }
    Nanoseconds peakNs() const { return peakNs_; } // the first instant at which the peak stands
    Nanoseconds backwardStartNs() const { return backwardStartNs_; } // forward and backward meet here
    // The first call costs O(items log items): make it off the UI thread before showing a stacked plot.
    std::span<const MemoryParts> memoryParts() const;

    const DecisionGrid& grid() const { return shared_->grid; }
    // Absent: infeasible, nothing was decided.
    std::optional<Decision> decision(TensorIndex t) const;
    const RecomputeCost& cost(TensorIndex t) const { return shared_->costs[static_cast<std::size_t>(t)]; }

    // Events of one tensor in time order.
    std::vector<TensorEvent> events(TensorIndex t) const;
    const Bar& bar(const TensorEvent& event) const {
        return bars(event.lane)[static_cast<std::size_t>(event.bar)];
    }
    // The tensor that a click on this bar means: the copied one, or the operator's first saved (else first)
    // output; none for an operator without outputs.
    TensorIndex tensorOf(Lane lane, std::int32_t bar) const;
    // Stretch from the first to the last event of what is selected.
    std::optional<Interval> extent(const Selection& selection) const;

    // The bar or stall at an instant (the last one that starts no later and ends after it), or none.
    std::int32_t barAt(Lane lane, double ns) const;
    std::int32_t stallAt(double ns) const;
    // Likewise, else the nearest one within `reachNs`: what a pointer near a thin bar means.
    std::int32_t barNear(Lane lane, double ns, double reachNs) const;
    Bytes residentAt(double ns) const;
    RangeReadout read(Interval interval) const;
    // The nearest start of any bar before or after `ns`, for stepping through a step.
    std::optional<Nanoseconds> previousEvent(Nanoseconds ns) const;
    std::optional<Nanoseconds> nextEvent(Nanoseconds ns) const;

    HoverInfo describeBar(Lane lane, std::int32_t bar) const;
    HoverInfo describeStall(std::int32_t stall) const;
    HoverInfo describeTensor(TensorIndex t) const;
    HoverInfo describeMemory(double ns) const;
    // One or two sentences for screen readers.
    QString timelineSummary() const;
    QString memorySummary() const;
    QString decisionSummary() const;
    // Why there is no program, with the number needed; empty when feasible.
    QString infeasibleSentence() const;
    // Model, batch, sequence, device, link, budget, strategy, pins, throughput, "simulated".
    QString caption() const;

private:
    struct GraphPart {
        DecisionGrid grid;
        std::vector<RecomputeCost> costs;
    };
    StepPicture() = default;
    void readProgram();
    void readParts() const;
    QStringList decisionLines(TensorIndex t) const;

    std::shared_ptr<const Plan> plan_;
    std::shared_ptr<const GraphPart> shared_;
    std::array<std::vector<Bar>, allLanes.size()> bars_;
    std::vector<Bar> stalls_;
    std::vector<MemoryPoint> memory_;
    std::vector<MemoryPoint> unlimitedMemory_;
    Nanoseconds unlimitedStepNs_ = 0;
    std::vector<std::int32_t> forwardBar_, backwardBar_; // by operator: compute bar, or none
    Rows recomputeBars_;                                 // by operator
    std::vector<std::int32_t> offloadBar_;               // by tensor, or none
    Rows prefetchBars_;                                  // by tensor
    Bytes peakBytes_ = 0;
    Nanoseconds peakNs_ = 0;
    Nanoseconds backwardStartNs_ = 0;
    mutable std::once_flag partsOnce_;
    mutable std::vector<MemoryParts> parts_;
};

} // namespace slackscope::figures
