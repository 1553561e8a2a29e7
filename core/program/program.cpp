#include "core/program/program.h"

#include <algorithm>
#include <string>
#include <utility>

namespace slackscope {

namespace {

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

// Told of every residency of a walk as it closes; the assembler itself needs none of them.
struct NoRecord {
    void operator()(const Residency&) const {}
};

} // namespace

// Walks the instructions once in compute order, with every copy taken as instantaneous.
class Assembler {
public:
    Assembler(const StepGraph& graph, const Instructions& instructions)
        : graph_(graph), in_(instructions), live_(at(graph.tensorCount())),
          offloadOf_(at(graph.tensorCount()), none) {}

    std::optional<ProgramError> run(Program& out) { return walk(out, NoRecord{}); }

    std::vector<Residency> residencies() {
        std::vector<Residency> found;
        Program scratch;
        walk(scratch, [&](const Residency& r) {
            if (r.bytes > 0)
                found.push_back(r);
        });
        return found;
    }

private:
    // The open residency of a tensor, if any.
    struct Live {
        Opening opening = Opening::StepStart;
        bool resident = false;
        bool awaited = true; // false: prefetched, and no compute item has read it yet
        std::int32_t opener = none;
        std::int32_t prefetch = none;
        std::int32_t offload = none; // offload that reads this residency
    };

    template <class Record>
    std::optional<ProgramError> walk(Program& out, Record record);
    std::optional<ProgramError> checkShape(Program& out) const;
    std::optional<ProgramError> checkNextItem(std::int32_t position);
    std::string nameOf(TensorIndex t) const { return "\"" + graph_.tensor(t).id + "\""; }
    bool exists(TensorIndex t) const { return t >= 0 && t < graph_.tensorCount(); }

    std::optional<ProgramError> read(std::span<const TensorIndex> tensors, std::int32_t position,
                                     Program::ComputeStep& step);
    void write(OperatorIndex op, std::int32_t position, Program::ComputeStep& step);
    std::optional<ProgramError> startOffloads(std::int32_t after, Program& out);
    std::optional<ProgramError> startPrefetches(std::int32_t after, Program& out);
    template <class Record>
    std::optional<ProgramError> release(std::int32_t after, Program& out, Record& record);
    template <class Record>
    void close(TensorIndex t, std::int32_t after, Program& out, Record& record);

    const StepGraph& graph_;
    const Instructions& in_;
    std::vector<Live> live_;
    std::vector<std::int32_t> offloadOf_; // per tensor: position of its offload, or none
    std::vector<std::int32_t> gradientOpener_;
    std::size_t nextRelease_ = 0;
    std::size_t nextOffload_ = 0;
    std::size_t nextPrefetch_ = 0;
    OperatorIndex forwardsDone_ = 0;
    OperatorIndex backwardsDone_ = 0;
};

std::optional<ProgramError> Assembler::checkShape(Program& out) const {
    const auto last = static_cast<std::int32_t>(in_.compute.size()) - 1;
    const auto ascends = [&](const auto& list, const char* what,
                             std::int32_t first) -> std::optional<ProgramError> {
        std::int32_t previous = first;
        for (const auto& each : list) {
            if (!exists(each.tensor))
                return ProgramError{each.after, std::string(what) + " of a tensor that does not exist"};
            if (each.after < previous || each.after > last)
                return ProgramError{each.after, std::string(what) + " of " + nameOf(each.tensor) +
                                                    " is out of order: positions must ascend and exist"};
            previous = each.after;
        }
        return std::nullopt;
    };
    if (auto error = ascends(in_.releases, "release", 0))
        return error;
    if (auto error = ascends(in_.offloads, "offload", none))
        return error;
    if (auto error = ascends(in_.prefetches, "prefetch", none))
        return error;
    // Sums stay inside 64 bits: each term is at most 2^60.
    Nanoseconds total = 0;
    const auto add = [&](Nanoseconds duration) { return (total += duration) <= largestDuration; };
    for (const ComputeItem& item : in_.compute) {
        if (item.op < 0 || item.op >= graph_.operatorCount())
            return ProgramError{none, "a compute item names an operator that does not exist"};
        const Operator& op = graph_.op(item.op);
        if (!add(item.kind == ComputeKind::Backward ? op.backwardNs : op.forwardNs))
            return ProgramError{none, "the items take over 36 years together"};
    }
    for (const Offload& item : in_.offloads) {
        if (!add(graph_.offloadNs(item.tensor)))
            return ProgramError{none, "the items take over 36 years together"};
    }
    for (const Prefetch& item : in_.prefetches) {
        if (!add(graph_.prefetchNs(item.tensor)))
            return ProgramError{none, "the items take over 36 years together"};
    }
    Bytes host = 0;
    for (const Offload& item : in_.offloads)
        host += graph_.tensor(item.tensor).bytes; // at most once per tensor, checked in the walk
    const auto limit = graph_.profile().link.hostMemoryBytes;
    if (limit && !in_.offloads.empty() && (*limit == 0 || host > *limit))
        return ProgramError{none, "the offloads need " + std::to_string(host) +
                                      " bytes of host memory, but the limit is " + std::to_string(*limit)};
    out.computeSteps_.reserve(in_.compute.size());
    out.offloadSteps_.resize(in_.offloads.size());
    out.prefetchSteps_.resize(in_.prefetches.size());
    return std::nullopt;
}

std::optional<ProgramError> Assembler::checkNextItem(std::int32_t position) {
    const ComputeItem item = in_.compute[at(position)];
    const OperatorIndex count = graph_.operatorCount();
    const std::string name = "\"" + graph_.op(item.op).id + "\"";
    switch (item.kind) {
    case ComputeKind::Forward:
        if (item.op != forwardsDone_)
            return ProgramError{position, "forward of " + name + " is out of profile order"};
        ++forwardsDone_;
        break;
    case ComputeKind::Backward:
        if (forwardsDone_ != count)
            return ProgramError{position, "backward of " + name + " comes before the forward pass has ended"};
        if (item.op != count - 1 - backwardsDone_)
            return ProgramError{position, "backward of " + name + " is out of reverse profile order"};
        ++backwardsDone_;
        break;
    case ComputeKind::Recompute:
        if (forwardsDone_ != count)
            return ProgramError{position, "recompute of " + name + " comes before the backward pass"};
        if (!graph_.op(item.op).recomputable)
            return ProgramError{position, "operator " + name + " is not recomputable"};
        break;
    }
    return std::nullopt;
}

std::optional<ProgramError> Assembler::read(std::span<const TensorIndex> tensors, std::int32_t position,
                                            Program::ComputeStep& step) {
    for (const TensorIndex t : tensors) {
        Live& live = live_[at(t)];
        if (!live.resident)
            return ProgramError{position, "operator \"" + graph_.op(in_.compute[at(position)].op).id +
                                              "\" reads tensor " + nameOf(t) +
                                              ", which is not resident and not on its way"};
        step.prefetch = std::max(step.prefetch, live.prefetch);
        live.awaited = true;
    }
    return std::nullopt;
}

void Assembler::write(OperatorIndex op, std::int32_t position, Program::ComputeStep& step) {
    for (const TensorIndex t : graph_.outputs(op)) {
        Live& live = live_[at(t)];
        if (live.resident) {
            // Resident outputs are not written again; one that a prefetch brings must be there first.
            step.prefetch = std::max(step.prefetch, live.prefetch);
            live.awaited = true;
            continue;
        }
        // An earlier residency may still wait for its offload: it must close before this one opens.
        step.offload = std::max(step.offload, offloadOf_[at(t)]);
        live = Live{Opening::ComputeStart, true, true, position, none, none};
        step.allocated += graph_.tensor(t).bytes;
    }
}

std::optional<ProgramError> Assembler::startOffloads(std::int32_t after, Program& out) {
    for (; nextOffload_ < in_.offloads.size() && in_.offloads[nextOffload_].after == after; ++nextOffload_) {
        const TensorIndex t = in_.offloads[nextOffload_].tensor;
        Live& live = live_[at(t)];
        if (offloadOf_[at(t)] != none)
            return ProgramError{after, "tensor " + nameOf(t) + " is offloaded twice"};
        if (!live.resident || live.prefetch != none)
            return ProgramError{after, "offload of tensor " + nameOf(t) + ", which is not resident there"};
        const auto position = static_cast<std::int32_t>(nextOffload_);
        live.offload = position;
        offloadOf_[at(t)] = position;
        out.offloadSteps_[nextOffload_] = {graph_.offloadNs(t), graph_.tensor(t).bytes, after, none};
    }
    return std::nullopt;
}

std::optional<ProgramError> Assembler::startPrefetches(std::int32_t after, Program& out) {
    for (; nextPrefetch_ < in_.prefetches.size() && in_.prefetches[nextPrefetch_].after == after;
         ++nextPrefetch_) {
        const TensorIndex t = in_.prefetches[nextPrefetch_].tensor;
        Live& live = live_[at(t)];
        const auto position = static_cast<std::int32_t>(nextPrefetch_);
        if (offloadOf_[at(t)] == none)
            return ProgramError{after, "prefetch of tensor " + nameOf(t) + ", which no offload has copied"};
        if (live.resident)
            return ProgramError{after, "prefetch of tensor " + nameOf(t) + ", which is resident"};
        live = Live{Opening::PrefetchStart, true, false, position, position, none};
        out.prefetchSteps_[nextPrefetch_] = {graph_.prefetchNs(t), graph_.tensor(t).bytes, after,
                                             offloadOf_[at(t)]};
    }
    return std::nullopt;
}

template <class Record>
void Assembler::close(TensorIndex t, std::int32_t after, Program& out, Record& record) {
    Live& live = live_[at(t)];
    const Bytes bytes = graph_.tensor(t).bytes;
    if (live.offload != none)
        out.offloadSteps_[at(live.offload)].releasedAfter = after;
    else
        out.computeSteps_[at(after)].freed += bytes;
    record(Residency{BufferKind::Tensor, live.opening, t, live.opener, after, live.offload, bytes});
    live.resident = false;
}

template <class Record>
std::optional<ProgramError> Assembler::release(std::int32_t after, Program& out, Record& record) {
    for (; nextRelease_ < in_.releases.size() && in_.releases[nextRelease_].after == after; ++nextRelease_) {
        const TensorIndex t = in_.releases[nextRelease_].tensor;
        const Live& live = live_[at(t)];
        if (!live.resident)
            return ProgramError{after, "release of tensor " + nameOf(t) + ", which is not resident"};
        if (!live.awaited)
            return ProgramError{after,
                                "release of tensor " + nameOf(t) + ", which was prefetched for nothing"};
        close(t, after, out, record);
    }
    return std::nullopt;
}

template <class Record>
std::optional<ProgramError> Assembler::walk(Program& out, Record record) {
    if (auto error = checkShape(out))
        return error;
    for (const TensorIndex t : graph_.profileInputs()) {
        live_[at(t)] = Live{Opening::StepStart, true, true, none, none, none};
        out.initialBytes_ += graph_.tensor(t).bytes;
    }
    gradientOpener_.assign(at(graph_.tensorCount()), none);
    if (auto error = startOffloads(none, out))
        return error;
    if (auto error = startPrefetches(none, out))
        return error;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(in_.compute.size()); ++i) {
        if (auto error = checkNextItem(i))
            return error;
        const ComputeItem item = in_.compute[at(i)];
        const Operator& op = graph_.op(item.op);
        const bool backward = item.kind == ComputeKind::Backward;
        Program::ComputeStep step;
        step.durationNs = backward ? op.backwardNs : op.forwardNs;
        const Bytes workspace = backward ? op.backwardWorkspaceBytes : op.forwardWorkspaceBytes;
        step.allocated = workspace;
        step.freed = workspace;
        record(Residency{BufferKind::Workspace, Opening::ComputeStart, item.op, i, i, none, workspace});
        if (auto error = read(backward ? graph_.saved(item.op) : graph_.inputs(item.op), i, step))
            return error;
        if (backward) {
            step.allocated += graph_.gradientBytesOpened(item.op);
            step.freed += graph_.gradientBytesClosed(item.op);
            for (const TensorIndex t : graph_.gradientsOpened(item.op))
                gradientOpener_[at(t)] = i;
            for (const TensorIndex t : graph_.gradientsClosed(item.op))
                record(Residency{BufferKind::Gradient, Opening::ComputeStart, t, gradientOpener_[at(t)], i,
                                 none, graph_.tensor(t).gradientBytes});
        } else {
            write(item.op, i, step);
        }
        out.computeSteps_.push_back(step);
        // An offload may read what is released at the same position; a prefetch comes after the release.
        if (auto error = startOffloads(i, out))
            return error;
        if (auto error = release(i, out, record))
            return error;
        if (auto error = startPrefetches(i, out))
            return error;
    }
    if (backwardsDone_ != graph_.operatorCount())
        return ProgramError{static_cast<std::int32_t>(in_.compute.size()),
                            "the program ends before every backward has run"};
    const auto last = static_cast<std::int32_t>(in_.compute.size()) - 1;
    for (TensorIndex t = 0; t < graph_.tensorCount(); ++t) {
        if (!live_[at(t)].resident)
            continue;
        if (!live_[at(t)].awaited)
            return ProgramError{last, "tensor " + nameOf(t) + " is prefetched for nothing"};
        close(t, last, out, record);
    }
    out.offloadsByRelease_.resize(out.offloadSteps_.size());
    for (std::size_t i = 0; i < out.offloadsByRelease_.size(); ++i)
        out.offloadsByRelease_[i] = static_cast<std::int32_t>(i);
    std::stable_sort(
        out.offloadsByRelease_.begin(), out.offloadsByRelease_.end(), [&](std::int32_t a, std::int32_t b) {
            return out.offloadSteps_[at(a)].releasedAfter < out.offloadSteps_[at(b)].releasedAfter;
        });
    return std::nullopt;
}

tl::expected<Program, ProgramError> Program::assemble(std::shared_ptr<const StepGraph> graph,
                                                      Instructions instructions) {
    Program program;
    program.graph_ = std::move(graph);
    program.instructions_ = std::move(instructions);
    Assembler assembler(*program.graph_, program.instructions_);
    if (auto error = assembler.run(program))
        return tl::unexpected(std::move(*error));
    return program;
}

std::vector<Residency> Program::residencies() const {
    return Assembler(*graph_, instructions_).residencies();
}

} // namespace slackscope
