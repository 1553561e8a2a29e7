#include "core/planner/lower_bound.h"

#include "core/planner/branching.h"
#include "core/planner/cuts.h"
#include "core/planner/stage_rows.h"

#include <coin/ClpSimplex.hpp>

#include <algorithm>
#include <cmath>

namespace slackscope {

namespace {

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

using Sum = LinearProgram::Sum;

} // namespace

class LowerBound::Model {
public:
    Model(std::shared_ptr<const StepGraph> graph, std::int32_t positions)
        : graph_(std::move(graph)), operators_(graph_->operatorCount()) {
        frame_.needs = needs();
        samplePositions(positions);
        addDecisions();
        addPositions();
        if (operators_ <= mostStagedOperators)
            stages_.emplace(graph_, frame_);
    }

    Nanoseconds solve(Bytes budget, Nanoseconds enoughNs, const std::function<bool()>& stop) const {
        LinearProgram program = programAt(budget);
        const int own = program.columnCount();
        if (stages_)
            stages_->add(program, budget);
        if (!stages_ || enoughNs <= 0)
            return boundOf(branchedBound(program, {}));
        Branching branching;
        branching.columns = wholeColumns();
        for (int column = own; column < program.columnCount(); ++column)
            branching.columns.push_back({column, 1});
        branching.mostNodes = mostBranches;
        branching.enough = inMicroseconds(enoughNs - graph_->idealNs());
        branching.stop = stop;
        Cutting cutting;
        for (const Branching::Column& each : branching.columns)
            cutting.whole.push_back(each.column);
        cutting.mostRounds = mostRounds;
        cutting.mostStalled = mostStalled;
        cutting.enough = branching.enough;
        cutting.stop = stop;
        const Nanoseconds found = boundOf(branchedBound(withCuts(program, cutting), branching));
        if (found >= enoughNs / 100 * hardBelowPercent || (stop && stop()))
            return found;
        cutting.mostRounds = mostHardRounds;
        cutting.mostStalled = mostHardStalled;
        cutting.moreVertices = hardVertices;
        cutting.aside = inMicroseconds(graph_->idealNs()) * hardAside;
        return std::max(found, boundOf(branchedBound(withCuts(program, cutting), {})));
    }

    // Each but the first from where the one before it ended; fewer when stopped.
    std::vector<Nanoseconds> solveAll(std::span<const Bytes> budgets,
                                      const std::function<bool()>& stop) const {
        std::vector<Nanoseconds> bounds;
        ClpSimplex solver;
        solver.setLogLevel(0);
        for (const Bytes budget : budgets) {
            if (stop && stop())
                break;
            if (stages_) { // their rows differ from budget to budget
                bounds.push_back(solve(budget, 0, {}));
                continue;
            }
            const LinearProgram program = programAt(budget);
            if (bounds.empty()) {
                program.load(solver);
                solver.initialDualSolve();
            } else {
                for (const auto& [row, needed] : memoryRows_)
                    solver.setRowUpper(row, inMegabytes(budget) - needed);
                solver.dual(); // other limits leave the prices feasible
            }
            bounds.push_back(boundAt(program, solver));
        }
        return bounds;
    }

private:
    LinearProgram programAt(Bytes budget) const {
        LinearProgram program = program_;
        for (const auto& [row, needed] : memoryRows_)
            program.setLimit(row, inMegabytes(budget) - needed);
        return program;
    }
    Nanoseconds boundAt(const LinearProgram& program, const ClpSimplex& solver) const {
        // A ray of an infeasible program proves nothing here: the prices found so far still bound.
        return boundOf(program.dualValue(solver.dualRowSolution()));
    }
    Nanoseconds boundOf(double waitingUs) const {
        const double waitingNs = std::min(waitingUs * 1e3, static_cast<double>(horizonNs_));
        return graph_->idealNs() + std::max<Nanoseconds>(0, static_cast<Nanoseconds>(waitingNs));
    }
    // What is 0 or 1 in the values that a program gives: recomputes first, then offloads, decide the most.
    std::vector<Branching::Column> wholeColumns() const {
        std::vector<Branching::Column> columns;
        const auto add = [&](const std::vector<int>& list, double weight) {
            for (const int column : list) {
                if (column >= 0)
                    columns.push_back({column, weight});
            }
        };
        add(frame_.again, 3);
        add(frame_.offloaded, 2);
        add(frame_.dropped, 1);
        add(held_, 1);
        for (TensorIndex t = 0; t < graph_->tensorCount(); ++t) {
            if (frame_.broughtBack[at(t)] != frame_.offloaded[at(t)])
                columns.push_back({frame_.broughtBack[at(t)], 1});
        }
        return columns;
    }

    using Changes = std::vector<std::pair<TensorIndex, int>>; // tensor, +1 enters, -1 leaves

    Bytes bytes(TensorIndex t) const { return graph_->tensor(t).bytes; }
    std::int32_t backwardPosition(OperatorIndex op) const { return 2 * operators_ - 1 - op; }
    Nanoseconds durationNs(std::int32_t position) const {
        return position < operators_ ? graph_->op(position).forwardNs
                                     : graph_->op(backwardPosition(position)).backwardNs;
    }

    void samplePositions(std::int32_t most);
    void addDecisions();
    void addRecomputeChains();
    void addPositions();
    std::vector<Bytes> needs() const;
    void collectChanges();
    void findFetchDeadlines();

    std::shared_ptr<const StepGraph> graph_;
    std::int32_t operators_;
    double bytesOfAll_ = 0;     // of all tensors, in units
    Nanoseconds horizonNs_ = 0; // waiting beyond this is not modelled
    LinearProgram program_;
    BoundFrame frame_;
    std::optional<StageRows> stages_;                // for graphs of a moderate size
    std::vector<int> held_;                          // h, by tensor; -1 where it cannot
    std::vector<std::pair<int, double>> memoryRows_; // row, what is needed whatever is decided
    // By position: tensors that begin or cease to be resident without being read there.
    std::vector<Changes> idle_;     // may be taken off by an offload
    std::vector<Changes> turnIdle_; // the same, after the last forward use of a saved tensor
    std::vector<Changes> dropGap_;  // may be taken off by a drop
    std::vector<Changes> hold_;
    std::vector<std::vector<TensorIndex>> fetchedBy_; // transients whose fetch is over at a position
    int hostTransients_ = -1; // column: bytes of the transient tensors that are offloaded
};

void LowerBound::Model::samplePositions(std::int32_t most) {
    const std::int32_t count = 2 * operators_;
    if (count <= most) {
        for (std::int32_t p = 0; p < count; ++p)
            frame_.sampled.push_back(p);
        return;
    }
    // The turn, and the fullest position of each of `most` stretches, by what keeping everything takes.
    std::vector<Bytes> change(at(count) + 1, 0);
    for (TensorIndex t = 0; t < graph_->tensorCount(); ++t) {
        const std::int32_t from = std::max(graph_->producer(t), 0);
        std::int32_t to = std::max(graph_->lastForwardUse(t), 0);
        if (graph_->isSaved(t))
            to = backwardPosition(graph_->lastBackwardUse(t));
        change[at(from)] += bytes(t);
        change[at(to) + 1] -= bytes(t);
    }
    std::vector<Bytes> full(at(count), 0);
    Bytes level = 0;
    for (std::int32_t p = 0; p < count; ++p)
        full[at(p)] = (level += change[at(p)]) + frame_.needs[at(p)] / 2;
    for (std::int32_t stretch = 0; stretch < most; ++stretch) {
        const auto low = static_cast<std::int32_t>(std::int64_t{count} * stretch / most);
        const auto high = static_cast<std::int32_t>(std::int64_t{count} * (stretch + 1) / most);
        frame_.sampled.push_back(static_cast<std::int32_t>(
            std::max_element(full.begin() + low, full.begin() + high) - full.begin()));
    }
    for (const std::int32_t turn : {operators_ - 1, operators_, operators_ + 1}) {
        if (turn < count)
            frame_.sampled.push_back(turn);
    }
    std::sort(frame_.sampled.begin(), frame_.sampled.end());
    frame_.sampled.erase(std::unique(frame_.sampled.begin(), frame_.sampled.end()), frame_.sampled.end());
}

// Bytes that must be resident at each position whatever is decided: what the item reads and writes, its
// workspace and the open gradients.
std::vector<Bytes> LowerBound::Model::needs() const {
    std::vector<Bytes> need(at(2 * operators_), 0);
    for (OperatorIndex op = 0; op < operators_; ++op) {
        Bytes& here = need[at(op)];
        here = graph_->op(op).forwardWorkspaceBytes;
        for (const TensorIndex t : graph_->inputs(op))
            here += bytes(t);
        for (const TensorIndex t : graph_->outputs(op))
            here += bytes(t);
    }
    Bytes gradients = 0;
    for (OperatorIndex op = operators_ - 1; op >= 0; --op) {
        gradients += graph_->gradientBytesOpened(op);
        Bytes& here = need[at(backwardPosition(op))];
        here = gradients + graph_->op(op).backwardWorkspaceBytes;
        for (const TensorIndex t : graph_->saved(op))
            here += bytes(t);
        gradients -= graph_->gradientBytesClosed(op);
    }
    return need;
}

void LowerBound::Model::addDecisions() {
    frame_.dropped.assign(at(graph_->tensorCount()), -1);
    frame_.offloaded = frame_.broughtBack = held_ = frame_.dropped;
    frame_.again.assign(at(operators_), -1);
    Nanoseconds copies = 0;
    const auto limit = graph_->profile().link.hostMemoryBytes;
    for (OperatorIndex op = 0; op < operators_; ++op) {
        if (graph_->op(op).recomputable)
            frame_.again[at(op)] = program_.column(1, 0);
    }
    Sum onHost;
    for (TensorIndex t = 0; t < graph_->tensorCount(); ++t) {
        const OperatorIndex producer = graph_->producer(t);
        if (bytes(t) > 0 && (!limit || bytes(t) <= *limit)) {
            frame_.offloaded[at(t)] = frame_.broughtBack[at(t)] = program_.column(1, 0);
            onHost.push_back({frame_.offloaded[at(t)], inMegabytes(bytes(t))});
            copies += graph_->offloadNs(t) + graph_->prefetchNs(t);
        }
        if (producer == none)
            continue;
        if (graph_->isSaved(t) && frame_.again[at(producer)] >= 0) {
            frame_.dropped[at(t)] = program_.column(1, 0);
            program_.atMost({{frame_.dropped[at(t)], 1}, {frame_.again[at(producer)], -1}}, 0);
            if (frame_.offloaded[at(t)] >= 0) {
                frame_.broughtBack[at(t)] = program_.column(1, 0);
                program_.atMost({{frame_.broughtBack[at(t)], 1}, {frame_.offloaded[at(t)], -1}}, 0);
                program_.atMost({{frame_.broughtBack[at(t)], 1}, {frame_.dropped[at(t)], 1}}, 1);
            }
        }
        if (!graph_->isSaved(t))
            held_[at(t)] = program_.column(1, 0);
    }
    if (limit)
        program_.atMost(onHost, inMegabytes(*limit));
    horizonNs_ = 4 * graph_->idealNs() + copies;
    addRecomputeChains();
}

void LowerBound::Model::addRecomputeChains() {
    for (OperatorIndex op = 0; op < operators_; ++op) {
        if (frame_.again[at(op)] < 0)
            continue;
        for (const TensorIndex t : graph_->inputs(op)) {
            const OperatorIndex producer = graph_->producer(t);
            if (producer == none || graph_->isSaved(t))
                continue;
            Sum sum{{frame_.again[at(op)], 1}, {held_[at(t)], -1}};
            if (frame_.offloaded[at(t)] >= 0)
                sum.push_back({frame_.offloaded[at(t)], -1});
            if (frame_.again[at(producer)] >= 0)
                sum.push_back({frame_.again[at(producer)], -1});
            program_.atMost(sum, 0);
        }
    }
}

void LowerBound::Model::collectChanges() {
    const std::size_t count = at(2 * operators_) + 1;
    idle_.resize(count);
    turnIdle_.resize(count);
    dropGap_.resize(count);
    hold_.resize(count);
    const auto stretch = [](std::vector<Changes>& list, TensorIndex t, std::int32_t from, std::int32_t to) {
        if (from > to)
            return;
        list[at(from)].emplace_back(t, 1);
        list[at(to) + 1].emplace_back(t, -1);
    };
    for (TensorIndex t = 0; t < graph_->tensorCount(); ++t) {
        if (bytes(t) == 0)
            continue;
        // Between forward uses.
        std::int32_t from = graph_->producer(t) + 1; // a profile input is there from position 0
        for (const OperatorIndex consumer : graph_->consumers(t)) {
            stretch(idle_, t, from, consumer - 1);
            from = consumer + 1;
        }
        if (graph_->isSaved(t)) {
            const std::int32_t last = backwardPosition(graph_->firstBackwardUse(t)) - 1;
            stretch(turnIdle_, t, from, last);
            stretch(dropGap_, t, from, last);
        } else if (graph_->producer(t) == none) {
            stretch(idle_, t, from, 2 * operators_ - 1); // rule 9: to the end of the step
        } else {
            stretch(hold_, t, from, operators_ - 1);
        }
    }
}

// A transient that is brought back is brought back for a recompute, and that is for the sake of a backward
// that reads some saved tensor downstream: it comes before the last of their last backward uses.
void LowerBound::Model::findFetchDeadlines() {
    fetchedBy_.resize(at(2 * operators_));
    std::vector<std::int32_t> deadline(at(graph_->tensorCount()), -1); // of recomputing what reads the tensor
    for (OperatorIndex op = operators_ - 1; op >= 0; --op) {
        std::int32_t latest = -1;
        for (const TensorIndex t : graph_->outputs(op)) {
            if (graph_->isSaved(t))
                latest = std::max(latest, backwardPosition(graph_->lastBackwardUse(t)));
            latest = std::max(latest, deadline[at(t)]);
        }
        for (const TensorIndex t : graph_->inputs(op))
            deadline[at(t)] = std::max(deadline[at(t)], latest);
    }
    Sum total{{hostTransients_ = program_.column(bytesOfAll_, 0), 1}};
    for (TensorIndex t = 0; t < graph_->tensorCount(); ++t) {
        if (graph_->isSaved(t) || graph_->producer(t) == none || frame_.offloaded[at(t)] < 0)
            continue;
        total.push_back({frame_.offloaded[at(t)], -inMegabytes(bytes(t))});
        if (deadline[at(t)] >= operators_)
            fetchedBy_[at(deadline[at(t)])].push_back(t);
    }
    program_.equal(total, 0);
}

void LowerBound::Model::addPositions() {
    collectChanges();
    Bytes all = 0;
    double rateOut = 0; // units of bytes per unit of time
    double rateBack = 0;
    for (TensorIndex t = 0; t < graph_->tensorCount(); ++t) {
        all += bytes(t);
        if (bytes(t) == 0)
            continue;
        rateOut = std::max(rateOut, inMegabytes(bytes(t)) / inMicroseconds(graph_->offloadNs(t)));
        rateBack = std::max(rateBack, inMegabytes(bytes(t)) / inMicroseconds(graph_->prefetchNs(t)));
    }
    bytesOfAll_ = inMegabytes(all);
    const double everything = bytesOfAll_;
    findFetchDeadlines();
    const double horizon = inMicroseconds(horizonNs_);
    const bool sharedLink = !graph_->profile().link.fullDuplex;
    // Of the position before: what idles there and may be offloaded (O); idles and is not dropped, with what
    // is held (P); was produced and offloaded (D); was read again (U, saved and transient tensors apart); was
    // copied out (C) and back (Y).
    int idle = -1, present = -1, produced = -1, readAgain = -1, fetched = -1, copied = -1, back = -1;
    std::int32_t previous = -1; // position
    const auto carry = [](Sum& sum, int column) {
        if (column >= 0)
            sum.push_back({column, -1});
    };
    for (const std::int32_t p : frame_.sampled) {
        Sum idleSum{{program_.column(everything, 0), 1}};
        Sum presentSum{{program_.column(2 * everything, 0), 1}};
        Sum producedSum{{program_.column(everything, 0), 1}};
        Sum readSum{{program_.column(everything, 0), 1}};
        Sum fetchedSum{{program_.column(everything, 0), 1}};
        carry(idleSum, idle);
        carry(fetchedSum, fetched);
        carry(presentSum, present);
        carry(producedSum, produced);
        carry(readSum, readAgain);
        double enters = 0; // bytes that idle from here on, whatever is decided
        Nanoseconds passed = 0;
        for (std::int32_t q = previous + 1; q <= p; ++q) {
            for (const auto& [t, sign] : idle_[at(q)]) {
                enters += sign * inMegabytes(bytes(t));
                if (frame_.offloaded[at(t)] >= 0)
                    idleSum.push_back({frame_.offloaded[at(t)], -sign * inMegabytes(bytes(t))});
            }
            for (const auto& [t, sign] : turnIdle_[at(q)]) {
                enters += sign * inMegabytes(bytes(t));
                if (frame_.broughtBack[at(t)] >= 0)
                    idleSum.push_back({frame_.broughtBack[at(t)], -sign * inMegabytes(bytes(t))});
            }
            for (const auto& [t, sign] : dropGap_[at(q)]) {
                if (frame_.dropped[at(t)] >= 0)
                    presentSum.push_back({frame_.dropped[at(t)], sign * inMegabytes(bytes(t))});
            }
            for (const auto& [t, sign] : hold_[at(q)]) {
                presentSum.push_back({held_[at(t)], -sign * inMegabytes(bytes(t))});
                if (frame_.offloaded[at(t)] >= 0) {
                    presentSum.push_back({frame_.offloaded[at(t)], -sign * inMegabytes(bytes(t))});
                    idleSum.push_back({frame_.offloaded[at(t)], -sign * inMegabytes(bytes(t))});
                }
            }
            const auto offloadable = [&](TensorIndex t, Sum& sum) {
                if (frame_.offloaded[at(t)] >= 0)
                    sum.push_back({frame_.offloaded[at(t)], -inMegabytes(bytes(t))});
            };
            if (q == 0) {
                for (const TensorIndex t : graph_->profileInputs())
                    offloadable(t, producedSum);
            } else if (q <= operators_) {
                for (const TensorIndex t : graph_->outputs(q - 1))
                    offloadable(t, producedSum);
            }
            if (q >= operators_) {
                const OperatorIndex op = backwardPosition(q);
                for (const TensorIndex t : graph_->saved(op)) {
                    if (graph_->firstBackwardUse(t) == op && frame_.broughtBack[at(t)] >= 0)
                        readSum.push_back({frame_.broughtBack[at(t)], -inMegabytes(bytes(t))});
                }
                for (const TensorIndex t : fetchedBy_[at(q)])
                    offloadable(t, fetchedSum);
            }
            if (q > 0)
                passed += durationNs(q - 1);
        }
        program_.equal(idleSum, 0);
        program_.atLeast(presentSum, enters); // from below is enough: more presence only costs
        program_.equal(producedSum, 0);
        program_.equal(readSum, 0);
        program_.equal(fetchedSum, 0);
        const int wait = program_.column(horizon, 1);
        frame_.waits.push_back(wait);
        if (p >= operators_)
            frame_.waitsInBackward.push_back({wait, 1});

        const int copiedNow = program_.column(everything, 0);
        const int backNow = program_.column(everything, 0);
        Sum out{{copiedNow, 1 / rateOut}, {wait, -1}};
        Sum in{{backNow, 1 / rateBack}, {wait, -1}};
        if (copied >= 0) {
            out.push_back({copied, -1 / rateOut});
            in.push_back({back, -1 / rateBack});
        }
        if (rateOut > 0) {
            program_.atMost(out, inMicroseconds(passed));
            program_.atMost(in, inMicroseconds(passed));
            if (sharedLink) {
                Sum both = out;
                both.insert(both.end(), in.begin(), in.end());
                both.push_back({wait, 1}); // counted twice
                program_.atMost(both, inMicroseconds(passed));
            }
        }
        program_.atMost({{copiedNow, 1}, {producedSum[0].column, -1}}, 0);
        program_.atMost({{backNow, 1}, {copiedNow, -1}}, 0);
        program_.atLeast({{backNow, 1}, {readSum[0].column, -1}, {fetchedSum[0].column, -1}}, 0);

        const int takenOff = program_.column(everything, 0); // X
        program_.atMost({{takenOff, 1}, {copiedNow, -1}, {readSum[0].column, 1}, {fetchedSum[0].column, 1}},
                        0);
        program_.atMost({{takenOff, 1}, {idleSum[0].column, -1}}, 0);
        Sum memory{{presentSum[0].column, 1}, {takenOff, -1}};
        if (p >= operators_) {
            // What came back and waits; which transients are among it is not known, so all may be.
            const int waiting = program_.column(everything, 0);
            program_.atLeast({{waiting, 1}, {backNow, -1}, {readSum[0].column, 1}, {hostTransients_, 1}}, 0);
            memory.push_back({waiting, 1});
        }
        memoryRows_.emplace_back(program_.atMost(memory, 0), inMegabytes(frame_.needs[at(p)]));

        idle = idleSum[0].column;
        present = presentSum[0].column;
        produced = producedSum[0].column;
        readAgain = readSum[0].column;
        fetched = fetchedSum[0].column;
        copied = copiedNow;
        back = backNow;
        previous = p;
    }
    // Waiting after the last sampled position is part of the step too.
    frame_.waits.push_back(program_.column(horizon, 1));
    frame_.waitsInBackward.push_back({frame_.waits.back(), 1});
    Sum unused = frame_.waitsInBackward;
    for (OperatorIndex op = 0; op < operators_; ++op) {
        if (frame_.again[at(op)] >= 0)
            unused.push_back({frame_.again[at(op)], -inMicroseconds(graph_->op(op).forwardNs)});
    }
    program_.atLeast(unused, 0);
}

LowerBound::LowerBound(std::shared_ptr<const StepGraph> graph, std::int32_t positions, std::int64_t states)
    : states_(states), idealNs_(graph->idealNs()) {
    if (graph->operatorCount() <= mostSearchedOperators && ExactSearch::fits(*graph))
        search_.emplace(graph);
    if (graph->operatorCount() <= mostOperators)
        model_ = std::make_unique<Model>(std::move(graph), positions);
}
LowerBound::~LowerBound() = default;
LowerBound::LowerBound(LowerBound&&) noexcept = default;
LowerBound& LowerBound::operator=(LowerBound&&) noexcept = default;

Nanoseconds LowerBound::stepNs(Bytes budget, Nanoseconds planNs, const std::function<bool()>& stop) {
    return searched(budget, model_ ? model_->solve(budget, planNs - planNs / 1'000, stop) : idealNs_);
}

std::vector<Nanoseconds> LowerBound::stepsNs(std::span<const Bytes> budgets,
                                             const std::function<bool()>& stop) {
    std::vector<Nanoseconds> bounds =
        model_ ? model_->solveAll(budgets, stop) : std::vector<Nanoseconds>(budgets.size(), idealNs_);
    for (std::size_t i = 0; i < bounds.size(); ++i)
        bounds[i] = searched(budgets[i], bounds[i]);
    return bounds;
}

Nanoseconds LowerBound::searched(Bytes budget, Nanoseconds bound) {
    if (search_) {
        const ExactSearch::Result found = search_->run(budget, states_);
        // Where there is no program at all, whatever is said bounds it.
        if (!found.infeasible)
            bound = std::max(bound, found.boundNs);
    }
    return bound;
}

} // namespace slackscope
