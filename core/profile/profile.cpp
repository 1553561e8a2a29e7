#include "core/profile/profile.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace slackscope {

Nanoseconds copyNs(const Link& link, std::int64_t bytesPerS, Bytes bytes) {
    const Wide scaled = static_cast<Wide>(bytes) * 1'000'000'000;
    return link.latencyNs + static_cast<Nanoseconds>((scaled + bytesPerS - 1) / bytesPerS);
}

namespace {

std::string pointerTo(std::string_view list, std::size_t index, std::string_view field = {}) {
    std::string pointer = "/" + std::string(list) + "/" + std::to_string(index);
    if (!field.empty())
        pointer += "/" + std::string(field);
    return pointer;
}

std::string quoted(const std::string& id) {
    return "\"" + id + "\"";
}

// Checks one size or time and adds it to its total.
class Totals {
public:
    // Empty when the value and the total so far are within bounds.
    std::string add(std::int64_t value) {
        if (value < 0)
            return "is " + std::to_string(value) + ", but sizes and times are never negative";
        if (value > largestQuantity)
            return "is " + std::to_string(value) +
                   ", above 2^53, the largest size or time a profile may have";
        total_ += value; // both at most 2^53 here, so no overflow
        if (total_ > largestQuantity)
            return "brings the sum of all of its kind above 2^53, the largest a profile may have";
        return {};
    }
    std::int64_t total() const { return total_; }

private:
    std::int64_t total_ = 0;
};

std::optional<ProfileError> checkLink(const Link& link, Bytes allBytes, std::size_t tensorCount) {
    Totals latency;
    if (std::string reason = latency.add(link.latencyNs); !reason.empty())
        return ProfileError{"/link/latency_ns", reason};
    if (link.hostMemoryBytes) {
        Totals host;
        if (std::string reason = host.add(*link.hostMemoryBytes); !reason.empty())
            return ProfileError{"/link/host_memory_bytes", reason};
    }
    const auto checkRate = [&](std::string_view field, std::int64_t rate) -> std::optional<ProfileError> {
        const std::string pointer = "/link/" + std::string(field);
        if (rate <= 0)
            return ProfileError{pointer, "is " + std::to_string(rate) + ", but a bandwidth must be positive"};
        if (rate > largestQuantity)
            return ProfileError{pointer, "is " + std::to_string(rate) + ", above 2^53 bytes per second"};
        const Wide copies = static_cast<Wide>(allBytes) * 1'000'000'000 / rate +
                            static_cast<Wide>(tensorCount + 1) * (link.latencyNs + 1);
        if (copies > largestDuration)
            return ProfileError{pointer, "is so low that copying every tensor once would take over 36 years"};
        return std::nullopt;
    };
    if (auto error = checkRate("device_to_host_bytes_per_s", link.deviceToHostBytesPerS))
        return error;
    return checkRate("host_to_device_bytes_per_s", link.hostToDeviceBytesPerS);
}

std::optional<ProfileError> checkIdsAreUnique(const Profile& profile) {
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < profile.tensors.size(); ++i) {
        if (!seen.insert(profile.tensors[i].id).second)
            return ProfileError{pointerTo("tensors", i, "id"),
                                "repeats the tensor id " + quoted(profile.tensors[i].id)};
    }
    seen.clear();
    for (std::size_t i = 0; i < profile.operators.size(); ++i) {
        if (!seen.insert(profile.operators[i].id).second)
            return ProfileError{pointerTo("operators", i, "id"),
                                "repeats the operator id " + quoted(profile.operators[i].id)};
    }
    return std::nullopt;
}

// Checks that every index names a tensor, and finds each tensor's producer.
std::optional<ProfileError> findProducers(const Profile& profile, std::vector<OperatorIndex>& producers) {
    const auto count = static_cast<TensorIndex>(profile.tensors.size());
    for (std::size_t i = 0; i < profile.operators.size(); ++i) {
        const Operator& op = profile.operators[i];
        const auto dangling = [&](std::string_view field,
                                  const std::vector<TensorIndex>& list) -> std::optional<ProfileError> {
            for (std::size_t k = 0; k < list.size(); ++k) {
                if (list[k] < 0 || list[k] >= count)
                    return ProfileError{pointerTo("operators", i, field) + "/" + std::to_string(k),
                                        "names tensor number " + std::to_string(list[k]) +
                                            ", which does not exist"};
            }
            return std::nullopt;
        };
        if (auto error = dangling("inputs", op.inputs))
            return error;
        if (auto error = dangling("outputs", op.outputs))
            return error;
        if (auto error = dangling("saved", op.saved))
            return error;
        for (std::size_t k = 0; k < op.outputs.size(); ++k) {
            OperatorIndex& producer = producers[static_cast<std::size_t>(op.outputs[k])];
            if (producer >= 0)
                return ProfileError{pointerTo("operators", i, "outputs") + "/" + std::to_string(k),
                                    "gives tensor " +
                                        quoted(profile.tensors[static_cast<std::size_t>(op.outputs[k])].id) +
                                        " a second producer; the first is operator " +
                                        quoted(profile.operators[static_cast<std::size_t>(producer)].id)};
            producer = static_cast<OperatorIndex>(i);
        }
    }
    return std::nullopt;
}

// A path of operators from `from` back to itself through producers, or empty when there is none.
std::vector<OperatorIndex> cycleThrough(const Profile& profile, const std::vector<OperatorIndex>& producers,
                                        OperatorIndex from) {
    std::vector<OperatorIndex> reader(profile.operators.size(), -1);
    std::vector<OperatorIndex> stack{from};
    std::vector<char> seen(profile.operators.size(), 0);
    while (!stack.empty()) {
        const OperatorIndex at = stack.back();
        stack.pop_back();
        for (const TensorIndex t : profile.operators[static_cast<std::size_t>(at)].inputs) {
            const OperatorIndex next = producers[static_cast<std::size_t>(t)];
            if (next < 0)
                continue;
            if (next == from) {
                std::vector<OperatorIndex> path{from, at};
                for (OperatorIndex p = at; p != from && reader[static_cast<std::size_t>(p)] >= 0;) {
                    p = reader[static_cast<std::size_t>(p)];
                    path.push_back(p);
                }
                if (path.back() != from)
                    path.push_back(from);
                return path;
            }
            if (!seen[static_cast<std::size_t>(next)]) {
                seen[static_cast<std::size_t>(next)] = 1;
                reader[static_cast<std::size_t>(next)] = at;
                stack.push_back(next);
            }
        }
    }
    return {};
}

std::optional<ProfileError> checkOrder(const Profile& profile, const std::vector<OperatorIndex>& producers) {
    for (std::size_t i = 0; i < profile.operators.size(); ++i) {
        const Operator& op = profile.operators[i];
        for (std::size_t k = 0; k < op.inputs.size(); ++k) {
            const OperatorIndex producer = producers[static_cast<std::size_t>(op.inputs[k])];
            if (producer < static_cast<OperatorIndex>(i))
                continue;
            const std::string& tensor = profile.tensors[static_cast<std::size_t>(op.inputs[k])].id;
            std::string reason = "reads tensor " + quoted(tensor) + " before operator " +
                                 quoted(profile.operators[static_cast<std::size_t>(producer)].id) +
                                 " produces it";
            const auto cycle = cycleThrough(profile, producers, static_cast<OperatorIndex>(i));
            if (!cycle.empty()) {
                reason += "; the operators form a cycle: ";
                // Cycles in broken files can run through everything: name the first few.
                constexpr std::size_t shown = 6;
                for (std::size_t c = 0; c < std::min(cycle.size(), shown); ++c)
                    reason +=
                        (c ? " <- " : "") + quoted(profile.operators[static_cast<std::size_t>(cycle[c])].id);
                if (cycle.size() > shown)
                    reason += " <- ... (" + std::to_string(cycle.size() - 1) + " operators)";
            } else {
                reason += "; operators must stand in the order in which they run";
            }
            return ProfileError{pointerTo("operators", i, "inputs") + "/" + std::to_string(k), reason};
        }
        for (std::size_t k = 0; k < op.saved.size(); ++k) {
            const TensorIndex t = op.saved[k];
            if (std::find(op.inputs.begin(), op.inputs.end(), t) == op.inputs.end() &&
                std::find(op.outputs.begin(), op.outputs.end(), t) == op.outputs.end())
                return ProfileError{pointerTo("operators", i, "saved") + "/" + std::to_string(k),
                                    "saves tensor " +
                                        quoted(profile.tensors[static_cast<std::size_t>(t)].id) +
                                        ", which operator " + quoted(op.id) + " neither reads nor writes"};
        }
    }
    return std::nullopt;
}

// Names go to terminals, pictures and XML files: a control character in one is damage or mischief.
bool isClean(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7f;
    });
}

std::optional<ProfileError> checkNames(const Profile& profile) {
    const auto check = [](std::string pointer, std::string_view text) -> std::optional<ProfileError> {
        if (isClean(text))
            return std::nullopt;
        return ProfileError{std::move(pointer), "has a control character in it"};
    };
    if (auto error = check("/name", profile.name))
        return error;
    if (auto error = check("/source", profile.source))
        return error;
    if (auto error = check("/link/name", profile.link.name))
        return error;
    if (auto error = check("/device/name", profile.device ? profile.device->name : std::string{}))
        return error;
    for (std::size_t i = 0; i < profile.tensors.size(); ++i) {
        if (!isClean(profile.tensors[i].id))
            return check(pointerTo("tensors", i, "id"), profile.tensors[i].id);
        if (!isClean(profile.tensors[i].kind))
            return check(pointerTo("tensors", i, "kind"), profile.tensors[i].kind);
    }
    for (std::size_t i = 0; i < profile.operators.size(); ++i) {
        if (!isClean(profile.operators[i].id))
            return check(pointerTo("operators", i, "id"), profile.operators[i].id);
        if (!isClean(profile.operators[i].kind))
            return check(pointerTo("operators", i, "kind"), profile.operators[i].kind);
    }
    return std::nullopt;
}

} // namespace

std::optional<ProfileError> validate(const Profile& profile) {
    constexpr std::size_t mostEntries = std::size_t{1} << 30; // indices are 32-bit
    if (profile.operators.empty())
        return ProfileError{"/operators", "is empty; a profile needs at least one operator"};
    if (profile.operators.size() > mostEntries || profile.tensors.size() > mostEntries)
        return ProfileError{"/operators", "has over 2^30 entries"};
    Totals bytes;
    Totals tensorBytes;
    for (std::size_t i = 0; i < profile.tensors.size(); ++i) {
        const Tensor& tensor = profile.tensors[i];
        if (std::string reason = bytes.add(tensor.bytes); !reason.empty())
            return ProfileError{pointerTo("tensors", i, "bytes"), reason};
        tensorBytes.add(tensor.bytes);
        if (std::string reason = bytes.add(tensor.gradientBytes); !reason.empty())
            return ProfileError{pointerTo("tensors", i, "gradient_bytes"), reason};
    }
    Totals times;
    for (std::size_t i = 0; i < profile.operators.size(); ++i) {
        const Operator& op = profile.operators[i];
        if (std::string reason = times.add(op.forwardNs); !reason.empty())
            return ProfileError{pointerTo("operators", i, "forward_ns"), reason};
        if (std::string reason = times.add(op.backwardNs); !reason.empty())
            return ProfileError{pointerTo("operators", i, "backward_ns"), reason};
        if (std::string reason = bytes.add(op.forwardWorkspaceBytes); !reason.empty())
            return ProfileError{pointerTo("operators", i, "forward_workspace_bytes"), reason};
        if (std::string reason = bytes.add(op.backwardWorkspaceBytes); !reason.empty())
            return ProfileError{pointerTo("operators", i, "backward_workspace_bytes"), reason};
    }
    if (profile.device) {
        Totals device;
        if (std::string reason = device.add(profile.device->memoryBytes); !reason.empty())
            return ProfileError{"/device/memory_bytes", reason};
        Totals state;
        if (std::string reason = state.add(profile.device->modelStateBytes); !reason.empty())
            return ProfileError{"/device/model_state_bytes", reason};
    }
    Totals counts;
    if (std::string reason = counts.add(profile.tokensPerStep.value_or(0)); !reason.empty())
        return ProfileError{"/tokens_per_step", reason};
    if (std::string reason = counts.add(profile.samplesPerStep.value_or(0)); !reason.empty())
        return ProfileError{"/samples_per_step", reason};
    if (auto error = checkLink(profile.link, tensorBytes.total(), profile.tensors.size()))
        return error;
    if (auto error = checkNames(profile))
        return error;
    if (auto error = checkIdsAreUnique(profile))
        return error;
    std::vector<OperatorIndex> producers(profile.tensors.size(), -1);
    if (auto error = findProducers(profile, producers))
        return error;
    return checkOrder(profile, producers);
}

} // namespace slackscope
