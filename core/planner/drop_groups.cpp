#include "core/planner/drop_groups.h"

#include "core/planner/costs.h"

#include <algorithm>
#include <set>

namespace slackscope {

namespace {

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

class GroupFinder {
public:
    GroupFinder(const StepGraph& graph, const Pins& pins)
        : graph_(graph), chains_(at(graph.tensorCount())), dependents_(at(graph.operatorCount())),
          runsAgain_(at(graph.operatorCount()), 0), adding_(at(graph.operatorCount()), 0),
          open_(at(graph.tensorCount()), 0), price_(at(graph.tensorCount()), 0.0) {
        findChains(pins);
    }

    std::vector<DropGroup> find() {
        for (TensorIndex t = 0; t < graph_.tensorCount(); ++t) {
            if (open_[at(t)])
                enter(t);
        }
        std::vector<DropGroup> groups;
        while (!queue_.empty()) {
            const TensorIndex t = queue_.begin()->second;
            groups.push_back(groupOf(t));
            for (const TensorIndex member : groups.back().tensors) {
                leave(member);
                open_[at(member)] = 0;
            }
            std::vector<TensorIndex> cheaper; // they share an operator with what runs again now
            for (const OperatorIndex op : chains_[at(t)]) {
                if (!runsAgain_[at(op)]) {
                    runsAgain_[at(op)] = 1;
                    gather(op, cheaper);
                }
            }
            std::sort(cheaper.begin(), cheaper.end());
            cheaper.erase(std::unique(cheaper.begin(), cheaper.end()), cheaper.end());
            for (const TensorIndex other : cheaper) {
                if (open_[at(other)] && visits_ < mostVisits) {
                    leave(other);
                    enter(other);
                }
            }
        }
        return groups;
    }

private:
    void findChains(const Pins& pins) {
        const std::vector<char> pinned = pinnedTensors(graph_, pins);
        ChainFinder finder(graph_);
        for (const TensorIndex t : graph_.savedTensors()) {
            if (pinned[at(t)] || !canDrop(graph_, t))
                continue;
            const std::vector<OperatorIndex>& chain = finder.chainOf(t);
            if (chain.empty() || chain.size() > longestGroupChain)
                continue;
            chains_[at(t)] = chain;
            open_[at(t)] = 1;
            for (const OperatorIndex op : chain)
                dependents_[at(op)].push_back(t);
        }
        for (const Pin& pin : pins) {
            if (pin.decision == Decision::Recompute) {
                for (const OperatorIndex op : finder.chainOf(pin.tensor))
                    runsAgain_[at(op)] = 1;
            }
        }
    }

    // Tensors that depend on the operator; of one that everybody depends on, none: to look at all of them
    // for each of them would take quadratic time.
    void gather(OperatorIndex op, std::vector<TensorIndex>& into) const {
        constexpr std::size_t mostDependents = 32;
        const auto& dependents = dependents_[at(op)];
        if (dependents.size() <= mostDependents)
            into.insert(into.end(), dependents.begin(), dependents.end());
    }

    // What dropping `t` drags in, given what runs again already.
    DropGroup groupOf(TensorIndex t) {
        DropGroup group;
        std::vector<TensorIndex> candidates{t};
        for (const OperatorIndex op : chains_[at(t)]) {
            if (!runsAgain_[at(op)]) {
                group.recomputedNs += graph_.op(op).forwardNs;
                adding_[at(op)] = 1;
                gather(op, candidates);
            }
        }
        std::sort(candidates.begin(), candidates.end());
        candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
        for (const TensorIndex other : candidates) {
            const auto& chain = chains_[at(other)];
            visits_ += static_cast<std::int64_t>(chain.size());
            if (open_[at(other)] && std::all_of(chain.begin(), chain.end(), [&](OperatorIndex op) {
                    return runsAgain_[at(op)] || adding_[at(op)];
                })) {
                group.tensors.push_back(other);
                group.bytes += graph_.tensor(other).bytes;
            }
        }
        for (const OperatorIndex op : chains_[at(t)])
            adding_[at(op)] = 0;
        return group;
    }

    void enter(TensorIndex t) {
        const DropGroup group = groupOf(t);
        price_[at(t)] = static_cast<double>(group.recomputedNs) / static_cast<double>(group.bytes);
        queue_.insert({price_[at(t)], t});
    }
    void leave(TensorIndex t) { queue_.erase({price_[at(t)], t}); }

    // Of operators in chains; beyond, prices are no longer brought up to date.
    static constexpr std::int64_t mostVisits = 20'000'000;

    const StepGraph& graph_;
    std::int64_t visits_ = 0;
    std::vector<std::vector<OperatorIndex>> chains_;   // by tensor
    std::vector<std::vector<TensorIndex>> dependents_; // by operator: tensors whose chains hold it
    std::vector<char> runsAgain_, adding_;             // by operator
    std::vector<char> open_;                           // by tensor: may be dropped and is in no group yet
    std::vector<double> price_;                        // by tensor: of its group, nanoseconds per byte
    std::set<std::pair<double, TensorIndex>> queue_;   // ties go to the earlier tensor
};

} // namespace

std::vector<DropGroup> dropGroups(const StepGraph& graph, const Pins& pins) {
    return GroupFinder(graph, pins).find();
}

} // namespace slackscope
