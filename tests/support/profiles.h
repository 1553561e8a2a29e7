// Profiles for tests: a plain transformer-like chain, and random graphs from a seed.
#pragma once

#include "core/program/program.h"

#include <cstdint>
#include <memory>

namespace slackscope::test {

// The graph of a profile that is valid.
std::shared_ptr<const StepGraph> graphOf(Profile profile);

// `layers` layers of norm, projection, activation, projection and a residual sum; sizes of MiB, times of
// tens of microseconds.
Profile layeredProfile(int layers);

// t0 -> op0 -> t1 -> op1 -> ... -> tn: every operator takes 10 ns forward and 20 ns backward and saves its
// input. t1 .. t(n-1) have 100 bytes, t0 and tn none; no gradients. Copies take one nanosecond per byte.
Profile chainProfile(int operators);

// Shorthands for programs written by hand.
ComputeItem forward(OperatorIndex op);
ComputeItem backward(OperatorIndex op);
ComputeItem recompute(OperatorIndex op);

// What a random profile may hold.
struct RandomProfile {
    int operators = 12;
    bool zeroSizes = true;      // some tensors of no bytes, some operators of no time
    bool fixedOperators = true; // some operators that cannot be recomputed
    Bytes largestTensor = 1000;
    Nanoseconds longestOperator = 1000;
};

// A random directed acyclic graph with residuals, several consumers, several outputs and unused tensors.
// The same seed gives the same profile everywhere.
Profile randomProfile(std::uint64_t seed, const RandomProfile& shape = {});

// Three or four operators in a row with a skip now and then, for searches that try everything: one output
// each, few gradients and workspaces, sizes and times of at most 12 bytes and nanoseconds, so that budgets
// well below the unlimited peak can be met. The same seed gives the same profile everywhere.
Profile tinyProfile(std::uint64_t seed);

// A layered directed acyclic graph of 20 to 60 operators, as networks are and yet no two alike: blocks of
// uneven width and length, each a few branches that read one normalized tensor, merged and added back to the
// residual; now and then a long skip as in a U-Net, an operator with two outputs or one that cannot run
// again. Sizes of MiB, times of tens to hundreds of microseconds; a link that takes 0.6 to 4 times the
// forward pass to copy everything one way; some half duplex, some with little host memory. The same seed
// gives the same profile everywhere.
Profile randomLayers(std::uint64_t seed);

} // namespace slackscope::test
