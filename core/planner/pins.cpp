#include "core/planner/pins.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace slackscope {

namespace {

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

// Why a tensor cannot be pinned so, whatever else is pinned. O(1).
std::optional<std::string> refusalOf(const StepGraph& graph, const Pin& pin) {
    if (pin.tensor < 0 || pin.tensor >= graph.tensorCount())
        return "a pin names no tensor of this profile; remove it.";
    const std::string tensor = "tensor \"" + graph.tensor(pin.tensor).id + "\"";
    if (!graph.isSaved(pin.tensor))
        return tensor + " is saved for no backward, so there is nothing to decide; remove its pin.";
    if (pin.decision == Decision::Offload && !canOffload(graph, pin.tensor))
        return tensor + " cannot be offloaded (no time between its last forward and its first backward use, "
                        "no bytes, or no room on the host); pin it to another decision or remove its pin.";
    if (pin.decision == Decision::Recompute && !canDrop(graph, pin.tensor))
        return tensor + " cannot be recomputed (its operator or one before it may not run again, or nothing "
                        "would be freed); pin it to another decision or remove its pin.";
    return std::nullopt;
}

} // namespace

tl::expected<void, std::string> checkPins(const StepGraph& graph, const Pins& pins) {
    std::vector<char> seen(at(graph.tensorCount()), 0);
    for (const Pin& pin : pins) {
        if (auto refusal = refusalOf(graph, pin))
            return tl::unexpected(std::move(*refusal));
        if (seen[at(pin.tensor)])
            return tl::unexpected("tensor \"" + graph.tensor(pin.tensor).id +
                                  "\" is pinned twice; remove one of its pins.");
        seen[at(pin.tensor)] = 1;
    }
    if (hostBytesLeft(graph, pins) < 0)
        return tl::unexpected(std::string("the tensors pinned to offload take more than the host memory; "
                                          "remove some of their pins."));
    return {};
}

void applyPins(const Pins& pins, Placement& placement) {
    for (const Pin& pin : pins)
        placement.decisions[at(pin.tensor)] = pin.decision;
}

Pins withPin(Pins pins, TensorIndex t, std::optional<Decision> decision) {
    const auto found =
        std::find_if(pins.begin(), pins.end(), [&](const Pin& pin) { return pin.tensor == t; });
    if (found == pins.end()) {
        if (decision)
            pins.push_back({t, *decision});
    } else if (decision) {
        found->decision = *decision;
    } else {
        pins.erase(found);
    }
    return pins;
}

Pins carriedOver(const Pins& pins, const StepGraph& from, const StepGraph& to) {
    Pins carried;
    if (pins.empty())
        return carried;
    std::unordered_map<std::string_view, TensorIndex> byId;
    for (const TensorIndex t : to.savedTensors())
        byId.emplace(to.tensor(t).id, t);
    Bytes hostBytes = hostBytesLeft(to, {});
    for (const Pin& pin : pins) {
        const auto found = byId.find(from.tensor(pin.tensor).id);
        if (found == byId.end())
            continue;
        const Pin there{found->second, pin.decision};
        const Bytes taken = pin.decision == Decision::Offload ? to.tensor(there.tensor).bytes : 0;
        if (taken > hostBytes || refusalOf(to, there))
            continue;
        hostBytes -= taken;
        carried.push_back(there);
        byId.erase(found); // never twice
    }
    return carried;
}

std::vector<char> pinnedTensors(const StepGraph& graph, const Pins& pins) {
    std::vector<char> pinned(at(graph.tensorCount()), 0);
    for (const Pin& pin : pins)
        pinned[at(pin.tensor)] = 1;
    return pinned;
}

Bytes hostBytesLeft(const StepGraph& graph, const Pins& pins) {
    Bytes left = graph.profile().link.hostMemoryBytes.value_or(unlimitedBudget);
    for (const Pin& pin : pins) {
        if (pin.decision == Decision::Offload)
            left -= graph.tensor(pin.tensor).bytes;
    }
    return left;
}

} // namespace slackscope
