#include "tests/support/physics.h"

#include <algorithm>
#include <map>
#include <set>

namespace slackscope::test {

namespace {

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

struct Event {
    Interval span;
    std::int32_t item = none;
};

class Checker {
public:
    Checker(const Program& program, const Timeline& timeline, Bytes budget)
        : program_(program), graph_(program.graph()), timeline_(timeline), budget_(budget),
          items_(program.instructions().compute) {}

    std::vector<std::string> run() {
        collect();
        checkStreams();
        checkOrder();
        checkNeeds();
        checkCopies();
        checkMemory();
        checkTotals();
        return std::move(found_);
    }

private:
    void fail(const std::string& text) {
        if (found_.size() < 20)
            found_.push_back(text);
    }
    std::string tensorName(TensorIndex t) const { return "tensor " + graph_.tensor(t).id; }
    std::string itemName(std::int32_t i) const {
        static constexpr std::string_view words[] = {"forward ", "backward ", "recompute "};
        return std::string(words[static_cast<int>(items_[at(i)].kind)]) + graph_.op(items_[at(i)].op).id;
    }

    void collect() {
        for (std::int32_t i = 0; i < static_cast<std::int32_t>(items_.size()); ++i)
            compute_.push_back({computeInterval(program_, timeline_, i), i});
        for (std::int32_t i = 0; i < static_cast<std::int32_t>(timeline_.offloadStartNs.size()); ++i) {
            const TensorIndex t = program_.instructions().offloads[at(i)].tensor;
            const Nanoseconds start = timeline_.offloadStartNs[at(i)];
            offloads_.push_back({{start, start + graph_.offloadNs(t)}, t});
        }
        for (std::int32_t i = 0; i < static_cast<std::int32_t>(timeline_.prefetchStartNs.size()); ++i) {
            const TensorIndex t = program_.instructions().prefetches[at(i)].tensor;
            const Nanoseconds start = timeline_.prefetchStartNs[at(i)];
            prefetches_.push_back({{start, start + graph_.prefetchNs(t)}, t});
        }
        for (const Residency& r : program_.residencies()) {
            const Interval span = residencyInterval(program_, timeline_, r);
            if (span.toNs < span.fromNs)
                fail("a residency ends before it starts");
            spans_[{r.buffer, r.id}].push_back(span);
            Bytes size = 0;
            if (r.buffer == BufferKind::Tensor)
                size = graph_.tensor(r.id).bytes;
            else if (r.buffer == BufferKind::Gradient)
                size = graph_.tensor(r.id).gradientBytes;
            else
                size = items_[at(r.opener)].kind == ComputeKind::Backward
                           ? graph_.op(r.id).backwardWorkspaceBytes
                           : graph_.op(r.id).forwardWorkspaceBytes;
            if (span.toNs > span.fromNs) {
                delta_[span.fromNs] += size;
                delta_[span.toNs] -= size;
            }
        }
        for (auto& [key, list] : spans_) {
            std::sort(list.begin(), list.end(),
                      [](const Interval& a, const Interval& b) { return a.fromNs < b.fromNs; });
            for (std::size_t i = 1; i < list.size() && key.first != BufferKind::Workspace; ++i) {
                if (list[i].fromNs < list[i - 1].toNs)
                    fail("buffer " + std::to_string(key.second) + " is resident twice at once");
            }
        }
    }

    void checkApart(std::vector<Event> events, const char* what) {
        std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
            return std::pair(a.span.fromNs, a.span.toNs) < std::pair(b.span.fromNs, b.span.toNs);
        });
        for (std::size_t i = 1; i < events.size(); ++i) {
            if (events[i].span.fromNs < events[i - 1].span.toNs)
                fail(std::string("two items overlap on ") + what);
        }
    }

    void checkStreams() {
        checkApart(compute_, "the compute stream");
        if (graph_.profile().link.fullDuplex) {
            checkApart(offloads_, "the device-to-host stream");
            checkApart(prefetches_, "the host-to-device stream");
        } else {
            std::vector<Event> both = offloads_;
            both.insert(both.end(), prefetches_.begin(), prefetches_.end());
            checkApart(both, "the shared link");
        }
        for (const Event& e : compute_) {
            const Operator& op = graph_.op(items_[at(e.item)].op);
            const bool backward = items_[at(e.item)].kind == ComputeKind::Backward;
            if (e.span.toNs - e.span.fromNs != (backward ? op.backwardNs : op.forwardNs))
                fail(itemName(e.item) + " lasts too long or too short");
        }
    }

    void checkOrder() {
        std::vector<OperatorIndex> forwards;
        std::vector<OperatorIndex> backwards;
        Nanoseconds forwardEnd = 0;
        for (const Event& e : compute_) {
            const ComputeItem item = items_[at(e.item)];
            if (item.kind == ComputeKind::Forward) {
                forwards.push_back(item.op);
                forwardEnd = e.span.toNs;
            } else {
                if (e.span.fromNs < forwardEnd)
                    fail(itemName(e.item) + " starts before the forward pass ended");
                if (item.kind == ComputeKind::Backward)
                    backwards.push_back(item.op);
                else if (!graph_.op(item.op).recomputable)
                    fail(itemName(e.item) + " is not allowed");
            }
        }
        const auto count = graph_.operatorCount();
        bool ordered = static_cast<std::int32_t>(forwards.size()) == count &&
                       static_cast<std::int32_t>(backwards.size()) == count;
        for (OperatorIndex i = 0; ordered && i < count; ++i)
            ordered = forwards[at(i)] == i && backwards[at(i)] == count - 1 - i;
        if (!ordered)
            fail("forwards or backwards are not every operator once in order");
    }

    const Interval* covering(BufferKind buffer, std::int32_t id, Interval span) const {
        const auto found = spans_.find({buffer, id});
        if (found == spans_.end())
            return nullptr;
        for (const Interval& each : found->second) {
            if (each.fromNs <= span.fromNs && span.toNs <= each.toNs)
                return &each;
        }
        return nullptr;
    }

    void needTensor(TensorIndex t, Interval span, const std::string& who, bool ready) {
        if (graph_.tensor(t).bytes == 0)
            return;
        const Interval* residency = covering(BufferKind::Tensor, t, span);
        if (!residency)
            return fail(who + ": " + tensorName(t) + " is not resident throughout");
        if (!ready || graph_.producer(t) == none)
            return;
        const auto& times = ready_[t];
        if (std::none_of(times.begin(), times.end(),
                         [&](Nanoseconds time) { return residency->fromNs <= time && time <= span.fromNs; }))
            fail(who + ": " + tensorName(t) + " is resident but not ready");
    }

    void checkNeeds() {
        for (const Event& e : compute_) {
            if (items_[at(e.item)].kind != ComputeKind::Backward) {
                for (const TensorIndex t : graph_.outputs(items_[at(e.item)].op))
                    ready_[t].push_back(e.span.toNs);
            }
        }
        for (const Event& e : prefetches_)
            ready_[e.item].push_back(e.span.toNs);
        std::map<TensorIndex, Interval> touched;
        for (const Event& e : compute_) {
            const ComputeItem item = items_[at(e.item)];
            const Operator& op = graph_.op(item.op);
            const std::string who = itemName(e.item);
            Bytes workspace = op.forwardWorkspaceBytes;
            if (item.kind == ComputeKind::Backward) {
                workspace = op.backwardWorkspaceBytes;
                for (const TensorIndex t : op.saved)
                    needTensor(t, e.span, who, true);
                for (const auto* list : {&op.inputs, &op.outputs}) {
                    for (const TensorIndex t : *list) {
                        auto [place, fresh] = touched.try_emplace(t, e.span);
                        place->second.toNs = e.span.toNs;
                    }
                }
            } else {
                for (const TensorIndex t : op.inputs)
                    needTensor(t, e.span, who, true);
                for (const TensorIndex t : op.outputs)
                    needTensor(t, e.span, who, false);
            }
            if (workspace > 0 && !covering(BufferKind::Workspace, item.op, e.span))
                fail(who + " has no workspace");
        }
        for (const auto& [t, span] : touched) {
            if (graph_.tensor(t).gradientBytes > 0 && !covering(BufferKind::Gradient, t, span))
                fail("the gradient of " + tensorName(t) + " is not resident while it is needed");
        }
        // Rule 9: a profile input that is not offloaded stays for the whole step.
        std::set<TensorIndex> gone;
        for (const Event& e : offloads_)
            gone.insert(e.item);
        for (const TensorIndex t : graph_.profileInputs()) {
            if (!gone.contains(t))
                needTensor(t, {0, timeline_.stepNs}, "the step", false);
        }
    }

    void checkCopies() {
        std::map<TensorIndex, Nanoseconds> onHost;
        Bytes held = 0;
        for (const Event& e : offloads_) {
            needTensor(e.item, e.span, "offload", true);
            if (!onHost.emplace(e.item, e.span.toNs).second)
                fail(tensorName(e.item) + " is offloaded twice");
            held += graph_.tensor(e.item).bytes;
        }
        for (const Event& e : prefetches_) {
            if (!onHost.contains(e.item) || onHost[e.item] > e.span.fromNs)
                fail("prefetch of " + tensorName(e.item) + " before its offload has ended");
            needTensor(e.item, e.span, "prefetch", false);
        }
        const auto limit = graph_.profile().link.hostMemoryBytes;
        if (limit && held > *limit)
            fail("the host holds more than its limit");
    }

    void checkMemory() {
        std::vector<MemoryPoint> curve;
        Bytes level = 0;
        for (const auto& [time, change] : delta_) {
            if (change == 0)
                continue;
            level += change;
            curve.push_back({time, level});
            peak_ = std::max(peak_, level);
        }
        if (peak_ > budget_)
            fail("the peak of " + std::to_string(peak_) + " bytes is over the budget of " +
                 std::to_string(budget_));
        if (level != 0)
            fail("something is still resident at the end");
        if (curve != timeline_.memory)
            fail("the memory curve differs from the residencies");
    }

    void checkTotals() {
        Nanoseconds step = 0;
        Nanoseconds again = 0;
        for (const Event& e : compute_) {
            step = std::max(step, e.span.toNs);
            if (items_[at(e.item)].kind == ComputeKind::Recompute)
                again += e.span.toNs - e.span.fromNs;
        }
        if (timeline_.stepNs != step || timeline_.recomputedNs != again || timeline_.peakBytes != peak_)
            fail("a total is wrong: step, recomputed time or peak");
        if (step != graph_.idealNs() + again + timeline_.memoryStallNs + timeline_.transferStallNs)
            fail("the step is not ideal + recompute + stalls");
        Nanoseconds memory = 0;
        Nanoseconds transfer = 0;
        for (const Stall& stall : stalls(program_, timeline_))
            (stall.cause == StallCause::Memory ? memory : transfer) += stall.toNs - stall.fromNs;
        if (memory != timeline_.memoryStallNs || transfer != timeline_.transferStallNs)
            fail("the list of stalls does not add up to their totals");
    }

    const Program& program_;
    const StepGraph& graph_;
    const Timeline& timeline_;
    const Bytes budget_;
    const std::vector<ComputeItem>& items_;
    std::vector<std::string> found_;
    std::vector<Event> compute_, offloads_, prefetches_; // item: compute item, or the tensor of a copy
    std::map<std::pair<BufferKind, std::int32_t>, std::vector<Interval>> spans_;
    std::map<TensorIndex, std::vector<Nanoseconds>> ready_;
    std::map<Nanoseconds, Bytes> delta_;
    Bytes peak_ = 0;
};

} // namespace

std::vector<std::string> violations(const Program& program, const Timeline& timeline, Bytes budget) {
    return Checker(program, timeline, budget).run();
}

std::vector<std::string> violations(const Plan& plan) {
    const StepGraph& graph = *plan.graph;
    if (!plan.feasible()) {
        std::vector<std::string> found;
        if (plan.minimumBudgetBytes <= plan.budgetBytes)
            found.emplace_back("infeasible, yet the minimum budget is within the budget");
        if (!plan.blocked || plan.blocked->op < 0 || plan.blocked->op >= graph.operatorCount() ||
            plan.blocked->needsBytes != plan.minimumBudgetBytes)
            found.emplace_back("infeasible, yet nothing is blocked");
        return found;
    }
    auto found = violations(plan.simulated->program, plan.simulated->timeline, plan.budgetBytes);
    if (plan.minimumBudgetBytes > plan.budgetBytes)
        found.emplace_back("feasible below the minimum budget");
    if (plan.lowerBoundNs > plan.stepNs())
        found.emplace_back("the lower bound is above the step");
    const Instructions& program = plan.simulated->program.instructions();
    std::set<TensorIndex> offloaded;
    for (const Offload& offload : program.offloads)
        offloaded.insert(offload.tensor);
    std::set<TensorIndex> written;
    for (const ComputeItem& item : program.compute) {
        if (item.kind == ComputeKind::Recompute)
            written.insert(graph.outputs(item.op).begin(), graph.outputs(item.op).end());
    }
    Bytes moved = 0;
    for (TensorIndex t = 0; t < graph.tensorCount(); ++t) {
        const Decision said = plan.decisions[at(t)];
        if (graph.isSaved(t) && (said == Decision::Offload) != offloaded.contains(t))
            found.push_back("the decision for " + graph.tensor(t).id + " is not what its offload does");
        if (said == Decision::Recompute && !written.contains(t))
            found.push_back("nothing recomputes " + graph.tensor(t).id);
        if (offloaded.contains(t))
            moved += graph.tensor(t).bytes;
    }
    if (moved != plan.offloadedBytes)
        found.emplace_back("the offloaded bytes do not add up");
    return found;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

} // namespace slackscope::test
