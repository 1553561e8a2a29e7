// The fastest of all programs of a tiny profile, by trying everything that the simulation model allows.
#pragma once

#include "core/program/program.h"

namespace slackscope::test {

enum class Outcome : std::uint8_t { Found, NoProgram, GaveUp };

struct FastestProgram {
    Outcome outcome = Outcome::NoProgram;
    // When found:
    Nanoseconds stepNs = 0;
    Instructions instructions; // of one run that takes so long
};

// Gives up once it has met `mostStates` states. A best-first search over the states of the machine: what is
// resident, ready and on the host, what runs on each stream and for how long; the time spent so far plus the
// forwards and backwards still to come goes first. Every choice is tried at every instant at which something
// ends (and at the start): to start any item, with any releases it cannot do without, or to wait.
// Written rule by rule from the simulation model and sharing nothing with core/planner, whose bounds it
// judges. At most 12 tensors and 15 operators whose items take less than 4096 ns.
FastestProgram fastestProgram(const StepGraph& graph, Bytes budget, std::size_t mostStates);

} // namespace slackscope::test
