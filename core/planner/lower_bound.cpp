#include "core/planner/lower_bound.h"

#include "core/planner/lowering.h"

#include <coin/ClpSimplex.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace slackscope {

namespace {

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

// The linear program is written in megabytes and microseconds, so that its numbers are near one.
constexpr double bytesPerUnit = 1e6;
constexpr double nanosecondsPerUnit = 1e3;
double size(Bytes bytes) {
    return static_cast<double>(bytes) / bytesPerUnit;
}
double time(Nanoseconds ns) {
    return static_cast<double>(ns) / nanosecondsPerUnit;
}

struct Term {
    int column = 0;
    double factor = 0;
};
using Sum = std::vector<Term>;

// Rows and columns as they are written down; every column has finite ends, which the dual value needs.
class Sheet {
public:
    int column(double upper, double cost) {
        upper_.push_back(upper);
        cost_.push_back(cost);
        return static_cast<int>(upper_.size()) - 1;
    }
    int atMost(const Sum& sum, double limit) { return row(sum, -COIN_DBL_MAX, limit); }
    int atLeast(const Sum& sum, double limit) { return row(sum, limit, COIN_DBL_MAX); }
    int equal(const Sum& sum, double value) { return row(sum, value, value); }

    void load(ClpSimplex& solver) const {
        const CoinPackedMatrix matrix(false, rows_.data(), columns_.data(), factors_.data(),
                                      static_cast<CoinBigIndex>(factors_.size()));
        CoinPackedMatrix whole(matrix);
        whole.setDimensions(static_cast<int>(low_.size()), static_cast<int>(upper_.size()));
        const std::vector<double> zero(upper_.size(), 0.0);
        solver.loadProblem(whole, zero.data(), upper_.data(), cost_.data(), low_.data(), high_.data());
    }

    void setLimit(int row, double limit) { high_[static_cast<std::size_t>(row)] = limit; }

    // The Lagrangian dual value at `prices`, whatever they are: prices that have no meaning (of a limit that
    // is not there) are taken as zero.
    double dualValue(const double* prices) const {
        std::vector<double> reduced = cost_;
        double value = 0;
        double magnitude = 0;
        const auto add = [&](double term) {
            value += term;
            magnitude += std::abs(term);
        };
        for (std::size_t i = 0; i < factors_.size(); ++i) {
            const auto column = static_cast<std::size_t>(columns_[i]);
            const double term = factors_[i] * usable(prices, rows_[i]);
            reduced[column] -= term;
            magnitude += std::abs(term) * upper_[column];
        }
        for (std::size_t i = 0; i < low_.size(); ++i) {
            const double price = usable(prices, static_cast<int>(i));
            if (price != 0)
                add(price * (price > 0 ? low_[i] : high_[i]));
        }
        for (std::size_t i = 0; i < reduced.size(); ++i)
            add(std::min(0.0, reduced[i] * upper_[i]));
        return value - 1e-12 * magnitude;
    }

private:
    int row(const Sum& sum, double low, double high) {
        const auto number = static_cast<int>(low_.size());
        std::map<int, double> merged; // a column may stand in a sum twice
        for (const Term& term : sum)
            merged[term.column] += term.factor;
        for (const auto& [column, factor] : merged) {
            if (factor == 0)
                continue;
            rows_.push_back(number);
            columns_.push_back(column);
            factors_.push_back(factor);
        }
        low_.push_back(low);
        high_.push_back(high);
        return number;
    }
    double usable(const double* prices, int row) const {
        const double price = prices[row];
        const auto i = static_cast<std::size_t>(row);
        return (price > 0 && low_[i] == -COIN_DBL_MAX) || (price < 0 && high_[i] == COIN_DBL_MAX) ||
                       !std::isfinite(price)
                   ? 0.0
                   : price;
    }

    std::vector<double> upper_, cost_; // by column
    std::vector<double> low_, high_;   // by row
    std::vector<int> rows_, columns_;
    std::vector<double> factors_;
};

} // namespace

class LowerBound::Model {
public:
    Model(std::shared_ptr<const StepGraph> graph, std::int32_t positions)
        : graph_(std::move(graph)), operators_(graph_->operatorCount()) {
        samplePositions(positions);
        addDecisions();
        addPositions();
        sheet_.load(solver_);
        solver_.setLogLevel(0);
    }

    Nanoseconds solve(Bytes budget) {
        const double limit = size(budget);
        for (const auto& [row, needed] : memoryRows_) {
            sheet_.setLimit(row, limit - needed);
            solver_.setRowUpper(row, limit - needed);
        }
        // Always from the same start, so that a budget's bound does not depend on the budgets before it.
        solver_.allSlackBasis(true);
        solver_.initialDualSolve();
        // A ray of an infeasible program proves nothing here: the prices found so far still bound.
        const double extra = sheet_.dualValue(solver_.dualRowSolution()) * nanosecondsPerUnit;
        const double waiting = std::min(extra, static_cast<double>(horizonNs_));
        return graph_->idealNs() + std::max<Nanoseconds>(0, static_cast<Nanoseconds>(waiting));
    }

private:
    // What one tensor may be, by column; -1 where it cannot.
    struct Columns {
        int dropped = -1;   // r
        int offloaded = -1; // o
        int held = -1;      // h
    };
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
    double bytesOfAll_ = 0;             // of all tensors, in units
    std::vector<std::int32_t> sampled_; // ascending positions: forward op = op, backward op = 2n - 1 - op
    Nanoseconds horizonNs_ = 0;         // waiting beyond this is not modelled
    Sheet sheet_;
    ClpSimplex solver_;
    std::vector<Columns> columns_;                   // by tensor
    std::vector<int> again_;                         // z, by operator
    std::vector<std::pair<int, double>> memoryRows_; // row, what is needed whatever is decided
    // By position: tensors that begin or cease to be resident without being read there.
    std::vector<Changes> idle_;    // may be taken off by an offload
    std::vector<Changes> dropGap_; // may be taken off by a drop
    std::vector<Changes> hold_;
    std::vector<std::vector<TensorIndex>> fetchedBy_; // transients whose fetch is over at a position
    int hostTransients_ = -1; // column: bytes of the transient tensors that are offloaded
};

void LowerBound::Model::samplePositions(std::int32_t most) {
    const std::int32_t count = 2 * operators_;
    if (count <= most) {
        for (std::int32_t p = 0; p < count; ++p)
            sampled_.push_back(p);
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
    const std::vector<Bytes> need = needs();
    std::vector<Bytes> full(at(count), 0);
    Bytes level = 0;
    for (std::int32_t p = 0; p < count; ++p)
        full[at(p)] = (level += change[at(p)]) + need[at(p)] / 2;
    for (std::int32_t stretch = 0; stretch < most; ++stretch) {
        const auto low = static_cast<std::int32_t>(std::int64_t{count} * stretch / most);
        const auto high = static_cast<std::int32_t>(std::int64_t{count} * (stretch + 1) / most);
        sampled_.push_back(static_cast<std::int32_t>(
            std::max_element(full.begin() + low, full.begin() + high) - full.begin()));
    }
    for (const std::int32_t turn : {operators_ - 1, operators_, operators_ + 1}) {
        if (turn < count)
            sampled_.push_back(turn);
    }
    std::sort(sampled_.begin(), sampled_.end());
    sampled_.erase(std::unique(sampled_.begin(), sampled_.end()), sampled_.end());
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
    columns_.resize(at(graph_->tensorCount()));
    again_.assign(at(operators_), -1);
    Nanoseconds copies = 0;
    const auto limit = graph_->profile().link.hostMemoryBytes;
    for (OperatorIndex op = 0; op < operators_; ++op) {
        if (graph_->op(op).recomputable)
            again_[at(op)] = sheet_.column(1, 0);
    }
    Sum onHost;
    for (TensorIndex t = 0; t < graph_->tensorCount(); ++t) {
        const OperatorIndex producer = graph_->producer(t);
        Columns& mine = columns_[at(t)];
        if (bytes(t) > 0 && (!limit || bytes(t) <= *limit)) {
            mine.offloaded = sheet_.column(1, 0);
            onHost.push_back({mine.offloaded, size(bytes(t))});
            copies += graph_->offloadNs(t) + graph_->prefetchNs(t);
        }
        if (producer == none)
            continue;
        if (graph_->isSaved(t) && again_[at(producer)] >= 0) {
            mine.dropped = sheet_.column(1, 0);
            sheet_.atMost({{mine.dropped, 1}, {again_[at(producer)], -1}}, 0);
        }
        if (!graph_->isSaved(t))
            mine.held = sheet_.column(1, 0);
    }
    if (limit)
        sheet_.atMost(onHost, size(*limit));
    horizonNs_ = 4 * graph_->idealNs() + copies;
    addRecomputeChains();
}

void LowerBound::Model::addRecomputeChains() {
    for (OperatorIndex op = 0; op < operators_; ++op) {
        if (again_[at(op)] < 0)
            continue;
        for (const TensorIndex t : graph_->inputs(op)) {
            const OperatorIndex producer = graph_->producer(t);
            if (producer == none || graph_->isSaved(t))
                continue;
            Sum sum{{again_[at(op)], 1}, {columns_[at(t)].held, -1}};
            if (columns_[at(t)].offloaded >= 0)
                sum.push_back({columns_[at(t)].offloaded, -1});
            if (again_[at(producer)] >= 0)
                sum.push_back({again_[at(producer)], -1});
            sheet_.atMost(sum, 0);
        }
    }
}

void LowerBound::Model::collectChanges() {
    const std::size_t count = at(2 * operators_) + 1;
    idle_.resize(count);
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
            stretch(idle_, t, from, last);
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
    Sum total{{hostTransients_ = sheet_.column(bytesOfAll_, 0), 1}};
    for (TensorIndex t = 0; t < graph_->tensorCount(); ++t) {
        if (graph_->isSaved(t) || graph_->producer(t) == none || columns_[at(t)].offloaded < 0)
            continue;
        total.push_back({columns_[at(t)].offloaded, -size(bytes(t))});
        if (deadline[at(t)] >= operators_)
            fetchedBy_[at(deadline[at(t)])].push_back(t);
    }
    sheet_.equal(total, 0);
}

void LowerBound::Model::addPositions() {
    collectChanges();
    const std::vector<Bytes> need = needs();
    Bytes all = 0;
    double rateOut = 0; // units of bytes per unit of time
    double rateBack = 0;
    for (TensorIndex t = 0; t < graph_->tensorCount(); ++t) {
        all += bytes(t);
        if (bytes(t) == 0)
            continue;
        rateOut = std::max(rateOut, size(bytes(t)) / time(graph_->offloadNs(t)));
        rateBack = std::max(rateBack, size(bytes(t)) / time(graph_->prefetchNs(t)));
    }
    bytesOfAll_ = size(all);
    const double everything = bytesOfAll_;
    findFetchDeadlines();
    const double horizon = time(horizonNs_);
    const bool sharedLink = !graph_->profile().link.fullDuplex;
    Sum waitsInBackward;
    // Of the position before: what idles there and may be offloaded (O); idles and is not dropped, with what
    // is held (P); was produced and offloaded (D); was read again (U, saved and transient tensors apart); was
    // copied out (C) and back (Y).
    int idle = -1, present = -1, produced = -1, readAgain = -1, fetched = -1, copied = -1, back = -1;
    std::int32_t previous = -1; // position
    const auto carry = [](Sum& sum, int column) {
        if (column >= 0)
            sum.push_back({column, -1});
    };
    for (const std::int32_t p : sampled_) {
        Sum idleSum{{sheet_.column(everything, 0), 1}};
        Sum presentSum{{sheet_.column(2 * everything, 0), 1}};
        Sum producedSum{{sheet_.column(everything, 0), 1}};
        Sum readSum{{sheet_.column(everything, 0), 1}};
        Sum fetchedSum{{sheet_.column(everything, 0), 1}};
        carry(idleSum, idle);
        carry(fetchedSum, fetched);
        carry(presentSum, present);
        carry(producedSum, produced);
        carry(readSum, readAgain);
        double enters = 0; // bytes that idle from here on, whatever is decided
        Nanoseconds passed = 0;
        for (std::int32_t q = previous + 1; q <= p; ++q) {
            for (const auto& [t, sign] : idle_[at(q)]) {
                enters += sign * size(bytes(t));
                if (columns_[at(t)].offloaded >= 0)
                    idleSum.push_back({columns_[at(t)].offloaded, -sign * size(bytes(t))});
            }
            for (const auto& [t, sign] : dropGap_[at(q)]) {
                if (columns_[at(t)].dropped >= 0)
                    presentSum.push_back({columns_[at(t)].dropped, sign * size(bytes(t))});
            }
            for (const auto& [t, sign] : hold_[at(q)]) {
                presentSum.push_back({columns_[at(t)].held, -sign * size(bytes(t))});
                if (columns_[at(t)].offloaded >= 0) {
                    presentSum.push_back({columns_[at(t)].offloaded, -sign * size(bytes(t))});
                    idleSum.push_back({columns_[at(t)].offloaded, -sign * size(bytes(t))});
                }
            }
            const auto offloadable = [&](TensorIndex t, Sum& sum) {
                if (columns_[at(t)].offloaded >= 0)
                    sum.push_back({columns_[at(t)].offloaded, -size(bytes(t))});
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
                    if (graph_->firstBackwardUse(t) == op)
                        offloadable(t, readSum);
                }
                for (const TensorIndex t : fetchedBy_[at(q)])
                    offloadable(t, fetchedSum);
            }
            if (q > 0)
                passed += durationNs(q - 1);
        }
        sheet_.equal(idleSum, 0);
        sheet_.atLeast(presentSum, enters); // from below is enough: more presence only costs
        sheet_.equal(producedSum, 0);
        sheet_.equal(readSum, 0);
        sheet_.equal(fetchedSum, 0);
        const int wait = sheet_.column(horizon, 1);
        if (p >= operators_)
            waitsInBackward.push_back({wait, 1});

        const int copiedNow = sheet_.column(everything, 0);
        const int backNow = sheet_.column(everything, 0);
        Sum out{{copiedNow, 1 / rateOut}, {wait, -1}};
        Sum in{{backNow, 1 / rateBack}, {wait, -1}};
        if (copied >= 0) {
            out.push_back({copied, -1 / rateOut});
            in.push_back({back, -1 / rateBack});
        }
        if (rateOut > 0) {
            sheet_.atMost(out, time(passed));
            sheet_.atMost(in, time(passed));
            if (sharedLink) {
                Sum both = out;
                both.insert(both.end(), in.begin(), in.end());
                both.push_back({wait, 1}); // counted twice
                sheet_.atMost(both, time(passed));
            }
        }
        sheet_.atMost({{copiedNow, 1}, {producedSum[0].column, -1}}, 0);
        sheet_.atMost({{backNow, 1}, {copiedNow, -1}}, 0);
        sheet_.atLeast({{backNow, 1}, {readSum[0].column, -1}, {fetchedSum[0].column, -1}}, 0);

        const int takenOff = sheet_.column(everything, 0); // X
        sheet_.atMost({{takenOff, 1}, {copiedNow, -1}, {readSum[0].column, 1}, {fetchedSum[0].column, 1}}, 0);
        sheet_.atMost({{takenOff, 1}, {idleSum[0].column, -1}}, 0);
        Sum memory{{presentSum[0].column, 1}, {takenOff, -1}};
        if (p >= operators_) {
            // What came back and waits; which transients are among it is not known, so all may be.
            const int waiting = sheet_.column(everything, 0);
            sheet_.atLeast({{waiting, 1}, {backNow, -1}, {readSum[0].column, 1}, {hostTransients_, 1}}, 0);
            memory.push_back({waiting, 1});
        }
        memoryRows_.emplace_back(sheet_.atMost(memory, 0), size(need[at(p)]));

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
    waitsInBackward.push_back({sheet_.column(horizon, 1), 1});
    for (OperatorIndex op = 0; op < operators_; ++op) {
        if (again_[at(op)] >= 0)
            waitsInBackward.push_back({again_[at(op)], -time(graph_->op(op).forwardNs)});
    }
    sheet_.atLeast(waitsInBackward, 0);
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

Nanoseconds LowerBound::stepNs(Bytes budget) {
    Nanoseconds bound = model_ ? model_->solve(budget) : idealNs_;
    if (search_) {
        const ExactSearch::Result found = search_->run(budget, states_);
        // Where there is no program at all, whatever is said bounds it.
        if (!found.infeasible)
            bound = std::max(bound, found.boundNs);
    }
    return bound;
}

} // namespace slackscope
