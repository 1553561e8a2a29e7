#include "core/simulator/simulator.h"

#include <algorithm>
#include <utility>

namespace slackscope {

namespace {

constexpr Nanoseconds never = std::numeric_limits<Nanoseconds>::max();

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

// The three streams and the memory ledger. Each stream is an index of its next item and the end of the one
// that runs now (`never` when idle); an item has ended when its index is below the stream's `done`.
class Engine {
public:
    Engine(const Program& program, Bytes budget, Timeline storage)
        : compute_(program.computeSteps()), offloads_(program.offloadSteps()),
          prefetches_(program.prefetchSteps()), byRelease_(program.offloadsByRelease()), budget_(budget),
          sharedLink_(!program.graph().profile().link.fullDuplex), out_(std::move(storage)),
          resident_(program.initialBytes()) {
        out_.computeStartNs.clear();
        out_.offloadStartNs.clear();
        out_.prefetchStartNs.clear();
        out_.memory.clear();
        out_.stepNs = out_.recomputedNs = out_.memoryStallNs = out_.transferStallNs = out_.peakBytes = 0;
    }

    tl::expected<Timeline, Deadlock> run();

private:
    std::int32_t computeDone() const { return computeEndNs_ == never ? nextCompute_ : nextCompute_ - 1; }
    std::int32_t offloadsDone() const { return offloadEndNs_ == never ? nextOffload_ : nextOffload_ - 1; }
    std::int32_t prefetchesDone() const {
        return prefetchEndNs_ == never ? nextPrefetch_ : nextPrefetch_ - 1;
    }
    bool fits(Bytes bytes) const { return bytes <= budget_ - resident_; }

    void startCompute();
    void startOffload();
    void startPrefetch();
    void endCompute();
    void endOffload();
    void recordMemory();
    Deadlock deadlock() const;

    const std::span<const Program::ComputeStep> compute_;
    const std::span<const Program::OffloadStep> offloads_;
    const std::span<const Program::PrefetchStep> prefetches_;
    const std::span<const std::int32_t> byRelease_;
    const Bytes budget_;
    const bool sharedLink_;
    Timeline out_;
    Nanoseconds nowNs_ = 0;
    Nanoseconds computeEndNs_ = never;
    Nanoseconds offloadEndNs_ = never;
    Nanoseconds prefetchEndNs_ = never;
    Nanoseconds computeFreeNs_ = 0; // end of the latest compute item
    std::int32_t nextCompute_ = 0;
    std::int32_t nextOffload_ = 0;
    std::int32_t nextPrefetch_ = 0;
    std::size_t nextByRelease_ = 0;
    Bytes resident_;
};

inline void Engine::recordMemory() {
    if (!out_.memory.empty() && out_.memory.back().residentBytes == resident_)
        return;
    if (out_.memory.empty() && resident_ == 0)
        return;
    out_.memory.push_back({nowNs_, resident_});
    out_.peakBytes = std::max(out_.peakBytes, resident_);
}

inline void Engine::startCompute() {
    const Program::ComputeStep& step = compute_[at(nextCompute_)];
    if (step.prefetch >= prefetchesDone() || step.offload >= offloadsDone() || !fits(step.allocated))
        return;
    if (nowNs_ > computeFreeNs_) {
        Nanoseconds landed = computeFreeNs_;
        if (step.prefetch != none)
            landed = std::max(landed, out_.prefetchStartNs[at(step.prefetch)] +
                                          prefetches_[at(step.prefetch)].durationNs);
        out_.transferStallNs += landed - computeFreeNs_;
        out_.memoryStallNs += nowNs_ - landed;
    }
    resident_ += step.allocated;
    out_.computeStartNs.push_back(nowNs_);
    computeEndNs_ = nowNs_ + step.durationNs;
    ++nextCompute_;
}

inline void Engine::startOffload() {
    const Program::OffloadStep& step = offloads_[at(nextOffload_)];
    if (step.after >= computeDone() || (sharedLink_ && prefetchEndNs_ != never))
        return;
    out_.offloadStartNs.push_back(nowNs_);
    offloadEndNs_ = nowNs_ + step.durationNs;
    ++nextOffload_;
}

inline void Engine::startPrefetch() {
    const Program::PrefetchStep& step = prefetches_[at(nextPrefetch_)];
    if (step.after >= computeDone() || step.offload >= offloadsDone() || !fits(step.bytes) ||
        (sharedLink_ && offloadEndNs_ != never))
        return;
    resident_ += step.bytes;
    out_.prefetchStartNs.push_back(nowNs_);
    prefetchEndNs_ = nowNs_ + step.durationNs;
    ++nextPrefetch_;
}

inline void Engine::endCompute() {
    const std::int32_t ended = nextCompute_ - 1;
    computeEndNs_ = never;
    computeFreeNs_ = nowNs_;
    resident_ -= compute_[at(ended)].freed;
    const std::int32_t copied = offloadsDone();
    for (; nextByRelease_ < byRelease_.size() &&
           offloads_[at(byRelease_[nextByRelease_])].releasedAfter <= ended;
         ++nextByRelease_) {
        const std::int32_t offload = byRelease_[nextByRelease_];
        if (offload < copied)
            resident_ -= offloads_[at(offload)].bytes;
    }
}

inline void Engine::endOffload() {
    const Program::OffloadStep& step = offloads_[at(nextOffload_ - 1)];
    offloadEndNs_ = never;
    if (step.releasedAfter < computeDone())
        resident_ -= step.bytes;
}

Deadlock Engine::deadlock() const {
    if (nextCompute_ >= static_cast<std::int32_t>(compute_.size()))
        return {none, 0, budget_ - resident_, StallCause::Transfer};
    const Program::ComputeStep& step = compute_[at(nextCompute_)];
    // A wait for a prefetch that itself finds no room is a want of room in the end.
    const bool forPrefetch = step.prefetch >= prefetchesDone();
    const Bytes needs = step.allocated + (forPrefetch ? prefetches_[at(nextPrefetch_)].bytes : 0);
    return {nextCompute_, needs, budget_ - resident_,
            needs > budget_ - resident_ ? StallCause::Memory : StallCause::Transfer};
}

tl::expected<Timeline, Deadlock> Engine::run() {
    out_.computeStartNs.reserve(compute_.size());
    out_.offloadStartNs.reserve(offloads_.size());
    out_.prefetchStartNs.reserve(prefetches_.size());
    out_.memory.reserve(2 * compute_.size() + offloads_.size() + prefetches_.size() + 2);
    const auto computeCount = static_cast<std::int32_t>(compute_.size());
    const auto offloadCount = static_cast<std::int32_t>(offloads_.size());
    const auto prefetchCount = static_cast<std::int32_t>(prefetches_.size());
    if (resident_ > budget_)
        return tl::unexpected(Deadlock{0, resident_, budget_, StallCause::Memory});
    while (true) {
        if (computeEndNs_ == never && nextCompute_ < computeCount)
            startCompute();
        if (offloadEndNs_ == never && nextOffload_ < offloadCount)
            startOffload();
        if (prefetchEndNs_ == never && nextPrefetch_ < prefetchCount)
            startPrefetch();
        const Nanoseconds next = std::min({computeEndNs_, offloadEndNs_, prefetchEndNs_});
        if (next == never)
            break;
        if (next > nowNs_) {
            recordMemory();
            nowNs_ = next;
        }
        // Everything that ends at this instant ends before anything starts at it.
        if (computeEndNs_ == nowNs_)
            endCompute();
        if (offloadEndNs_ == nowNs_)
            endOffload();
        if (prefetchEndNs_ == nowNs_)
            prefetchEndNs_ = never;
    }
    if (nextCompute_ < computeCount || nextOffload_ < offloadCount || nextPrefetch_ < prefetchCount)
        return tl::unexpected(deadlock());
    recordMemory();
    out_.stepNs = computeFreeNs_;
    return std::move(out_);
}

} // namespace

tl::expected<Timeline, Deadlock> simulate(const Program& program, Bytes budget, Timeline storage) {
    auto result = Engine(program, budget, std::move(storage)).run();
    if (result) {
        const auto& items = program.instructions().compute;
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (items[i].kind == ComputeKind::Recompute)
                result->recomputedNs += program.computeSteps()[i].durationNs;
        }
    }
    return result;
}

Interval computeInterval(const Program& program, const Timeline& timeline, std::int32_t item) {
    const Nanoseconds start = timeline.computeStartNs[at(item)];
    return {start, start + program.computeSteps()[at(item)].durationNs};
}

Interval offloadInterval(const Program& program, const Timeline& timeline, std::int32_t item) {
    const Nanoseconds start = timeline.offloadStartNs[at(item)];
    return {start, start + program.offloadSteps()[at(item)].durationNs};
}

Interval prefetchInterval(const Program& program, const Timeline& timeline, std::int32_t item) {
    const Nanoseconds start = timeline.prefetchStartNs[at(item)];
    return {start, start + program.prefetchSteps()[at(item)].durationNs};
}

Interval residencyInterval(const Program& program, const Timeline& timeline, const Residency& residency) {
    Interval span;
    if (residency.opening == Opening::ComputeStart)
        span.fromNs = timeline.computeStartNs[at(residency.opener)];
    else if (residency.opening == Opening::PrefetchStart)
        span.fromNs = timeline.prefetchStartNs[at(residency.opener)];
    span.toNs = computeInterval(program, timeline, residency.closer).toNs;
    if (residency.offload != none)
        span.toNs = std::max(span.toNs, offloadInterval(program, timeline, residency.offload).toNs);
    return span;
}

std::vector<Stall> stalls(const Program& program, const Timeline& timeline) {
    std::vector<Stall> found;
    Nanoseconds freeNs = 0;
    const auto count = static_cast<std::int32_t>(timeline.computeStartNs.size());
    for (std::int32_t i = 0; i < count; ++i) {
        const Interval run = computeInterval(program, timeline, i);
        if (run.fromNs > freeNs) {
            Nanoseconds landed = freeNs;
            const std::int32_t prefetch = program.computeSteps()[at(i)].prefetch;
            if (prefetch != none)
                landed = std::max(landed, prefetchInterval(program, timeline, prefetch).toNs);
            if (landed > freeNs)
                found.push_back({freeNs, landed, StallCause::Transfer, i});
            if (run.fromNs > landed)
                found.push_back({landed, run.fromNs, StallCause::Memory, i});
        }
        freeNs = run.toNs;
    }
    return found;
}

} // namespace slackscope
