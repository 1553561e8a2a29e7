#include "tests/support/oracle.h"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <stdexcept>
#include <unordered_map>

namespace slackscope::test {

namespace {

constexpr std::int32_t mostTensors = 12;

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

enum class Place : std::uint8_t { Absent, Coming, Ready }; // on the device; Coming: being written or fetched

struct Machine {
    std::array<Place, mostTensors> device{};
    std::array<bool, mostTensors> host{};
    std::int32_t forwards = 0;  // ended
    std::int32_t backwards = 0; // ended
    bool computing = false;
    ComputeItem item;
    Nanoseconds computeLeftNs = 0;
    TensorIndex offloading = none;
    Nanoseconds offloadLeftNs = 0;
    TensorIndex prefetching = none;
    Nanoseconds prefetchLeftNs = 0;
    std::uint64_t released = 0; // bit per tensor: to make room for what starts next, at this instant
};

struct Key {
    std::uint64_t tensors = 0;
    std::uint64_t streams = 0;
    bool operator==(const Key&) const = default;
};
struct KeyHash {
    std::size_t operator()(const Key& key) const {
        std::uint64_t value = (key.tensors ^ (key.streams * 0x9e3779b97f4a7c15U)) * 0xff51afd7ed558ccdU;
        return static_cast<std::size_t>(value ^ (value >> 32U));
    }
};

Key keyOf(const Machine& m) {
    Key key;
    for (std::size_t t = 0; t < mostTensors; ++t)
        key.tensors = key.tensors * 8 + static_cast<std::uint64_t>(m.device[t]) * 2 + (m.host[t] ? 1 : 0);
    key.tensors = (key.tensors << mostTensors) | m.released;
    const auto add = [&](std::int64_t value, unsigned bits) {
        key.streams = (key.streams << bits) | static_cast<std::uint64_t>(value);
    };
    add(m.forwards + m.backwards, 5);
    add(m.computing ? m.item.op + 1 : 0, 4);
    add(m.computing ? static_cast<int>(m.item.kind) : 0, 2);
    add(m.computing ? m.computeLeftNs : 0, 12);
    add(m.offloading + 1, 4);
    add(m.offloading == none ? 0 : m.offloadLeftNs, 12);
    add(m.prefetching + 1, 4);
    add(m.prefetching == none ? 0 : m.prefetchLeftNs, 12);
    return key;
}

// What was done to come from one state to the next.
struct Step {
    enum class What : std::uint8_t { Start, Compute, Offload, Prefetch, Release, Wait };
    What what = What::Start;
    ComputeItem item;
    TensorIndex tensor = none;
};

class Oracle {
public:
    Oracle(const StepGraph& graph, Bytes budget) : graph_(graph), budget_(budget) {
        bool fits = graph.tensorCount() <= mostTensors && graph.operatorCount() <= 15;
        for (const Operator& op : graph.profile().operators)
            fits = fits && op.forwardNs < 4096 && op.backwardNs < 4096;
        for (TensorIndex t = 0; t < graph.tensorCount(); ++t)
            fits = fits && graph.offloadNs(t) < 4096 && graph.prefetchNs(t) < 4096;
        if (!fits)
            throw std::logic_error("a profile too large for the oracle");
        for (OperatorIndex ended = 0; ended <= graph.operatorCount(); ++ended)
            gradients_.push_back({openGradients(ended, false), openGradients(ended, true)});
    }

    FastestProgram run(std::size_t mostStates) {
        Machine start;
        for (const TensorIndex t : graph_.profileInputs())
            start.device[at(t)] = Place::Ready;
        if (resident(start) > budget_)
            return {};
        reach(start, 0, 0, {});
        while (!open_.empty()) {
            const auto [totalNs, index] = open_.top();
            open_.pop();
            if (nodes_.size() > mostStates)
                return {Outcome::GaveUp, 0, {}};
            const Machine m = nodes_[index].machine;
            const Nanoseconds nowNs = nodes_[index].nowNs;
            if (totalNs > nowNs + computeLeftNs(m))
                continue; // reached sooner since
            if (m.backwards == graph_.operatorCount())
                return {Outcome::Found, nowNs, instructions(index)};
            tryEverything(m, nowNs, index);
        }
        return {};
    }

private:
    struct Node {
        Machine machine;
        Nanoseconds nowNs = 0;
        std::size_t parent = 0;
        Step step;
    };

    bool inBackward(const Machine& m) const { return m.forwards == graph_.operatorCount(); }
    const Operator& op(OperatorIndex i) const { return graph_.profile().operators[at(i)]; }
    static bool contains(const std::vector<TensorIndex>& list, TensorIndex t) {
        return std::find(list.begin(), list.end(), t) != list.end();
    }
    static bool isReady(const Machine& m, TensorIndex t) { return m.device[at(t)] == Place::Ready; }

    // Rule 3: bytes of the gradients that are open once the backwards of operators [ended, n) have ended and,
    // if `running`, while that of operator ended - 1 runs.
    Bytes openGradients(OperatorIndex ended, bool running) const {
        Bytes sum = 0;
        for (TensorIndex t = 0; t < graph_.tensorCount(); ++t) {
            OperatorIndex producer = none;
            OperatorIndex first = none; // consumer in profile order
            OperatorIndex last = none;
            for (OperatorIndex i = 0; i < graph_.operatorCount(); ++i) {
                if (contains(op(i).outputs, t))
                    producer = i;
                if (contains(op(i).inputs, t)) {
                    first = first == none ? i : first;
                    last = i;
                }
            }
            const OperatorIndex opens = last != none ? last : producer;
            const OperatorIndex closes = producer != none ? producer : first;
            if (opens >= (running ? ended - 1 : ended) && closes < ended && opens != none)
                sum += graph_.tensor(t).gradientBytes;
        }
        return sum;
    }

    Bytes resident(const Machine& m) const {
        const bool backwardRuns = m.computing && m.item.kind == ComputeKind::Backward;
        Bytes sum = gradients_[at(graph_.operatorCount() - m.backwards)][backwardRuns ? 1 : 0];
        for (TensorIndex t = 0; t < graph_.tensorCount(); ++t) {
            if (m.device[at(t)] != Place::Absent)
                sum += graph_.tensor(t).bytes;
        }
        if (m.computing)
            sum += backwardRuns ? op(m.item.op).backwardWorkspaceBytes : op(m.item.op).forwardWorkspaceBytes;
        return sum;
    }

    // What the items that every program runs still take.
    Nanoseconds computeLeftNs(const Machine& m) const {
        const auto left = [&](ComputeKind kind) {
            return m.computing && m.item.kind == kind ? m.computeLeftNs : 0;
        };
        Nanoseconds sum =
            left(ComputeKind::Forward) + left(ComputeKind::Backward) + left(ComputeKind::Recompute);
        for (OperatorIndex i = m.forwards + (left(ComputeKind::Forward) > 0 ? 1 : 0);
             i < graph_.operatorCount(); ++i)
            sum += op(i).forwardNs;
        for (OperatorIndex i =
                 graph_.operatorCount() - 1 - m.backwards - (left(ComputeKind::Backward) > 0 ? 1 : 0);
             i >= 0; --i)
            sum += op(i).backwardNs;
        return sum;
    }

    void tryEverything(const Machine& m, Nanoseconds nowNs, std::size_t index) {
        if (!m.computing) {
            const OperatorIndex count = graph_.operatorCount();
            if (!inBackward(m))
                tryCompute(m, {m.forwards, ComputeKind::Forward}, nowNs, index);
            else
                tryCompute(m, {count - 1 - m.backwards, ComputeKind::Backward}, nowNs, index);
            for (OperatorIndex i = 0; i < count && inBackward(m); ++i) {
                if (op(i).recomputable)
                    tryCompute(m, {i, ComputeKind::Recompute}, nowNs, index);
            }
        }
        for (TensorIndex t = 0; t < graph_.tensorCount(); ++t) {
            if (graph_.tensor(t).bytes == 0)
                continue; // takes no room anywhere: stays, and needs no copy
            if (m.released == 0)
                tryOffload(m, t, nowNs, index);
            tryPrefetch(m, t, nowNs, index);
            tryRelease(m, t, nowNs, index);
        }
        if (m.released == 0)
            wait(m, nowNs, index);
    }

    void tryCompute(Machine m, ComputeItem item, Nanoseconds nowNs, std::size_t index) {
        const Operator& o = op(item.op);
        const bool backward = item.kind == ComputeKind::Backward;
        for (const TensorIndex t : backward ? o.saved : o.inputs) {
            if (!isReady(m, t))
                return;
        }
        bool writes = false;
        for (const TensorIndex t : o.outputs) {
            if (!backward && m.device[at(t)] == Place::Absent) {
                m.device[at(t)] = Place::Coming;
                writes = true;
            }
        }
        if (item.kind == ComputeKind::Recompute && !writes)
            return; // nothing but waiting
        m.computing = true;
        m.item = item;
        m.computeLeftNs = backward ? o.backwardNs : o.forwardNs;
        if (takesRoom(m))
            reach(m, nowNs, index, {Step::What::Compute, item, none});
    }

    // Whether the start fits, and would not without any of the releases before it at this instant: a release
    // that makes no room can as well come later.
    bool takesRoom(Machine& m) const {
        const Bytes taken = resident(m);
        for (TensorIndex t = 0; t < graph_.tensorCount(); ++t) {
            if ((m.released >> at(t) & 1) != 0 && taken + graph_.tensor(t).bytes <= budget_)
                return false;
        }
        m.released = 0;
        return taken <= budget_;
    }

    void tryOffload(Machine m, TensorIndex t, Nanoseconds nowNs, std::size_t index) {
        if (m.offloading != none || !isReady(m, t) || m.host[at(t)])
            return;
        if (!graph_.profile().link.fullDuplex && m.prefetching != none)
            return;
        if (const auto limit = graph_.profile().link.hostMemoryBytes) {
            Bytes held = graph_.tensor(t).bytes;
            for (TensorIndex other = 0; other < graph_.tensorCount(); ++other)
                held += m.host[at(other)] ? graph_.tensor(other).bytes : 0;
            if (held > *limit)
                return;
        }
        m.offloading = t;
        m.offloadLeftNs = graph_.offloadNs(t);
        reach(m, nowNs, index, {Step::What::Offload, {}, t});
    }

    void tryPrefetch(Machine m, TensorIndex t, Nanoseconds nowNs, std::size_t index) {
        if (m.prefetching != none || !m.host[at(t)] || m.device[at(t)] != Place::Absent)
            return;
        if (!graph_.profile().link.fullDuplex && m.offloading != none)
            return;
        m.prefetching = t;
        m.prefetchLeftNs = graph_.prefetchNs(t);
        m.device[at(t)] = Place::Coming;
        if (takesRoom(m))
            reach(m, nowNs, index, {Step::What::Prefetch, {}, t});
    }

    void tryRelease(Machine m, TensorIndex t, Nanoseconds nowNs, std::size_t index) {
        if (!isReady(m, t) || m.offloading == t)
            return;
        if (graph_.producer(t) == none && !m.host[at(t)])
            return; // rule 9
        if (m.computing) {
            const Operator& o = op(m.item.op);
            const bool backward = m.item.kind == ComputeKind::Backward;
            if (contains(backward ? o.saved : o.inputs, t) || (!backward && contains(o.outputs, t)))
                return;
        }
        if (m.released >> at(t) != 0)
            return; // in one order only
        m.released |= std::uint64_t{1} << at(t);
        m.device[at(t)] = Place::Absent;
        reach(m, nowNs, index, {Step::What::Release, {}, t});
    }

    // To the next end.
    void wait(Machine m, Nanoseconds nowNs, std::size_t index) {
        Nanoseconds passed = largestDuration;
        if (m.computing)
            passed = std::min(passed, m.computeLeftNs);
        if (m.offloading != none)
            passed = std::min(passed, m.offloadLeftNs);
        if (m.prefetching != none)
            passed = std::min(passed, m.prefetchLeftNs);
        if (passed == largestDuration)
            return;
        if (m.computing && (m.computeLeftNs -= passed) == 0) {
            m.computing = false;
            m.forwards += m.item.kind == ComputeKind::Forward ? 1 : 0;
            m.backwards += m.item.kind == ComputeKind::Backward ? 1 : 0;
            for (const TensorIndex t : op(m.item.op).outputs) {
                if (m.item.kind != ComputeKind::Backward && t != m.prefetching)
                    m.device[at(t)] = Place::Ready;
            }
        }
        if (m.offloading != none && (m.offloadLeftNs -= passed) == 0) {
            m.host[at(m.offloading)] = true;
            m.offloading = none;
        }
        if (m.prefetching != none && (m.prefetchLeftNs -= passed) == 0) {
            m.device[at(m.prefetching)] = Place::Ready;
            m.prefetching = none;
        }
        reach(m, nowNs + passed, index, {Step::What::Wait, {}, none});
    }

    // Whether an item that is still to come reads a tensor that is gone for good.
    bool hopeless(const Machine& m) const {
        for (TensorIndex t = 0; t < graph_.tensorCount(); ++t) {
            if (m.device[at(t)] != Place::Absent || m.host[at(t)])
                continue;
            const OperatorIndex producer = graph_.producer(t);
            if (producer != none && producer >= m.forwards)
                continue; // still to be written
            bool read = false;
            for (OperatorIndex i = m.forwards; i < graph_.operatorCount(); ++i)
                read = read || contains(op(i).inputs, t);
            if (read)
                return true;
            for (OperatorIndex i = 0; i < graph_.operatorCount() - m.backwards; ++i)
                read = read || contains(op(i).saved, t);
            if (read && (producer == none || !op(producer).recomputable))
                return true;
        }
        return false;
    }

    void reach(const Machine& m, Nanoseconds nowNs, std::size_t parent, const Step& step) {
        if (step.what == Step::What::Release && hopeless(m))
            return;
        const auto [place, fresh] = known_.try_emplace(keyOf(m), nodes_.size());
        if (fresh)
            nodes_.push_back({m, nowNs, parent, step});
        else if (nowNs < nodes_[place->second].nowNs)
            nodes_[place->second] = {m, nowNs, parent, step};
        else
            return;
        open_.emplace(nowNs + computeLeftNs(m), place->second);
    }

    Instructions instructions(std::size_t last) const;

    const StepGraph& graph_;
    Bytes budget_;
    std::vector<std::array<Bytes, 2>> gradients_; // by backwards that have not ended; by whether one runs
    std::vector<Node> nodes_;
    std::unordered_map<Key, std::size_t, KeyHash> known_;
    std::priority_queue<std::pair<Nanoseconds, std::size_t>, std::vector<std::pair<Nanoseconds, std::size_t>>,
                        std::greater<>>
        open_;
};

// The run to a state as a program. Releases are said as early as they can be: after the last compute item
// that touches the residency, or its offload.
Instructions Oracle::instructions(std::size_t last) const {
    std::vector<std::size_t> path;
    for (std::size_t i = last; i != 0; i = nodes_[i].parent)
        path.push_back(i);
    std::reverse(path.begin(), path.end());
    Instructions out;
    // By tensor: the last position that touches its residency, and the prefetch that opened it, if nothing
    // has read it since.
    std::vector<std::int32_t> touched(at(graph_.tensorCount()), none);
    std::vector<std::int32_t> unread(at(graph_.tensorCount()), none);
    std::vector<char> needless; // by prefetch
    std::int32_t ended = 0;     // compute items
    const auto touch = [&](TensorIndex t, std::int32_t position) {
        touched[at(t)] = std::max(touched[at(t)], position);
    };
    for (const std::size_t i : path) {
        const Step& step = nodes_[i].step;
        const Machine& before = nodes_[nodes_[i].parent].machine;
        const TensorIndex t = step.tensor;
        switch (step.what) {
        case Step::What::Compute: {
            const auto position = static_cast<std::int32_t>(out.compute.size());
            out.compute.push_back(step.item);
            const bool backward = step.item.kind == ComputeKind::Backward;
            for (const TensorIndex read : backward ? op(step.item.op).saved : op(step.item.op).inputs) {
                touch(read, position);
                unread[at(read)] = none;
            }
            for (const TensorIndex written : op(step.item.op).outputs) {
                if (!backward)
                    touch(written, position);
            }
            break;
        }
        case Step::What::Offload:
            touch(t, ended - 1);
            out.offloads.push_back({t, ended - 1});
            break;
        case Step::What::Prefetch:
            unread[at(t)] = static_cast<std::int32_t>(out.prefetches.size());
            touched[at(t)] = none;
            out.prefetches.push_back({t, ended - 1});
            needless.push_back(0);
            break;
        case Step::What::Release:
            if (unread[at(t)] != none)
                needless[at(unread[at(t)])] = 1;
            else
                out.releases.push_back({t, std::max(touched[at(t)], 0)});
            unread[at(t)] = touched[at(t)] = none;
            break;
        case Step::What::Wait:
            ended += before.computing && !nodes_[i].machine.computing ? 1 : 0;
            break;
        case Step::What::Start:
            break;
        }
    }
    for (const std::int32_t prefetch : unread) {
        if (prefetch != none)
            needless[at(prefetch)] = 1;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < out.prefetches.size(); ++i) {
        if (needless[i] == 0)
            out.prefetches[kept++] = out.prefetches[i];
    }
    out.prefetches.resize(kept);
    std::stable_sort(out.releases.begin(), out.releases.end(),
                     [](const Release& a, const Release& b) { return a.after < b.after; });
    return out;
}

} // namespace

FastestProgram fastestProgram(const StepGraph& graph, Bytes budget, std::size_t mostStates) {
    return Oracle(graph, budget).run(mostStates);
}

} // namespace slackscope::test
