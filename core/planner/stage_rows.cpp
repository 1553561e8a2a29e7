#include "core/planner/stage_rows.h"

#include <algorithm>
#include <set>
#include <utility>

namespace slackscope {

namespace {

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

using Sum = LinearProgram::Sum;
using Term = LinearProgram::Term;

} // namespace

StageRows::StageRows(std::shared_ptr<const StepGraph> graph, const BoundFrame& frame)
    : graph_(std::move(graph)), frame_(frame), operators_(graph_->operatorCount()) {

    lastNeed_.assign(at(graph_->tensorCount()), -1);
    for (const TensorIndex t : graph_->savedTensors())
        lastNeed_[at(t)] = backwardPosition(graph_->lastBackwardUse(t));
    for (OperatorIndex op = operators_ - 1; op >= 0; --op) {
        std::int32_t latest = -1;
        for (const TensorIndex t : graph_->outputs(op))
            latest = std::max(latest, lastNeed_[at(t)]);
        if (frame_.again[at(op)] < 0)
            continue;
        for (const TensorIndex t : graph_->inputs(op))
            lastNeed_[at(t)] = std::max(lastNeed_[at(t)], latest);
    }
    for (TensorIndex t = 0; t < graph_->tensorCount(); ++t)
        lastNeed_[at(t)] = std::max(lastNeed_[at(t)], graph_->lastForwardUse(t));

    gradientsBefore_.assign(at(2 * operators_) + 1, 0);
    for (std::int32_t p = operators_; p < 2 * operators_; ++p)
        gradientsBefore_[at(p) + 1] = gradientsBefore_[at(p)] +
                                      graph_->gradientBytesOpened(backwardPosition(p)) -
                                      graph_->gradientBytesClosed(backwardPosition(p));
}

Nanoseconds StageRows::durationNs(std::int32_t position) const {
    return position < operators_ ? graph_->op(position).forwardNs
                                 : graph_->op(backwardPosition(position)).backwardNs;
}

// Time between the end of item `after` and the start of item `until`: what passes in any case, and waits.
Sum StageRows::elapsed(std::int32_t after, std::int32_t until, Nanoseconds& passed) const {
    passed = 0;
    for (std::int32_t p = after + 1; p < until; ++p)
        passed += durationNs(p);
    Sum sum;
    std::int32_t previous = -1;
    for (std::size_t k = 0; k < frame_.waits.size(); ++k) {
        const std::int32_t p = k < frame_.sampled.size() ? frame_.sampled[k] : 2 * operators_;
        if (p > after && previous < until)
            sum.push_back({frame_.waits[k], 1});
        previous = p;
    }
    return sum;
}

// Writes the rows of one budget.
class StageRows::Writer {
public:
    Writer(const StageRows& rows, LinearProgram& program, Bytes budget)
        : m_(rows), graph_(*rows.graph_), frame_(rows.frame_), program_(program), budget_(budget) {
        chooseBounds();
        if (bounds_.size() < 2)
            return;
        addHost();
        addColumns();
        for (std::size_t s = 0; s < bounds_.size(); ++s) {
            addRoom(s);
            for (TensorIndex t = 0; t < graph_.tensorCount(); ++t)
                addSupply(t, s);
            for (OperatorIndex op = 0; op < m_.operators_; ++op)
                addRun(op, s);
        }
        countRuns();
        addOffloads();
        if (graph_.profile().link.fullDuplex)
            addWindows(out_);
        else
            back_.insert(back_.end(), out_.begin(), out_.end());
        addWindows(back_);
    }

private:
    // A tensor in one stage; columns are -1 where the variable is zero whatever the program.
    struct Stage {
        bool alive = false;       // an item may read it after the stage's first item
        bool always = false;      // touched by the first item: resident at its end
        std::int32_t read = none; // first item behind it in the stage that reads the tensor
        int resident = -1;        // k
        int fetched = -1;         // a
        int late = -1;            // b
        int arriving = -1;        // v
    };

    // A copy that, so much as `column` says, lies between the end of item `after` and `moreNs` past the
    // start of `until`.
    struct Window {
        std::int32_t after = none;
        std::int32_t until = none;
        Nanoseconds moreNs = 0;
        Nanoseconds copyNs = 0;
        int column = -1;
    };

    std::int32_t count() const { return 2 * m_.operators_; }
    bool reads(std::int32_t p, TensorIndex t) const {
        if (p >= count())
            return false;
        const OperatorIndex op = p < m_.operators_ ? p : m_.backwardPosition(p);
        const auto list = p < m_.operators_ ? graph_.inputs(op) : graph_.saved(op);
        return std::find(list.begin(), list.end(), t) != list.end();
    }
    bool touches(std::int32_t p, TensorIndex t) const {
        return reads(p, t) || (p < m_.operators_ && graph_.producer(t) == p);
    }
    std::int32_t endOf(std::size_t s) const { return s + 1 < bounds_.size() ? bounds_[s + 1] : count(); }

    void chooseBounds() {
        struct Full {
            Bytes room = 0;
            std::int32_t position = none;
            std::int32_t nextRead = none; // of a tensor that has no room beside it
        };
        std::vector<Full> full;
        for (std::int32_t p = m_.operators_; p < count(); ++p) {
            const Bytes room = budget_ - frame_.needs[at(p)];
            std::int32_t nextRead = count();
            bool blocks = false;
            for (TensorIndex t = 0; t < graph_.tensorCount(); ++t) {
                if (m_.bytes(t) <= room || m_.lastNeed_[at(t)] <= p || reads(p, t))
                    continue;
                blocks = true;
                for (std::int32_t q = p + 1; q < nextRead; ++q) {
                    if (reads(q, t))
                        nextRead = q;
                }
            }
            if (blocks)
                full.push_back({room, p, nextRead});
        }
        std::stable_sort(full.begin(), full.end(),
                         [](const Full& a, const Full& b) { return a.room < b.room; });
        if (full.size() > mostFull)
            full.resize(mostFull);
        bounds_.push_back(m_.operators_ - 1);
        for (const Full& each : full) {
            bounds_.push_back(each.position);
            if (each.nextRead < count())
                bounds_.push_back(each.nextRead);
        }
        std::sort(bounds_.begin(), bounds_.end());
        bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
    }

    // y, within the host limit.
    void addHost() {
        hosted_.assign(at(graph_.tensorCount()), -1);
        Sum all;
        for (TensorIndex t = 0; t < graph_.tensorCount(); ++t) {
            if (frame_.offloaded[at(t)] < 0)
                continue;
            hosted_[at(t)] = program_.column(1, 0);
            program_.atMost({{frame_.offloaded[at(t)], 1}, {hosted_[at(t)], -1}}, 0);
            all.push_back({hosted_[at(t)], inMegabytes(m_.bytes(t))});
        }
        if (const auto limit = graph_.profile().link.hostMemoryBytes)
            program_.atMost(all, inMegabytes(*limit));
    }

    void addColumns() {
        stages_.assign(at(graph_.tensorCount()), std::vector<Stage>(bounds_.size()));
        runs_.assign(at(m_.operators_), std::vector<int>(bounds_.size(), -1));
        for (std::size_t s = 0; s < bounds_.size(); ++s) {
            const std::int32_t first = bounds_[s];
            for (TensorIndex t = 0; t < graph_.tensorCount(); ++t) {
                Stage& stage = stages_[at(t)][s];
                stage.alive = m_.bytes(t) > 0 && m_.lastNeed_[at(t)] > first;
                if (!stage.alive)
                    continue;
                for (std::int32_t p = endOf(s); p > first; --p) {
                    if (reads(p, t))
                        stage.read = p;
                }
                stage.always = touches(first, t);
                const bool fits = frame_.needs[at(first)] + m_.bytes(t) <= budget_;
                if (!stage.always && fits)
                    stage.resident = program_.column(1, 0);
                if (frame_.offloaded[at(t)] >= 0) {
                    stage.fetched = program_.column(1, 0);
                    if (stage.read == none && s + 1 < bounds_.size())
                        stage.late = program_.column(1, 0);
                    if (!stage.always && fits && s > 0)
                        stage.arriving = program_.column(1, 0);
                }
            }
            for (OperatorIndex op = 0; op < m_.operators_; ++op) {
                if (frame_.again[at(op)] < 0 || !fitsAgain(op, first, endOf(s)))
                    continue;
                bool useful = false;
                for (const TensorIndex t : graph_.outputs(op))
                    useful = useful || m_.lastNeed_[at(t)] > first;
                if (useful)
                    runs_[at(op)][s] = program_.column(1, 0);
            }
        }
    }

    // Whether a recompute has room at some time after `after` has ended and before `until` starts.
    bool fitsAgain(OperatorIndex op, std::int32_t after, std::int32_t until) const {
        Bytes own = graph_.op(op).forwardWorkspaceBytes;
        for (const TensorIndex t : graph_.inputs(op))
            own += m_.bytes(t);
        for (const TensorIndex t : graph_.outputs(op))
            own += m_.bytes(t);
        for (std::int32_t p = after + 1; p <= until && p < count(); ++p) {
            if (own + m_.gradientsBefore_[at(p)] <= budget_)
                return true;
        }
        return false;
    }

    int run(TensorIndex t, std::size_t s) const {
        return graph_.producer(t) == none ? -1 : runs_[at(graph_.producer(t))][s];
    }
    // What makes the tensor available in the stage.
    void addSources(Sum& sum, TensorIndex t, std::size_t s, double factor) const {
        const Stage& stage = stages_[at(t)][s];
        for (const int column : {stage.resident, stage.fetched, run(t, s)}) {
            if (column >= 0)
                sum.push_back({column, factor});
        }
    }

    void addRoom(std::size_t s) {
        Sum sum, flight;
        for (TensorIndex t = 0; t < graph_.tensorCount(); ++t) {
            const Stage& stage = stages_[at(t)][s];
            if (stage.resident >= 0)
                sum.push_back({stage.resident, inMegabytes(m_.bytes(t))});
            if (stage.arriving >= 0)
                flight.push_back({stage.arriving, 1});
        }
        const double room = inMegabytes(budget_ - frame_.needs[at(bounds_[s])]);
        if (!sum.empty())
            program_.atMost(sum, room);
        if (!flight.empty())
            program_.atMost(flight, 1);
        // The same, rounded: so many of those larger than a k-th of the room.
        for (int k = 2; k <= 4; ++k) {
            Sum large;
            for (const Term& term : sum) {
                if (term.factor * k > room * (1 + 1e-9))
                    large.push_back({term.column, 1});
            }
            if (static_cast<int>(large.size()) >= k)
                program_.atMost(large, k - 1);
        }
    }

    void addSupply(TensorIndex t, std::size_t s) {
        const Stage& stage = stages_[at(t)][s];
        if (!stage.alive)
            return;
        const std::int32_t firstUse =
            graph_.isSaved(t) ? m_.backwardPosition(graph_.firstBackwardUse(t)) : count();
        if (stage.read != none && !stage.always) {
            Sum sum;
            addSources(sum, t, s, 1);
            program_.atLeast(sum, 1);
        }
        if (s + 1 < bounds_.size() && stages_[at(t)][s + 1].resident >= 0 && stage.read == none &&
            !stage.always) {
            const Stage& next = stages_[at(t)][s + 1];
            Sum sum{{next.resident, 1}};
            addSources(sum, t, s, -1);
            for (const int column : {stage.late, next.arriving}) {
                if (column >= 0)
                    sum.push_back({column, -1});
            }
            program_.atMost(sum, 0);
        }
        // Gone where it idles before its first backward use: dropped or offloaded.
        if (!stage.always && graph_.isSaved(t) && bounds_[s] < firstUse) {
            Sum sum;
            for (const int column : {stage.resident, frame_.dropped[at(t)], frame_.broughtBack[at(t)]}) {
                if (column >= 0)
                    sum.push_back({column, 1});
            }
            program_.atLeast(sum, 1);
        }
        if (stage.fetched >= 0) {
            const std::int32_t due = stage.read != none ? stage.read : endOf(s);
            if (graph_.isSaved(t) && due <= firstUse)
                program_.atMost({{stage.fetched, 1}, {frame_.offloaded[at(t)], -1}}, 0);
            back_.push_back({bounds_[s], due, 0, graph_.prefetchNs(t), stage.fetched});
        }
        if (stage.arriving >= 0 && stage.read != none)
            back_.push_back({bounds_[s - 1], stage.read, 0, graph_.prefetchNs(t), stage.arriving});
        if (stage.late >= 0) {
            const std::int32_t last = endOf(s);
            back_.push_back({bounds_[s], last, m_.durationNs(last), graph_.prefetchNs(t), stage.late});
        }
    }

    void addRun(OperatorIndex op, std::size_t s) {
        const int run = runs_[at(op)][s];
        if (run < 0)
            return;
        program_.atMost({{run, 1}, {frame_.again[at(op)], -1}}, 0);
        for (const TensorIndex t : graph_.inputs(op)) {
            if (m_.bytes(t) == 0 || stages_[at(t)][s].always)
                continue;
            Sum sum{{run, 1}};
            addSources(sum, t, s, -1);
            program_.atMost(sum, 0);
            addFetchBeforeRun(op, t, s);
        }
    }

    void addFetchBeforeRun(OperatorIndex op, TensorIndex t, std::size_t s) {
        if (hosted_[at(t)] < 0)
            return;
        Nanoseconds passed = 0;
        Sum sum = m_.elapsed(bounds_[s], endOf(s), passed);
        const Nanoseconds fetchNs = graph_.prefetchNs(t);
        const Nanoseconds bothNs = fetchNs + graph_.op(op).forwardNs;
        if (bothNs <= passed)
            return;
        sum.push_back({runs_[at(op)][s], -inMicroseconds(bothNs)});
        for (const int column : {stages_[at(t)][s].resident, run(t, s)}) {
            if (column >= 0)
                sum.push_back({column, inMicroseconds(fetchNs)});
        }
        program_.atLeast(sum, -inMicroseconds(passed));
    }

    void countRuns() {
        Sum all = frame_.waitsInBackward;
        for (std::size_t s = 0; s < bounds_.size(); ++s) {
            Nanoseconds passed = 0;
            Sum here = m_.elapsed(bounds_[s], endOf(s), passed);
            for (OperatorIndex op = 0; op < m_.operators_; ++op) {
                const int run = runs_[at(op)][s];
                if (run < 0)
                    continue;
                here.push_back({run, -inMicroseconds(graph_.op(op).forwardNs)});
                all.push_back({run, -inMicroseconds(graph_.op(op).forwardNs)});
            }
            program_.atLeast(here, 0);
        }
        program_.atLeast(all, 0);
        for (OperatorIndex op = 0; op < m_.operators_; ++op) {
            if (frame_.again[at(op)] < 0)
                continue;
            Sum sum{{frame_.again[at(op)], 1}};
            for (const int run : runs_[at(op)]) {
                if (run >= 0)
                    sum.push_back({run, -1});
            }
            program_.atMost(sum, 0);
        }
    }

    // g, in its three kinds, and what they are tied to.
    void addOffloads() {
        std::vector<Sum> crossing(bounds_.size()); // copies that run when a stage begins
        for (TensorIndex t = 0; t < graph_.tensorCount(); ++t) {
            if (hosted_[at(t)] < 0)
                continue;
            Sum ended; // minus the g of all stages so far
            const auto copy = [&](Window window) {
                window.copyNs = graph_.offloadNs(t);
                window.column = program_.column(1, 0);
                out_.push_back(window);
                ended.push_back({window.column, -1});
                return window.column;
            };
            std::int32_t blocked = graph_.producer(t) + 1;
            while (blocked <= bounds_[0] && isBeside(t, blocked))
                ++blocked;
            if (blocked <= bounds_[0])
                copy({graph_.producer(t), blocked});
            else if (graph_.producer(t) < bounds_[0])
                copy({graph_.producer(t), bounds_[0], m_.durationNs(bounds_[0])});
            for (std::size_t s = 0; s < bounds_.size(); ++s) {
                const Stage& stage = stages_[at(t)][s];
                if (stage.alive || graph_.producer(t) == none)
                    offloadIn(t, s, crossing[s], copy);
                for (const int fetch : {stage.fetched, stage.late,
                                        s + 1 < bounds_.size() ? stages_[at(t)][s + 1].arriving : -1}) {
                    if (fetch < 0)
                        continue;
                    Sum sum = ended;
                    sum.push_back({fetch, 1});
                    program_.atMost(sum, 0);
                }
            }
            ended.push_back({hosted_[at(t)], 1});
            program_.equal(ended, 0);
        }
        for (std::size_t s = 0; s < bounds_.size(); ++s) {
            if (!graph_.profile().link.fullDuplex) {
                for (TensorIndex t = 0; t < graph_.tensorCount(); ++t) {
                    if (const int arriving = stages_[at(t)][s].arriving; arriving >= 0)
                        crossing[s].push_back({arriving, 1});
                }
            }
            if (crossing[s].size() > 1)
                program_.atMost(crossing[s], 1);
        }
    }

    // Whether the tensor may be resident while an item runs.
    bool isBeside(TensorIndex t, std::int32_t p) const {
        return touches(p, t) || frame_.needs[at(p)] + m_.bytes(t) <= budget_;
    }

    // f and e of one stage.
    template <typename Copy>
    void offloadIn(TensorIndex t, std::size_t s, Sum& crossing, const Copy& copy) {
        const Stage& stage = stages_[at(t)][s];
        const bool anyway = stage.always || graph_.producer(t) == none;
        const std::int32_t last = endOf(s);
        const Nanoseconds moreNs = last < count() && isBeside(t, last) ? m_.durationNs(last) : 0;
        Sum ends; // what ends in the stage, less what it may read
        if (anyway || stage.resident >= 0) {
            std::int32_t after = graph_.producer(t);
            if (s > 0) {
                // Longer than the stage before: it may have begun before that.
                Nanoseconds passed = 0;
                m_.elapsed(bounds_[s - 1], bounds_[s] + 1, passed);
                if (graph_.offloadNs(t) <= passed)
                    after = bounds_[s - 1];
            }
            const int crosses = copy({after, last, moreNs});
            crossing.push_back({crosses, 1});
            ends.push_back({crosses, 1});
            if (!anyway)
                program_.atMost({{crosses, 1}, {stage.resident, -1}}, 0);
        } else if (run(t, s) < 0) {
            return;
        }
        ends.push_back({copy({bounds_[s], last, moreNs}), 1});
        if (anyway)
            return;
        for (const int column : {stage.resident, run(t, s)}) {
            if (column >= 0)
                ends.push_back({column, -1});
        }
        program_.atMost(ends, 0);
    }

    void addWindows(const std::vector<Window>& windows) {
        std::set<std::int32_t> starts;
        std::set<std::pair<std::int32_t, Nanoseconds>> ends;
        for (const Window& each : windows) {
            starts.insert(each.after);
            ends.emplace(each.until, each.moreNs);
        }
        for (const std::int32_t after : starts) {
            for (auto end = ends.upper_bound({after, largestDuration}); end != ends.end(); ++end)
                addSpan(windows, after, end->first, end->second);
        }
    }

    void addSpan(const std::vector<Window>& windows, std::int32_t after, std::int32_t until,
                 Nanoseconds moreNs) {
        Nanoseconds passed = 0;
        Sum sum = m_.elapsed(after, until, passed);
        passed += moreNs;
        for (Term& term : sum)
            term.factor = -1;
        Nanoseconds most = 0;
        for (const Window& each : windows) {
            if (each.after < after || each.until > until || (each.until == until && each.moreNs > moreNs))
                continue;
            most += each.copyNs;
            sum.push_back({each.column, inMicroseconds(each.copyNs)});
        }
        if (most > passed)
            program_.atMost(sum, inMicroseconds(passed));
    }

    const StageRows& m_;
    const StepGraph& graph_;
    const BoundFrame& frame_;
    LinearProgram& program_;
    Bytes budget_;
    std::vector<std::int32_t> bounds_;       // positions, ascending; the last forward first
    std::vector<std::vector<Stage>> stages_; // by tensor and stage
    std::vector<std::vector<int>> runs_;     // by operator and stage
    std::vector<int> hosted_;                // y, by tensor
    std::vector<Window> out_, back_;
};

void StageRows::add(LinearProgram& program, Bytes budget) const {
    Writer(*this, program, budget);
}

} // namespace slackscope
