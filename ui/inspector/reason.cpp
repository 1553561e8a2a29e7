#include "ui/inspector/reason.h"

#include "ui/figures/format.h"

#include <QCoreApplication>

namespace slackscope {

using figures::formatBytes;
using figures::formatTime;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Reason)
};

QString copies(const Reason& reason) {
    return reason.outNs == reason.backNs
               ? Words::tr("%1 each way").arg(formatTime(reason.outNs))
               : Words::tr("%1 out, %2 back").arg(formatTime(reason.outNs), formatTime(reason.backNs));
}

QString cannotMove(const Reason& reason) {
    return Words::tr("It cannot be offloaded: %1.").arg(obstacleWords(*reason.toOffload));
}

QString moving(const Reason& reason) {
    return reason.toOffload ? cannotMove(reason) : Words::tr("Offloading takes %1.").arg(copies(reason));
}

QString makingAgain(const Reason& reason) {
    if (reason.toRecompute)
        return Words::tr("It cannot be recomputed: %1.").arg(obstacleWords(*reason.toRecompute));
    if (reason.recompute.chainLength == 0) // recomputeChain gave up
        return Words::tr("Recomputing takes more than %1 operators.").arg(longestChain);
    return Words::tr("Recomputing costs %1, %2 per MiB (rank %3 of %4).")
        .arg(formatTime(reason.recompute.chainNs), formatTime(reason.recomputeNsPerMiB()))
        .arg(reason.recompute.rank)
        .arg(reason.ranked);
}

QString copiesAndWait(const Reason& reason) {
    return reason.waitNs == 0 ? Words::tr("Its copies (%1) hide in computation.").arg(copies(reason))
                              : Words::tr("Its copies (%1) let the step wait %2.")
                                    .arg(copies(reason), formatTime(reason.waitNs));
}

QString joined(const QString& first, const QString& second) {
    return first + QLatin1Char(' ') + second;
}

QString movingOnABusyLink(const Reason& reason) {
    if (reason.toOffload || reason.linkUsedNs == 0)
        return moving(reason);
    return Words::tr("Offloading takes %1, and the link already carries %2 of copies out where %3 can hide.")
        .arg(copies(reason), formatTime(reason.linkUsedNs), formatTime(reason.linkNs));
}

} // namespace

QString reasonSentence(const Reason& reason) {
    switch (reason.kind) {
    case Reason::Kind::Pinned:
        return joined(Words::tr("You pinned it."),
                      joined(reason.decision == Decision::Offload ? copiesAndWait(reason) : moving(reason),
                             makingAgain(reason)));
    case Reason::Kind::NoBytes:
        return Words::tr("It takes no memory.");
    case Reason::Kind::NoChoice:
        if (reason.toOffload == reason.toRecompute)
            return Words::tr("Nothing else would free memory: %1.").arg(obstacleWords(*reason.toOffload));
        return joined(cannotMove(reason), makingAgain(reason));
    case Reason::Kind::AllFits:
        return Words::tr("The budget of %1 holds everything (unlimited peak %2).")
            .arg(formatBytes(reason.budgetBytes), formatBytes(reason.unlimitedPeakBytes));
    case Reason::Kind::NotNeeded:
        return joined(Words::tr("The plan peaks at %1 of %2 without freeing it.")
                          .arg(formatBytes(reason.peakBytes), formatBytes(reason.budgetBytes)),
                      joined(makingAgain(reason), moving(reason)));
    case Reason::Kind::OnlyOffload:
        return joined(makingAgain(reason), copiesAndWait(reason));
    case Reason::Kind::Offloaded:
        return joined(copiesAndWait(reason), makingAgain(reason));
    case Reason::Kind::OnlyRecompute:
        return joined(moving(reason), makingAgain(reason));
    case Reason::Kind::Segment:
        return joined(Words::tr("Its segment is made again as a whole from what is kept around it. Alone:"),
                      makingAgain(reason));
    case Reason::Kind::Recomputed:
        return joined(makingAgain(reason), movingOnABusyLink(reason));
    }
    return {};
}

QString reasonFor(const PlannedStep& planned, TensorIndex t) {
    return reasonSentence(Reasons(*planned.plan, planned.request.step->costs).of(t));
}

QString obstacleWords(Obstacle obstacle) {
    switch (obstacle) {
    case Obstacle::NotSaved:
        return Words::tr("no backward reads it");
    case Obstacle::NoBytes:
        return Words::tr("it takes no memory");
    case Obstacle::NoGap:
        return Words::tr("nothing runs between its last forward and its first backward use");
    case Obstacle::NoHost:
        return Words::tr("the host takes no tensors");
    case Obstacle::HostTooSmall:
        return Words::tr("it is larger than the host memory");
    case Obstacle::ProfileInput:
        return Words::tr("no operator of the step makes it");
    case Obstacle::NotRecomputable:
        return Words::tr("its operator or one before it may not run again");
    }
    return {};
}

} // namespace slackscope
