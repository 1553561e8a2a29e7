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
    return placement.decisions[at(t)] != Decision::Recompute || graph_->producer(t) == none || live_[at(t)];
}

bool Lowering::letsGo(TensorIndex t, const Placement& placement) {
    return !placement.letGo.empty() && placement.letGo[at(t)];
}

void Lowering::read(TensorIndex t, const Placement& placement) {
    if (placement.decisions[at(t)] == Decision::Offload && letsGo(t, placement) &&
        firstRead_[at(t)] != none && lastRead_[at(t)] + 1 < position())
        endFetch(t);
    if (firstRead_[at(t)] == none)
        firstRead_[at(t)] = position();
    lastRead_[at(t)] = position();
}

// The next read of an offloaded tensor is of another prefetch.
void Lowering::endFetch(TensorIndex t) {
    fetched_.push_back({t, firstRead_[at(t)], lastRead_[at(t)],
                        std::max(earliestFetch_[at(t)], std::max(graph_->lastForwardUse(t), 0) + 1)});
    earliestFetch_[at(t)] = lastRead_[at(t)] + 1;
    firstRead_[at(t)] = none;
}

bool Lowering::walk(const Placement& placement) {
    const std::size_t tensors = at(graph_->tensorCount());
    const std::size_t operators = at(graph_->operatorCount());
    compute_.clear();
    compute_.reserve(3 * operators);
    stays_.clear();
    fetched_.clear();
    stack_.clear();
    earliestFetch_.assign(tensors, 0);
    madeAt_.assign(tensors, none);
    firstRead_.assign(tensors, none);
    lastRead_.assign(tensors, none);
    live_.assign(tensors, 0);
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
    settle(placement);
    addUpLedger();
    return true;
}

void Lowering::runForward(const Placement& placement) {
    for (OperatorIndex op = 0; op < graph_->operatorCount(); ++op) {
        compute_.push_back({op, ComputeKind::Forward});
        for (const TensorIndex t : graph_->outputs(op)) {
            if (placement.decisions[at(t)] != Decision::Keep)
                stays_.push_back({t, op, graph_->lastForwardUse(t)});
        }
    }
}

void Lowering::runBackward(OperatorIndex op, const Placement& placement) {
    ++stamp_;
    batch_.clear();
    for (const TensorIndex t : graph_->saved(op))
        gather(t, placement);
    if (!batch_.empty()) {
        demandSegment(op, placement);
        emitBatch(op, placement);
    }
    for (const TensorIndex t : graph_->saved(op))
        read(t, placement);
    for (const TensorIndex t : graph_->saved(op)) {
        if (live_[at(t)] && (graph_->lastBackwardUse(t) == op || letsGo(t, placement))) {
            stays_.push_back({t, madeAt_[at(t)], position()});
            live_[at(t)] = 0;
        }
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
    for (const TensorIndex t : temporaries_) {
        stays_.push_back({t, madeAt_[at(t)], std::max(madeAt_[at(t)], lastRead_[at(t)])});
        live_[at(t)] = 0;
    }
}

// One output of a recompute. What a later backward still reads stays until then; the rest leaves with the
// batch.
void Lowering::writeAgain(TensorIndex t, OperatorIndex neededBy, const Placement& placement) {
    const Decision decision = placement.decisions[at(t)];
    if (decision == Decision::Offload && firstRead_[at(t)] != none && letsGo(t, placement))
        endFetch(t);
    if (decision == Decision::Offload && firstRead_[at(t)] == none) {
        // Still on the host: this copy of it is of no use here, and its prefetch must come after.
        stays_.push_back({t, position(), position()});
        earliestFetch_[at(t)] = position() + 1;
    } else if (decision != Decision::Recompute) {
        read(t, placement); // it stays at least until here, so it is not written
    } else if (!live_[at(t)]) {
        madeAt_[at(t)] = position();
        live_[at(t)] = 1;
        const auto saved = graph_->saved(neededBy);
        if (!graph_->isSaved(t) || graph_->lastBackwardUse(t) > neededBy ||
            (letsGo(t, placement) && std::find(saved.begin(), saved.end(), t) == saved.end()))
            temporaries_.push_back(t);
    }
}

void Lowering::settle(const Placement& placement) {
    const std::int32_t last = position() - 1;
    for (TensorIndex t = 0; t < graph_->tensorCount(); ++t) {
        const OperatorIndex producer = graph_->producer(t);
        const std::int32_t lastForward = std::max(graph_->lastForwardUse(t), 0);
        switch (placement.decisions[at(t)]) {
        case Decision::Offload:
            if (producer == none)
                stays_.push_back({t, 0, lastForward});
            if (firstRead_[at(t)] != none)
                endFetch(t);
            break;
        case Decision::Keep:
            stays_.push_back({t, std::max(producer, 0),
                              producer == none ? last : std::max(lastForward, lastRead_[at(t)])});
            break;
        case Decision::Recompute:
            if (producer == none)
                stays_.push_back({t, 0, last});
            break;
        }
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
    if (!walk(placement))
        throw std::logic_error("lowering a placement that no budget runs");
    Instructions out;
    out.prefetches = admitPrefetches(budget);
    for (const TensorIndex t : graph_->profileInputs()) {
        if (placement.decisions[at(t)] == Decision::Offload)
            out.offloads.push_back({t, none});
    }
    for (OperatorIndex op = 0; op < graph_->operatorCount(); ++op) {
        for (const TensorIndex t : graph_->outputs(op)) {
            if (placement.decisions[at(t)] == Decision::Offload)
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
