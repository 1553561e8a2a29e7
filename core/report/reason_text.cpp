#include "core/report/reason_text.h"

#include "core/report/quantities.h"

namespace slackscope {

namespace {

std::string copies(const Reason& reason) {
    return reason.outNs == reason.backNs
               ? formatNanoseconds(reason.outNs) + " each way"
               : formatNanoseconds(reason.outNs) + " out, " + formatNanoseconds(reason.backNs) + " back";
}

// "90.1 us, 3.5 us per MiB (rank 280 of 310)"
std::string recomputeCost(const Reason& reason) {
    return formatNanoseconds(reason.recompute.chainNs) + ", " +
           formatNanoseconds(reason.recomputeNsPerMiB()) + " per MiB (rank " +
           formatCount(reason.recompute.rank) + " of " + formatCount(reason.ranked) + ")";
}

std::string moving(const Reason& reason) {
    return reason.toOffload ? "it cannot be offloaded: " + obstacleText(*reason.toOffload)
                            : "offloading takes " + copies(reason);
}

std::string makingAgain(const Reason& reason) {
    if (reason.toRecompute)
        return "it cannot be recomputed: " + obstacleText(*reason.toRecompute);
    if (reason.recompute.chainLength == 0) // recomputeChain gave up
        return "recomputing takes more than " + formatCount(longestChain) + " operators";
    return "recomputing costs " + recomputeCost(reason);
}

std::string copiesAndWait(const Reason& reason) {
    return "its copies (" + copies(reason) + ") " +
           (reason.waitNs == 0 ? "hide in computation"
                               : "let the step wait " + formatNanoseconds(reason.waitNs));
}

std::string noChoice(const Reason& reason) {
    if (reason.toOffload == reason.toRecompute)
        return "nothing else would free memory: " + obstacleText(*reason.toOffload);
    return moving(reason) + "; and " + makingAgain(reason);
}

std::string linkUse(const Reason& reason) {
    if (reason.linkUsedNs == 0)
        return {};
    return ", and the link already carries " + formatNanoseconds(reason.linkUsedNs) +
           " of copies out where " + formatNanoseconds(reason.linkNs) + " can hide";
}

std::string fragment(const Reason& reason) {
    switch (reason.kind) {
    case Reason::Kind::Pinned:
        return "it is pinned; " +
               (reason.decision == Decision::Offload ? copiesAndWait(reason) : moving(reason)) + "; " +
               makingAgain(reason);
    case Reason::Kind::NoBytes:
        return "it takes no memory";
    case Reason::Kind::NoChoice:
        return noChoice(reason);
    case Reason::Kind::AllFits:
        return "the budget of " + formatBytes(reason.budgetBytes) + " holds everything (unlimited peak " +
               formatBytes(reason.unlimitedPeakBytes) + ")";
    case Reason::Kind::NotNeeded:
        return "the plan peaks at " + formatBytes(reason.peakBytes) + " of " +
               formatBytes(reason.budgetBytes) + " without freeing it; " + makingAgain(reason) + "; " +
               moving(reason);
    case Reason::Kind::OnlyOffload:
        return makingAgain(reason) + "; " + copiesAndWait(reason);
    case Reason::Kind::Offloaded:
        return copiesAndWait(reason) + "; " + makingAgain(reason);
    case Reason::Kind::OnlyRecompute:
        return moving(reason) + "; " + makingAgain(reason);
    case Reason::Kind::Segment:
        return "its segment is made again as a whole from what is kept around it; alone, " +
               makingAgain(reason);
    case Reason::Kind::Recomputed:
        return makingAgain(reason) + "; " + moving(reason) + linkUse(reason);
    }
    return {};
}

} // namespace

std::string reasonText(const Reason& reason) {
    std::string text = fragment(reason) + ".";
    text.front() = static_cast<char>(text.front() >= 'a' ? text.front() - 'a' + 'A' : text.front());
    return text;
}

std::string obstacleText(Obstacle obstacle) {
    switch (obstacle) {
    case Obstacle::NotSaved:
        return "no backward reads it";
    case Obstacle::NoBytes:
        return "it takes no memory";
    case Obstacle::NoGap:
        return "nothing runs between its last forward and its first backward use";
    case Obstacle::NoHost:
        return "the host takes no tensors";
    case Obstacle::HostTooSmall:
        return "it is larger than the host memory";
    case Obstacle::ProfileInput:
        return "no operator of the step makes it";
    case Obstacle::NotRecomputable:
        return "its operator or one before it may not run again";
    }
    return {};
}

std::string whatIfText(const WhatIf& answer, Nanoseconds nowNs) {
    switch (answer.outcome) {
    case WhatIf::Outcome::Runs: {
        const Nanoseconds difference = answer.stepNs - nowNs;
        return formatNanoseconds(answer.stepNs) + " (" +
               (difference == 0 ? "same" : (difference > 0 ? "+" : "") + formatNanoseconds(difference)) + ")";
    }
    case WhatIf::Outcome::OverBudget:
        return "no: " + formatBytes(answer.missingBytes) + " over budget";
    case WhatIf::Outcome::HostFull:
        return "no: " + formatBytes(answer.missingBytes) + " over the host memory";
    case WhatIf::Outcome::Endless:
        return "no: it would recompute without end";
    case WhatIf::Outcome::Impossible:
        return "no: " + obstacleText(answer.obstacle);
    }
    return {};
}

} // namespace slackscope
