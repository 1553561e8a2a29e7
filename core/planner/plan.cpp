#include "core/planner/plan.h"

#include <algorithm>

namespace slackscope {

Slack availableSlack(const StepGraph& graph) {
    Slack slack;
    if (graph.savedTensors().empty())
        return slack;
    OperatorIndex firstReady = graph.operatorCount();
    OperatorIndex lastRead = graph.operatorCount();
    for (const TensorIndex t : graph.savedTensors()) {
        if (graph.tensor(t).bytes == 0)
            continue;
        firstReady = std::min(firstReady, graph.producer(t) + 1); // a profile input is ready from the start
        lastRead = std::min(lastRead, graph.lastBackwardUse(t));
    }
    for (OperatorIndex op = firstReady; op < graph.operatorCount(); ++op)
        slack.deviceToHostNs += graph.op(op).forwardNs;
    for (OperatorIndex op = lastRead + 1; op < graph.operatorCount(); ++op)
        slack.hostToDeviceNs += graph.op(op).backwardNs;
    return slack;
}

double Plan::throughputOfIdeal() const {
    if (!simulated)
        return 0.0;
    if (simulated->timeline.stepNs == 0)
        return 1.0;
    return static_cast<double>(graph->idealNs()) / static_cast<double>(simulated->timeline.stepNs);
}

} // namespace slackscope
