#include "core/planner/group_path.h"

#include "core/planner/drop_groups.h"
#include "core/planner/hidden_transfers.h"
#include "core/planner/path_planner.h"

#include <algorithm>

namespace slackscope {

namespace {

std::size_t indexOf(TensorIndex t) {
    return static_cast<std::size_t>(t);
}

class GroupPath final : public PlacementPath {
public:
    GroupPath(std::shared_ptr<const StepGraph> graph, const Pins& pins, Offloads offloads)
        : graph_(std::move(graph)), pins_(pins), offloads_(offloads), groups_(dropGroups(*graph_, pins)),
          stride_(strideOf(groups_.size(), *graph_)) {
        if (offloads_ == Offloads::None)
            return;
        const std::vector<char> pinned = pinnedTensors(*graph_, pins_);
        for (const TensorIndex t : graph_->savedTensors()) {
            if (!pinned[indexOf(t)] && canOffload(*graph_, t) && graph_->tensor(t).bytes >= smallestOffload)
                offloadable_.push_back(t);
        }
        std::stable_sort(offloadable_.begin(), offloadable_.end(), [&](TensorIndex a, TensorIndex b) {
            return graph_->producer(a) < graph_->producer(b);
        });
    }

    std::size_t count() const override { return (groups_.size() + stride_ - 1) / stride_ + 1; }

    Placement at(std::size_t stop) const override {
        Placement placement = keepEverything(*graph_);
        const std::size_t dropped = std::min(stop * stride_, groups_.size());
        for (std::size_t i = 0; i < dropped; ++i) {
            for (const TensorIndex t : groups_[i].tensors)
                placement.decisions[indexOf(t)] = Decision::Recompute;
        }
        if (offloads_ == Offloads::Hidden)
            offloadWhatHides(placement);
        return placement;
    }

private:
    void offloadWhatHides(Placement& placement) const {
        HiddenTransfers hidden(*graph_);
        Bytes hostLeft = hostBytesLeft(*graph_, pins_);
        for (const Pin& pin : pins_) {
            if (pin.decision == Decision::Offload)
                hidden.take(pin.tensor);
        }
        for (const TensorIndex t : offloadable_) {
            const Bytes bytes = graph_->tensor(t).bytes;
            if (placement.decisions[indexOf(t)] == Decision::Keep && bytes <= hostLeft && hidden.reserve(t)) {
                placement.decisions[indexOf(t)] = Decision::Offload;
                hostLeft -= bytes;
            }
        }
    }

    std::shared_ptr<const StepGraph> graph_;
    Pins pins_;
    Offloads offloads_;
    std::vector<DropGroup> groups_;
    std::size_t stride_;
    std::vector<TensorIndex> offloadable_; // in the order of production
};

} // namespace

std::unique_ptr<PlacementPath> groupPath(const std::shared_ptr<const StepGraph>& graph, const Pins& pins,
                                         Offloads offloads) {
    return std::make_unique<GroupPath>(graph, pins, offloads);
}

} // namespace slackscope
