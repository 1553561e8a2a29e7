#include "core/report/events.h"

namespace slackscope {

namespace {

EventKind kindOf(ComputeKind kind) {
    switch (kind) {
    case ComputeKind::Forward:
        return EventKind::Forward;
    case ComputeKind::Backward:
        return EventKind::Backward;
    case ComputeKind::Recompute:
        return EventKind::Recompute;
    }
    return EventKind::Forward;
}

} // namespace

std::string_view streamName(Stream stream) {
    switch (stream) {
    case Stream::Compute:
        return "compute";
    case Stream::DeviceToHost:
        return "device_to_host";
    case Stream::HostToDevice:
        return "host_to_device";
    }
    return "compute";
}

std::string_view eventName(EventKind kind) {
    switch (kind) {
    case EventKind::Forward:
        return "forward";
    case EventKind::Backward:
        return "backward";
    case EventKind::Recompute:
        return "recompute";
    case EventKind::Offload:
        return "offload";
    case EventKind::Prefetch:
        return "prefetch";
    }
    return "forward";
}

std::vector<Event> events(const Simulated& simulated) {
    const Program& program = simulated.program;
    const Timeline& timeline = simulated.timeline;
    const Instructions& in = program.instructions();
    std::vector<Event> merged;
    merged.reserve(in.compute.size() + in.offloads.size() + in.prefetches.size());
    // Each stream is sorted already: a three-way merge.
    std::size_t c = 0;
    std::size_t o = 0;
    std::size_t p = 0;
    while (c < in.compute.size() || o < in.offloads.size() || p < in.prefetches.size()) {
        const auto startOf = [](const std::vector<Nanoseconds>& starts, std::size_t i) {
            return i < starts.size() ? starts[i] : std::numeric_limits<Nanoseconds>::max();
        };
        const Nanoseconds compute = startOf(timeline.computeStartNs, c);
        const Nanoseconds offload = startOf(timeline.offloadStartNs, o);
        const Nanoseconds prefetch = startOf(timeline.prefetchStartNs, p);
        if (compute <= offload && compute <= prefetch) {
            merged.push_back({Stream::Compute, kindOf(in.compute[c].kind), in.compute[c].op,
                              computeInterval(program, timeline, static_cast<std::int32_t>(c))});
            ++c;
        } else if (offload <= prefetch) {
            merged.push_back({Stream::DeviceToHost, EventKind::Offload, in.offloads[o].tensor,
                              offloadInterval(program, timeline, static_cast<std::int32_t>(o))});
            ++o;
        } else {
            merged.push_back({Stream::HostToDevice, EventKind::Prefetch, in.prefetches[p].tensor,
                              prefetchInterval(program, timeline, static_cast<std::int32_t>(p))});
            ++p;
        }
    }
    return merged;
}

const std::string& eventId(const StepGraph& graph, const Event& event) {
    return event.stream == Stream::Compute ? graph.op(event.id).id : graph.tensor(event.id).id;
}

} // namespace slackscope
