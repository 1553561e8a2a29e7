// The events of a simulated step in the order in which files list them.
#pragma once

#include "core/planner/plan.h"

#include <string_view>
#include <vector>

namespace slackscope {

// In the order of events that start at the same instant.
enum class Stream : std::uint8_t { Compute, DeviceToHost, HostToDevice };
enum class EventKind : std::uint8_t { Forward, Backward, Recompute, Offload, Prefetch };

// The words of the file formats.
std::string_view streamName(Stream stream); // "device_to_host"
std::string_view eventName(EventKind kind); // "recompute"

struct Event {
    Stream stream = Stream::Compute;
    EventKind kind = EventKind::Forward;
    std::int32_t id = none; // operator index on the compute stream, else tensor index
    Interval span;
    bool operator==(const Event&) const = default;
};

// By start, then stream, then order on the stream. O(items).
std::vector<Event> events(const Simulated& simulated);

// The id as the profile spells it.
const std::string& eventId(const StepGraph& graph, const Event& event);

} // namespace slackscope
