#include "core/profile/step_graph.h"

#include <algorithm>
#include <utility>

namespace slackscope {

namespace {

// Sorted copy of a short list without duplicates.
std::vector<std::int32_t> distinct(std::vector<std::int32_t> list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
}

void appendRow(Rows& rows, const std::vector<std::int32_t>& row) {
    rows.items.insert(rows.items.end(), row.begin(), row.end());
    rows.offsets.push_back(static_cast<std::int32_t>(rows.items.size()));
}

// The transpose: row t lists, ascending, the rows of `rows` that hold t.
Rows transpose(const Rows& rows, std::int32_t count) {
    Rows result;
    result.offsets.assign(static_cast<std::size_t>(count) + 1, 0);
    for (const std::int32_t item : rows.items)
        ++result.offsets[static_cast<std::size_t>(item) + 1];
    for (std::size_t i = 1; i < result.offsets.size(); ++i)
        result.offsets[i] += result.offsets[i - 1];
    result.items.resize(rows.items.size());
    std::vector<std::int32_t> next(result.offsets.begin(), result.offsets.end() - 1);
    for (std::size_t row = 0; row + 1 < rows.offsets.size(); ++row) {
        for (const std::int32_t item : rows[static_cast<std::int32_t>(row)])
            result.items[static_cast<std::size_t>(next[static_cast<std::size_t>(item)]++)] =
                static_cast<std::int32_t>(row);
    }
    return result;
}

// Rows from (row, item) pairs given per item: keyOf[item] is its row, or none.
Rows groupBy(const std::vector<std::int32_t>& keyOf, std::int32_t count) {
    Rows single;
    for (const std::int32_t key : keyOf) {
        if (key != none)
            single.items.push_back(key);
        single.offsets.push_back(static_cast<std::int32_t>(single.items.size()));
    }
    return transpose(single, count);
}

} // namespace

tl::expected<std::shared_ptr<const StepGraph>, ProfileError> StepGraph::build(Profile profile) {
    if (auto error = validate(profile))
        return tl::unexpected(std::move(*error));
    return std::shared_ptr<const StepGraph>(new StepGraph(std::move(profile)));
}

StepGraph::StepGraph(Profile profile) : profile_(std::move(profile)) {
    findUses();
    findGradients();
    findRecomputable();
    for (const Operator& each : profile_.operators) {
        forwardNs_ += each.forwardNs;
        backwardNs_ += each.backwardNs;
    }
    for (const Tensor& each : profile_.tensors) {
        offloadNs_.push_back(copyNs(profile_.link, profile_.link.deviceToHostBytesPerS, each.bytes));
        prefetchNs_.push_back(copyNs(profile_.link, profile_.link.hostToDeviceBytesPerS, each.bytes));
    }
}

void StepGraph::findUses() {
    producer_.assign(profile_.tensors.size(), none);
    for (OperatorIndex i = 0; i < operatorCount(); ++i) {
        const Operator& each = op(i);
        appendRow(inputs_, distinct(each.inputs));
        appendRow(outputs_, distinct(each.outputs));
        appendRow(saved_, distinct(each.saved));
        for (const TensorIndex t : each.outputs)
            producer_[at(t)] = i;
    }
    consumers_ = transpose(inputs_, tensorCount());
    savers_ = transpose(saved_, tensorCount());
    lastForwardUse_ = producer_;
    for (TensorIndex t = 0; t < tensorCount(); ++t) {
        if (!consumers(t).empty())
            lastForwardUse_[at(t)] = consumers(t).back();
        if (isSaved(t))
            savedTensors_.push_back(t);
        if (producer(t) == none)
            profileInputs_.push_back(t);
    }
}

void StepGraph::findGradients() {
    // Simulation model, "What must be resident", rule 3. The backward pass runs from the last operator to
    // the first, so the first backward to touch a tensor is its last consumer's.
    std::vector<std::int32_t> opener(profile_.tensors.size(), none);
    std::vector<std::int32_t> closer(profile_.tensors.size(), none);
    for (TensorIndex t = 0; t < tensorCount(); ++t) {
        if (tensor(t).gradientBytes == 0 || lastForwardUse(t) == none)
            continue;
        opener[at(t)] = lastForwardUse(t);
        closer[at(t)] = producer(t) != none ? producer(t) : consumers(t).front();
    }
    gradientsOpened_ = groupBy(opener, operatorCount());
    gradientsClosed_ = groupBy(closer, operatorCount());
    for (OperatorIndex i = 0; i < operatorCount(); ++i) {
        Bytes opened = 0;
        Bytes closed = 0;
        for (const TensorIndex t : gradientsOpened(i))
            opened += tensor(t).gradientBytes;
        for (const TensorIndex t : gradientsClosed(i))
            closed += tensor(t).gradientBytes;
        gradientBytesOpened_.push_back(opened);
        gradientBytesClosed_.push_back(closed);
    }
}

void StepGraph::findRecomputable() {
    canRecompute_.assign(profile_.tensors.size(), 0);
    for (OperatorIndex i = 0; i < operatorCount(); ++i) { // inputs come before outputs
        if (!op(i).recomputable)
            continue;
        bool reachable = true;
        for (const TensorIndex t : inputs(i))
            reachable = reachable && (producer(t) == none || isSaved(t) || canRecompute(t));
        for (const TensorIndex t : outputs(i))
            canRecompute_[at(t)] = reachable ? 1 : 0;
    }
}

} // namespace slackscope
