// The same tasks in SimGrid and in our simulator, in one run: equal end times, and how many times faster.
//
// SimGrid is given its best form: one execution per task, created the moment the task may start, so that at
// most three are alive (all created up front with successors, its run time grows with the square of the
// tasks). It keeps no memory ledger, so the program runs without a budget; ours writes its memory curve all
// the same. SimGrid counts seconds in floating point: end times must agree to 10^-9 of the step.
#include "core/planner/lowering.h"
#include "core/simulator/simulator.h"
#include "tests/support/profiles.h"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

using namespace slackscope;
namespace s4u = simgrid::s4u;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

Program halfOffloaded(std::int64_t operators) {
    const auto graph = StepGraph::build(test::layeredProfile(static_cast<int>(operators / 5))).value();
    Placement placement = keepEverything(*graph);
    bool odd = false;
    for (const TensorIndex t : graph->savedTensors()) {
        odd = !odd;
        if (odd && canOffload(*graph, t))
            placement.decisions[static_cast<std::size_t>(t)] = Decision::Offload;
    }
    Lowering lowering(graph);
    const Bytes budget = lowering.peak(placement).bytes;
    return Program::assemble(graph, lowering.lower(placement, budget)).value();
}

// The three streams, each with its next task and how many have ended.
class SimGridRun {
public:
    SimGridRun(const Program& program, s4u::Host* compute, s4u::Host* out, s4u::Host* back)
        : program_(program), streams_{Stream{compute, program.computeSteps().size()},
                                      Stream{out, program.offloadSteps().size()},
                                      Stream{back, program.prefetchSteps().size()}} {
        for (Stream& stream : streams_)
            stream.endS.reserve(stream.count);
    }

    void startReady() {
        startOne(streams_[0], [&](std::size_t i, double& ns) {
            const auto& step = program_.computeSteps()[i];
            ns = static_cast<double>(step.durationNs);
            return step.prefetch < done(2) && step.offload < done(1);
        });
        startOne(streams_[1], [&](std::size_t i, double& ns) {
            const auto& step = program_.offloadSteps()[i];
            ns = static_cast<double>(step.durationNs);
            return step.after < done(0);
        });
        startOne(streams_[2], [&](std::size_t i, double& ns) {
            const auto& step = program_.prefetchSteps()[i];
            ns = static_cast<double>(step.durationNs);
            return step.after < done(0) && step.offload < done(1);
        });
    }

    void ended(const s4u::Host* host) {
        for (Stream& stream : streams_) {
            if (stream.host == host) {
                stream.running = false;
                stream.endS.push_back(s4u::Engine::get_clock());
            }
        }
        startReady();
    }

    const std::vector<double>& ends(std::size_t stream) const { return streams_[stream].endS; }

private:
    struct Stream {
        Stream(s4u::Host* where, std::size_t tasks) : host(where), count(tasks) {}
        s4u::Host* host;
        std::size_t count;
        std::vector<double> endS; // of the tasks that have ended
        bool running = false;
        s4u::ExecPtr task;
        s4u::ExecPtr previous;
    };
    std::int32_t done(std::size_t stream) const {
        return static_cast<std::int32_t>(streams_[stream].endS.size());
    }
    template <class Ready>
    void startOne(Stream& stream, Ready ready) {
        double ns = 0;
        if (stream.running || stream.endS.size() >= stream.count || !ready(stream.endS.size(), ns))
            return;
        stream.running = true;
        stream.previous = std::move(stream.task); // SimGrid still reads the one that just ended
        stream.task = s4u::Exec::init()->set_flops_amount(ns)->set_host(stream.host);
        stream.task->start();
    }

    const Program& program_;
    std::array<Stream, 3> streams_;
};

} // namespace

int main(int argc, char** argv) {
    s4u::Engine engine(&argc, argv);
    auto* zone = s4u::create_full_zone("gpu");
    const auto host = [&](const char* name) { return zone->create_host(name, 1e9); }; // one flop a nanosecond
    s4u::Host* compute = host("compute");
    s4u::Host* out = host("device_to_host");
    s4u::Host* back = host("host_to_device");
    zone->seal();
    SimGridRun* current = nullptr;
    s4u::Activity::on_completion_cb([&](const s4u::Activity& activity) {
        if (const auto* exec = dynamic_cast<const s4u::Exec*>(&activity))
            current->ended(exec->get_host());
    });

    std::printf("%10s %12s %12s %9s %22s\n", "items", "ours", "SimGrid", "ratio", "largest difference");
    bool agree = true;
    for (const std::int64_t operators : {1'000, 10'000, 100'000}) {
        const Program program = halfOffloaded(operators);
        double ours = 1e9;
        Timeline timeline;
        for (int repeat = 0; repeat < 9; ++repeat) {
            const auto start = Clock::now();
            timeline = simulate(program, unlimitedBudget, std::move(timeline)).value();
            ours = std::min(ours, secondsSince(start));
        }
        double theirs = 1e9;
        double largest = 0;
        for (int repeat = 0; repeat < 3; ++repeat) {
            SimGridRun run(program, compute, out, back);
            current = &run;
            const double base = s4u::Engine::get_clock();
            const auto start = Clock::now();
            run.startReady();
            engine.run();
            theirs = std::min(theirs, secondsSince(start));
            const auto compare = [&](std::size_t stream, std::int32_t count, auto interval) {
                if (run.ends(stream).size() != static_cast<std::size_t>(count))
                    largest = INFINITY;
                for (std::int32_t i = 0; i < count && std::isfinite(largest); ++i)
                    largest = std::max(largest,
                                       std::abs((run.ends(stream)[static_cast<std::size_t>(i)] - base) * 1e9 -
                                                static_cast<double>(interval(program, timeline, i).toNs)));
            };
            compare(0, static_cast<std::int32_t>(program.computeSteps().size()), computeInterval);
            compare(1, static_cast<std::int32_t>(program.offloadSteps().size()), offloadInterval);
            compare(2, static_cast<std::int32_t>(program.prefetchSteps().size()), prefetchInterval);
        }
        agree = agree && largest <= 1e-9 * static_cast<double>(timeline.stepNs);
        std::printf("%10lld %9.3f ms %9.3f ms %8.0fx %19.6f ns\n",
                    static_cast<long long>(program.itemCount()), ours * 1e3, theirs * 1e3, theirs / ours,
                    largest);
    }
    std::printf(agree ? "end times agree\n" : "END TIMES DIFFER\n");
    return agree ? 0 : 1;
}
