#include "core/planner/lowering.h"

#include "core/planner/ledger_tree.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace slackscope {

namespace {

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

// Whether any compute item runs between the last forward use and the first backward use of a saved tensor.
bool hasGap(const StepGraph& graph, TensorIndex t) {
    const std::int32_t lastForward = std::max(graph.lastForwardUse(t), 0);
    const std::int32_t firstBackward = 2 * graph.operatorCount() - 1 - graph.firstBackwardUse(t);
    return graph.tensor(t).bytes > 0 && firstBackward - lastForward > 1;
}

} // namespace

Placement keepEverything(const StepGraph& graph) {
    Placement placement;
    placement.decisions.assign(at(graph.tensorCount()), Decision::Recompute);
    for (const TensorIndex t : graph.savedTensors())
        placement.decisions[at(t)] = Decision::Keep;
    return placement;
}

bool canOffload(const StepGraph& graph, TensorIndex t) {
    const auto limit = graph.profile().link.hostMemoryBytes;
    return graph.isSaved(t) && hasGap(graph, t) && (!limit || *limit >= graph.tensor(t).bytes);
}

bool canDrop(const StepGraph& graph, TensorIndex t) {
    return graph.isSaved(t) && hasGap(graph, t) && graph.canRecompute(t);
}

Lowering::Lowering(std::shared_ptr<const StepGraph> graph) : graph_(std::move(graph)) {}

bool Lowering::isAvailable(TensorIndex t, const Placement& placement) const {
    return opened_[at(t)] != Opened::Not || comesBack(t, placement) == Between::Fetched;
}

// How a tensor that is not resident comes back where the walk stands.
Between Lowering::comesBack(TensorIndex t, const Placement& placement) const {
    const std::size_t uses = graph_->savers(t).size();
    const std::size_t use = placement.detours.empty() ? 0 : at(uses_[at(t)]);
    if (use > 0 && use < uses)
        return placement.detours[at(t)].afterUse(use - 1);
    const bool byHost = use == 0 ? placement.decisions[at(t)] == Decision::Offload : placement.offloads(t);
    return byHost ? Between::Fetched : Between::Recomputed;
}

bool Lowering::isBrief(TensorIndex t, const Placement& placement) const {
    return !placement.detours.empty() && placement.detours[at(t)].brief;
}

void Lowering::open(TensorIndex t, Opened how, std::int32_t from) {
    opened_[at(t)] = how;
    openedAt_[at(t)] = from;
    lastRead_[at(t)] = std::max(lastRead_[at(t)], from);
}

// At its last read.
void Lowering::close(TensorIndex t) {
    if (opened_[at(t)] == Opened::Fetched)
        fetched_.push_back({t, openedAt_[at(t)], lastRead_[at(t)], earliestFetch_[at(t)]});
    else
        stays_.push_back({t, openedAt_[at(t)], lastRead_[at(t)], 0});
    opened_[at(t)] = Opened::Not;
    earliestFetch_[at(t)] = lastRead_[at(t)] + 1;
}

void Lowering::read(TensorIndex t, const Placement& placement) {
    const bool apart = lastRead_[at(t)] + 1 < position();
    if (opened_[at(t)] == Opened::Fetched && apart && isBrief(t, placement) &&
        comesBack(t, placement) == Between::Fetched)
        close(t);
    if (opened_[at(t)] == Opened::Not)
        open(t, Opened::Fetched, position());
    lastRead_[at(t)] = position();
}

bool Lowering::walk(const Placement& placement) {
    const std::size_t tensors = at(graph_->tensorCount());
    const std::size_t operators = at(graph_->operatorCount());
    ledger_.clear(); // so it stays where the walk finds no end
    compute_.clear();
    compute_.reserve(3 * operators);
    stays_.clear();
    fetched_.clear();
    stack_.clear();
    opened_.assign(tensors, Opened::Not);
    openedAt_.assign(tensors, none);
    lastRead_.assign(tensors, none);
    earliestFetch_.assign(tensors, 0);
    if (!placement.detours.empty())
        uses_.assign(tensors, 0);
    gathered_.assign(operators, 0);
    stamp_ = 0;
    segmentDone_.clear();
    if (!placement.segments.empty())
        segmentDone_.assign(at(*std::max_element(placement.segments.begin(), placement.segments.end()) + 1),
                            0);
    runForward(placement);
    for (OperatorIndex op = graph_->operatorCount() - 1; op >= 0; --op) {
        runBackward(op, placement);
        if (compute_.size() > mostRepeats * operators + 2 * operators)
            return false;
    }
    settle();
    addUpLedger();
    return true;
}

void Lowering::runForward(const Placement& placement) {
    for (const TensorIndex t : graph_->profileInputs()) {
        open(t, Opened::Written, 0);
        lastRead_[at(t)] = std::max(graph_->lastForwardUse(t), 0);
        if (placement.decisions[at(t)] == Decision::Offload)
            close(t);
    }
    for (OperatorIndex op = 0; op < graph_->operatorCount(); ++op) {
        compute_.push_back({op, ComputeKind::Forward});
        for (const TensorIndex t : graph_->outputs(op)) {
            open(t, Opened::Written, op);
            if (!placement.detours.empty() && placement.detours[at(t)].awayInForward)
                leaveInForward(t);
            lastRead_[at(t)] = graph_->lastForwardUse(t);
            if (placement.decisions[at(t)] != Decision::Keep)
                close(t);
        }
    }
}

void Lowering::leaveInForward(TensorIndex t) {
    std::int32_t last = graph_->producer(t);
    std::int32_t from = last;
    std::int32_t longest = 1;
    std::int32_t until = none;
    for (const OperatorIndex consumer : graph_->consumers(t)) {
        if (consumer - last > longest) {
            longest = consumer - last;
            from = last;
            until = consumer;
        }
        last = consumer;
    }
    if (until == none)
        return;
    lastRead_[at(t)] = from;
    close(t);
    open(t, Opened::Fetched, until);
}

void Lowering::runBackward(OperatorIndex op, const Placement& placement) {
    ++stamp_;
    batch_.clear();
    for (const TensorIndex t : graph_->saved(op))
        gather(t, placement);
    if (!placement.detours.empty())
        gatherAhead(op, placement);
    if (!batch_.empty()) {
        demandSegment(op, placement);
        emitBatch(op, placement);
    }
    for (const TensorIndex t : graph_->saved(op)) {
        read(t, placement);
        if (graph_->lastBackwardUse(t) == op) {
            if (opened_[at(t)] == Opened::Rewritten)
                close(t);
        } else if (!placement.detours.empty() &&
                   placement.detours[at(t)].afterUse(at(uses_[at(t)])) != Between::Stays) {
            close(t);
        }
        if (!placement.detours.empty())
            ++uses_[at(t)];
    }
    compute_.push_back({op, ComputeKind::Backward});
}

// Adds to the batch what the backwards of the operator's segment will read, down to its first operator.
void Lowering::demandSegment(OperatorIndex op, const Placement& placement) {
    if (placement.segments.empty())
        return;
    const std::int32_t segment = placement.segments[at(op)];
    if (segmentDone_[at(segment)])
        return;
    segmentDone_[at(segment)] = 1;
    for (OperatorIndex earlier = op; earlier >= 0 && placement.segments[at(earlier)] == segment; --earlier) {
        for (const TensorIndex t : graph_->saved(earlier))
            gather(t, placement);
    }
}

// Adds to the batch what the next backwards read and had better be there early.
void Lowering::gatherAhead(OperatorIndex op, const Placement& placement) {
    for (OperatorIndex next = op - 1; next >= std::max(0, op - Detour::furthestAhead); --next) {
        for (const TensorIndex t : graph_->saved(next)) {
            if (placement.detours[at(t)].ahead >= op - next)
                gather(t, placement);
        }
    }
}

// Adds the operators that must run again for `wanted` to be there, its missing ancestors' included.
void Lowering::gather(TensorIndex wanted, const Placement& placement) {
    stack_.push_back(wanted);
    while (!stack_.empty()) {
        const TensorIndex t = stack_.back();
        stack_.pop_back();
        if (isAvailable(t, placement))
            continue;
        const OperatorIndex producer = graph_->producer(t);
        if (gathered_[at(producer)] == stamp_)
            continue;
        gathered_[at(producer)] = stamp_;
        batch_.push_back(producer);
        for (const TensorIndex input : graph_->inputs(producer))
            stack_.push_back(input);
    }
}

void Lowering::emitBatch(OperatorIndex neededBy, const Placement& placement) {
    std::sort(batch_.begin(), batch_.end()); // profile order is a topological order
    temporaries_.clear();
    for (const OperatorIndex op : batch_) {
        for (const TensorIndex t : graph_->inputs(op))
            read(t, placement);
        for (const TensorIndex t : graph_->outputs(op))
            writeAgain(t, neededBy, placement);
        compute_.push_back({op, ComputeKind::Recompute});
    }
    for (const TensorIndex t : temporaries_)
        close(t);
}

// One output of a recompute. What a later backward still reads stays until then; the rest leaves with the
// batch.
void Lowering::writeAgain(TensorIndex t, OperatorIndex neededBy, const Placement& placement) {
    const bool fetched = comesBack(t, placement) == Between::Fetched;
    if (opened_[at(t)] == Opened::Fetched && fetched && isBrief(t, placement))
        close(t);
    if (opened_[at(t)] != Opened::Not) {
        lastRead_[at(t)] = position(); // it stays at least until here, so it is not written
    } else if (fetched) {
        // Still on the host: this copy of it is of no use here, and its prefetch must come after.
        stays_.push_back({t, position(), position(), 0});
        earliestFetch_[at(t)] = position() + 1;
    } else {
        open(t, Opened::Rewritten, position());
        const auto saved = graph_->saved(neededBy);
        if (!graph_->isSaved(t) || graph_->lastBackwardUse(t) > neededBy ||
            (isBrief(t, placement) && std::find(saved.begin(), saved.end(), t) == saved.end()))
            temporaries_.push_back(t);
    }
}

void Lowering::settle() {
    const std::int32_t last = position() - 1;
    for (TensorIndex t = 0; t < graph_->tensorCount(); ++t) {
        if (opened_[at(t)] == Opened::Not)
            continue;
        if (graph_->producer(t) == none && opened_[at(t)] == Opened::Written)
            lastRead_[at(t)] = last; // rule 9 of the simulation model
        close(t);
    }
    std::sort(fetched_.begin(), fetched_.end(), [](const Stay& a, const Stay& b) {
        return std::pair(a.first, a.tensor) < std::pair(b.first, b.tensor);
    });
}

void Lowering::addUpLedger() {
    ledger_.assign(compute_.size() + 1, 0);
    const auto add = [&](const Stay& stay) {
        ledger_[at(stay.first)] += graph_->tensor(stay.tensor).bytes;
        ledger_[at(stay.last) + 1] -= graph_->tensor(stay.tensor).bytes;
    };
    for (const Stay& stay : stays_)
        add(stay);
    for (const Stay& stay : fetched_)
        add(stay);
    Bytes tensors = 0;
    Bytes gradients = 0;
    for (std::size_t i = 0; i < compute_.size(); ++i) {
        const ComputeItem item = compute_[i];
        const bool backward = item.kind == ComputeKind::Backward;
        const Operator& op = graph_->op(item.op);
        tensors += ledger_[i];
        if (backward)
            gradients += graph_->gradientBytesOpened(item.op);
        ledger_[i] = tensors + gradients + (backward ? op.backwardWorkspaceBytes : op.forwardWorkspaceBytes);
        if (backward)
            gradients -= graph_->gradientBytesClosed(item.op);
    }
    ledger_.pop_back();
}

LedgerPeak Lowering::peak(const Placement& placement) {
    if (!walk(placement))
        return {unlimitedBudget, compute_.back().op, 0, 0};
    const auto most = std::max_element(ledger_.begin(), ledger_.end());
    LedgerPeak peak{*most, compute_[static_cast<std::size_t>(most - ledger_.begin())].op, 0, 0};
    for (const ComputeItem item : compute_) {
        if (item.kind == ComputeKind::Recompute) {
            ++peak.recomputes;
            peak.recomputedNs += graph_->op(item.op).forwardNs;
        }
    }
    return peak;
}

std::vector<Prefetch> Lowering::admitPrefetches(Bytes budget) {
    std::vector<Prefetch> prefetches;
    LedgerTree ledger(ledger_);
    std::int32_t gate = 0;
    for (const Stay& stay : fetched_) {
        const Bytes bytes = graph_->tensor(stay.tensor).bytes;
        const std::int32_t low = std::max(gate, stay.earliest);
        gate = ledger.lastAbove(low, stay.first - 1, budget - bytes) + 1;
        ledger.add(gate, stay.first - 1, bytes);
        prefetches.push_back({stay.tensor, gate - 1});
    }
    return prefetches;
}

Instructions Lowering::lower(const Placement& placement, Bytes budget) {
    walk(placement);
    return lowerWalked(placement, budget);
}

Instructions Lowering::lowerWalked(const Placement& placement, Bytes budget) {
    if (ledger_.empty())
        throw std::logic_error("lowering a placement that no budget runs");
    Instructions out;
    out.prefetches = admitPrefetches(budget);
    for (const TensorIndex t : graph_->profileInputs()) {
        if (placement.offloads(t))
            out.offloads.push_back({t, none});
    }
    for (OperatorIndex op = 0; op < graph_->operatorCount(); ++op) {
        for (const TensorIndex t : graph_->outputs(op)) {
            if (placement.offloads(t))
                out.offloads.push_back({t, op});
        }
    }
    const std::int32_t last = position() - 1;
    const auto releaseAt = [&](const Stay& stay) {
        if (stay.last < last) // what stays to the end needs no release
            out.releases.push_back({stay.tensor, stay.last});
    };
    std::for_each(stays_.begin(), stays_.end(), releaseAt);
    std::for_each(fetched_.begin(), fetched_.end(), releaseAt);
    std::sort(out.releases.begin(), out.releases.end(), [](const Release& a, const Release& b) {
        return std::pair(a.after, a.tensor) < std::pair(b.after, b.tensor);
    });
    out.compute = compute_;
    return out;
}

} // namespace slackscope
