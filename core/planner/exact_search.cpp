#include "core/planner/exact_search.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <queue>
#include <stdexcept>
#include <unordered_map>

namespace slackscope {

namespace {

constexpr Nanoseconds never = std::numeric_limits<Nanoseconds>::max();

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}
std::uint64_t bit(std::int32_t i) {
    return std::uint64_t{1} << i;
}
// Calls `visit` with the number of every bit that is set, ascending.
template <class Visit>
void forEachBit(std::uint64_t bits, Visit visit) {
    for (; bits != 0; bits &= bits - 1)
        visit(static_cast<std::int32_t>(std::countr_zero(bits)));
}

} // namespace

// What runs on a stream: `item` is an operator or a tensor, none while the stream is idle.
struct ExactSearch::State {
    struct Running {
        std::int32_t item = none;
        Nanoseconds leftNs = 0;
        bool operator==(const Running&) const = default;
    };
    std::int32_t ended = 0; // forwards and backwards
    bool again = false;     // the running compute item is a recompute
    Running compute, offload, prefetch;
    Bits written = 0; // by the running compute item: resident, not ready
    Bits resident = 0;
    Bits host = 0;
    Nanoseconds nowNs = 0;

    // All but what dominance compares.
    bool samePlace(const State& other) const {
        return ended == other.ended && again == other.again && compute == other.compute &&
               offload == other.offload && prefetch == other.prefetch && written == other.written;
    }
    std::uint64_t hash() const {
        std::uint64_t value = 0;
        const auto mix = [&](std::uint64_t part) {
            value = (value ^ part) * 0x9e3779b97f4a7c15U;
            value ^= value >> 29;
        };
        mix(static_cast<std::uint64_t>(ended) * 2 + (again ? 1 : 0));
        for (const Running& each : {compute, offload, prefetch}) {
            mix(static_cast<std::uint64_t>(each.item));
            mix(static_cast<std::uint64_t>(each.leftNs));
        }
        mix(written);
        return value;
    }
};

ExactSearch::ExactSearch(std::shared_ptr<const StepGraph> graph)
    : graph_(std::move(graph)), operators_(graph_->operatorCount()) {
    if (!fits(*graph_))
        throw std::logic_error("an exact search over a profile that does not fit");
    const auto bitsOf = [&](std::span<const TensorIndex> tensors) {
        Bits bits = 0;
        for (const TensorIndex t : tensors)
            bits |= graph_->tensor(t).bytes > 0 ? bit(t) : 0;
        return bits;
    };
    for (OperatorIndex op = 0; op < operators_; ++op) {
        inputs_.push_back(bitsOf(graph_->inputs(op)));
        outputs_.push_back(bitsOf(graph_->outputs(op)));
        saved_.push_back(bitsOf(graph_->saved(op)));
    }
    profileInputs_ = bitsOf(graph_->profileInputs());

    const std::size_t count = at(2 * operators_) + 1;
    live_.assign(count, 0);
    forwardReads_.assign(count, 0);
    backwardReads_.assign(count, 0);
    remainingNs_.assign(count, 0);
    gradients_.assign(count, 0);
    for (std::int32_t ended = 2 * operators_ - 1; ended >= 0; --ended) {
        const bool backward = ended >= operators_;
        const OperatorIndex op = backward ? 2 * operators_ - 1 - ended : ended;
        const std::size_t i = at(ended);
        forwardReads_[i] = forwardReads_[i + 1] | (backward ? 0 : inputs_[at(op)]);
        backwardReads_[i] = backwardReads_[i + 1] | (backward ? saved_[at(op)] : 0);
        remainingNs_[i] =
            remainingNs_[i + 1] + (backward ? graph_->op(op).backwardNs : graph_->op(op).forwardNs);
        live_[i] = forwardReads_[i] | backwardReads_[i];
        // Profile order is topological: what a recompute writes is looked at before what it reads.
        for (OperatorIndex again = operators_ - 1; again >= 0; --again) {
            if (graph_->op(again).recomputable && (outputs_[at(again)] & live_[i]) != 0)
                live_[i] |= inputs_[at(again)];
        }
    }
    for (std::int32_t ended = operators_; ended < 2 * operators_; ++ended) {
        const OperatorIndex op = 2 * operators_ - 1 - ended;
        gradients_[at(ended) + 1] =
            gradients_[at(ended)] + graph_->gradientBytesOpened(op) - graph_->gradientBytesClosed(op);
    }
}

class ExactSearch::Run {
public:
    Run(const ExactSearch& search, Bytes budget, std::int64_t mostStates)
        : search_(search), graph_(*search.graph_), budget_(budget), mostStates_(mostStates),
          hostLimit_(graph_.profile().link.hostMemoryBytes), sharedLink_(!graph_.profile().link.fullDuplex) {}

    Result result() {
        State start;
        start.resident = search_.profileInputs_;
        if (bytes(start.resident) <= budget_)
            store(start);
        Result result;
        while (!open_.empty()) {
            const Open best = open_.top();
            result.boundNs = std::max(result.boundNs, best.totalNs);
            result.states = static_cast<std::int64_t>(states_.size());
            if (result.states >= mostStates_)
                return result;
            open_.pop();
            if (dominated_[best.state] != 0)
                continue;
            const State state = states_[best.state];
            if (state.ended == 2 * search_.operators_) {
                result.optimal = true;
                return result;
            }
            chooseCompute(state);
            // What was chosen from this state may be incomplete: its own estimate is the bound.
            if (isExhausted())
                return result;
        }
        result.infeasible = true;
        return result;
    }

private:
    // Least total first; among equals the one that is furthest, then the oldest.
    struct Open {
        Nanoseconds totalNs = 0;
        Nanoseconds nowNs = 0;
        std::size_t state = 0;
        bool operator<(const Open& other) const {
            if (totalNs != other.totalNs)
                return totalNs > other.totalNs;
            if (nowNs != other.nowNs)
                return nowNs < other.nowNs;
            return state > other.state;
        }
    };

    // One state may have more successors than there is time for, where many tensors could be released.
    static constexpr std::int64_t visitsPerState = 64;
    bool isExhausted() const { return visits_ > visitsPerState * mostStates_; }

    Bytes bytes(Bits tensors) const {
        Bytes sum = 0;
        forEachBit(tensors, [&](std::int32_t t) { sum += graph_.tensor(t).bytes; });
        return sum;
    }
    bool inBackward(const State& s) const { return s.ended >= search_.operators_; }
    OperatorIndex next(const State& s) const {
        return inBackward(s) ? 2 * search_.operators_ - 1 - s.ended : s.ended;
    }

    Bytes room(const State& s) const;
    Bits ready(const State& s) const;
    Bits releasable(const State& s) const;
    Nanoseconds remainingNs(const State& s) const;

    void chooseCompute(const State& s);
    void chooseOffload(const State& s);
    void choosePrefetch(const State& s);
    void advance(State s);
    void store(const State& s);
    template <class Visit>
    void forEachRelease(const State& s, Bits candidates, Bytes missing, Visit visit);

    const ExactSearch& search_;
    const StepGraph& graph_;
    Bytes budget_;
    std::int64_t mostStates_;
    std::int64_t visits_ = 0; // of choices that were followed
    std::optional<Bytes> hostLimit_;
    bool sharedLink_;
    std::vector<State> states_;
    std::vector<char> dominated_;
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> places_; // states by hash of their place
    std::priority_queue<Open> open_;
};

// Bytes of the budget that nothing takes.
Bytes ExactSearch::Run::room(const State& s) const {
    Bytes taken = bytes(s.resident) + search_.gradients_[at(s.ended)];
    if (s.compute.item != none) {
        const Operator& op = graph_.op(s.compute.item);
        if (s.again || !inBackward(s))
            taken += op.forwardWorkspaceBytes;
        else
            taken += op.backwardWorkspaceBytes + graph_.gradientBytesOpened(s.compute.item);
    }
    return budget_ - taken;
}

ExactSearch::Bits ExactSearch::Run::ready(const State& s) const {
    return s.resident & ~s.written & ~(s.prefetch.item != none ? bit(s.prefetch.item) : 0);
}

// Ready, read by no running item and not held by rule 9.
ExactSearch::Bits ExactSearch::Run::releasable(const State& s) const {
    Bits tensors = ready(s) & ~(search_.profileInputs_ & ~s.host);
    if (s.offload.item != none)
        tensors &= ~bit(s.offload.item);
    if (s.compute.item != none) {
        const bool backward = inBackward(s) && !s.again;
        tensors &= ~(backward ? search_.saved_[at(s.compute.item)]
                              : search_.inputs_[at(s.compute.item)] | search_.outputs_[at(s.compute.item)]);
    }
    return tensors;
}

// At most what any run from here still takes; `never` where none ends.
Nanoseconds ExactSearch::Run::remainingNs(const State& s) const {
    const bool running = s.compute.item != none;
    const std::size_t from = at(s.ended) + (running && !s.again ? 1 : 0); // first item that has not started
    Bits produced = search_.profileInputs_;
    const std::int32_t forwards = std::min<std::int32_t>(static_cast<std::int32_t>(from), search_.operators_);
    for (OperatorIndex op = 0; op < forwards; ++op)
        produced |= search_.outputs_[at(op)];
    const Bits there = s.resident | s.host;
    if ((search_.forwardReads_[from] & produced & ~there) != 0)
        return never;
    Nanoseconds computeNs = s.compute.leftNs + search_.remainingNs_[from];
    Bits wanted = search_.backwardReads_[from];
    if ((wanted & search_.profileInputs_ & ~there) != 0)
        return never;
    for (OperatorIndex op = forwards - 1; op >= 0; --op) {
        if ((search_.outputs_[at(op)] & wanted & ~there) == 0)
            continue;
        if (!graph_.op(op).recomputable)
            return never;
        computeNs += graph_.op(op).forwardNs;
        wanted |= search_.inputs_[at(op)];
    }
    if ((wanted & search_.profileInputs_ & ~there) != 0)
        return never;

    // Host copies that only the link can bring back. They queue behind the prefetch that runs.
    Bits fetch = 0;
    forEachBit(search_.backwardReads_[from] & s.host & ~s.resident, [&](std::int32_t t) {
        const OperatorIndex producer = graph_.producer(t);
        fetch |= producer == none || !graph_.op(producer).recomputable ? bit(t) : 0;
    });
    Nanoseconds linkNs = s.prefetch.item != none ? s.prefetch.leftNs : 0;
    Nanoseconds mostNs = computeNs;
    for (std::size_t i = std::max(from, at(search_.operators_)); fetch != 0; ++i) {
        const Bits reads = search_.saved_[at(2 * search_.operators_ - 1 - static_cast<std::int32_t>(i))];
        if ((reads & fetch) == 0)
            continue;
        forEachBit(reads & fetch, [&](std::int32_t t) { linkNs += graph_.prefetchNs(t); });
        fetch &= ~reads;
        mostNs = std::max(mostNs, linkNs + search_.remainingNs_[i]);
    }
    return mostNs;
}

// Every smallest choice of candidates that frees at least `missing` bytes.
template <class Visit>
void ExactSearch::Run::forEachRelease(const State& s, Bits candidates, Bytes missing, Visit visit) {
    ++visits_;
    if (missing <= 0 && !isExhausted())
        return visit(s);
    std::vector<std::int32_t> list;
    forEachBit(candidates, [&](std::int32_t t) { list.push_back(t); });
    std::vector<Bytes> left(list.size() + 1, 0); // bytes of list[i] and all after it
    for (std::size_t i = list.size(); i-- > 0;)
        left[i] = left[i + 1] + graph_.tensor(list[i]).bytes;
    const auto choose = [&](const auto& self, std::size_t i, Bits chosen, Bytes freed) -> void {
        ++visits_;
        if (freed + left[i] < missing || isExhausted())
            return;
        if (freed >= missing) {
            bool least = true;
            forEachBit(chosen,
                       [&](std::int32_t t) { least = least && freed - graph_.tensor(t).bytes < missing; });
            if (least) {
                State released = s;
                released.resident &= ~chosen;
                visit(released);
            }
            return;
        }
        self(self, i + 1, chosen | bit(list[i]), freed + graph_.tensor(list[i]).bytes);
        self(self, i + 1, chosen, freed);
    };
    choose(choose, 0, 0, 0);
}

void ExactSearch::Run::chooseCompute(const State& s) {
    chooseOffload(s); // the stream stays as it is
    if (s.compute.item != none)
        return;
    const Bits isReady = ready(s);
    const OperatorIndex op = next(s);
    const bool backward = inBackward(s);
    const Bits reads = backward ? search_.saved_[at(op)] : search_.inputs_[at(op)];
    if ((reads & ~isReady) == 0) {
        const Bits written = backward ? 0 : search_.outputs_[at(op)];
        const Bytes needs =
            bytes(written) + (backward ? graph_.op(op).backwardWorkspaceBytes + graph_.gradientBytesOpened(op)
                                       : graph_.op(op).forwardWorkspaceBytes);
        forEachRelease(s, releasable(s) & ~reads, needs - room(s), [&](State started) {
            started.compute = {op, backward ? graph_.op(op).backwardNs : graph_.op(op).forwardNs};
            started.written = written;
            started.resident |= written;
            chooseOffload(started);
        });
    }
    if (!backward)
        return;
    for (OperatorIndex again = 0; again < search_.operators_; ++again) {
        const Bits outputs = search_.outputs_[at(again)];
        const Bits written = outputs & ~s.resident;
        if (!graph_.op(again).recomputable || (written & search_.live_[at(s.ended)]) == 0 ||
            (search_.inputs_[at(again)] & ~isReady) != 0)
            continue;
        const Bytes needs = bytes(written) + graph_.op(again).forwardWorkspaceBytes;
        const Bits candidates = releasable(s) & ~search_.inputs_[at(again)] & ~outputs;
        forEachRelease(s, candidates, needs - room(s), [&](State started) {
            started.compute = {again, graph_.op(again).forwardNs};
            started.again = true;
            started.written = written;
            started.resident |= written;
            chooseOffload(started);
        });
    }
}

void ExactSearch::Run::chooseOffload(const State& s) {
    choosePrefetch(s);
    if (s.offload.item != none || (sharedLink_ && s.prefetch.item != none))
        return;
    // Profile inputs may be worth an offload even if nothing reads them again: rule 9 holds them otherwise.
    const Bits worth = search_.live_[at(s.ended)] | search_.profileInputs_;
    forEachBit(ready(s) & worth & ~s.host, [&](std::int32_t t) {
        if (hostLimit_ && bytes(s.host | bit(t)) > *hostLimit_)
            return;
        State started = s;
        started.offload = {t, graph_.offloadNs(t)};
        choosePrefetch(started);
    });
}

void ExactSearch::Run::choosePrefetch(const State& s) {
    advance(s);
    if (s.prefetch.item != none || (sharedLink_ && s.offload.item != none))
        return;
    forEachBit(s.host & ~s.resident & search_.live_[at(s.ended)], [&](std::int32_t t) {
        forEachRelease(s, releasable(s), graph_.tensor(t).bytes - room(s), [&](State started) {
            started.prefetch = {t, graph_.prefetchNs(t)};
            started.resident |= bit(t);
            advance(started);
        });
    });
}

// On to the next end.
void ExactSearch::Run::advance(State s) {
    Nanoseconds passed = never;
    for (const State::Running& each : {s.compute, s.offload, s.prefetch}) {
        if (each.item != none)
            passed = std::min(passed, each.leftNs);
    }
    if (passed == never)
        return;
    s.nowNs += passed;
    const auto ends = [&](State::Running& stream) {
        if (stream.item == none)
            return none;
        stream.leftNs -= passed;
        return stream.leftNs == 0 ? std::exchange(stream.item, none) : none;
    };
    if (ends(s.compute) != none) {
        s.ended += s.again ? 0 : 1;
        s.again = false;
        s.written = 0;
    }
    if (const TensorIndex t = ends(s.offload); t != none)
        s.host |= bit(t);
    ends(s.prefetch);
    const Bits live = search_.live_[at(s.ended)];
    Bits inFlight = s.written;
    for (const State::Running& each : {s.offload, s.prefetch})
        inFlight |= each.item != none ? bit(each.item) : 0;
    s.resident &= live | inFlight | (search_.profileInputs_ & ~s.host);
    if (!hostLimit_)
        s.host &= live | search_.profileInputs_;
    store(s);
}

void ExactSearch::Run::store(const State& s) {
    const Nanoseconds remaining = remainingNs(s);
    if (remaining == never)
        return;
    std::vector<std::size_t>& place = places_[s.hash()];
    for (const std::size_t i : place) {
        const State& other = states_[i];
        if (!s.samePlace(other))
            continue;
        const auto covers = [&](const State& a, const State& b) {
            return a.nowNs <= b.nowNs && (b.resident & ~a.resident) == 0 &&
                   (hostLimit_ ? a.host == b.host : (b.host & ~a.host) == 0);
        };
        if (covers(other, s))
            return;
        if (covers(s, other))
            dominated_[i] = 1;
    }
    std::erase_if(place, [&](std::size_t i) { return dominated_[i] != 0; });
    place.push_back(states_.size());
    open_.push({s.nowNs + remaining, s.nowNs, states_.size()});
    states_.push_back(s);
    dominated_.push_back(0);
}

ExactSearch::Result ExactSearch::run(Bytes budget, std::int64_t mostStates) const {
    return Run(*this, budget, mostStates).result();
}

} // namespace slackscope
