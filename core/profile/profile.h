// A profile: the measured or modelled training step that everything else works on.
//
// A profile is plain data. `validate` says whether it obeys the rules of profile version 1; the rest of the
// core takes only profiles that passed it (StepGraph::build checks and refuses others).
#pragma once

#include "core/profile/units.h"

#include <optional>
#include <string>
#include <vector>

namespace slackscope {

using TensorIndex = std::int32_t;   // position in Profile::tensors
using OperatorIndex = std::int32_t; // position in Profile::operators

// A buffer written by at most one operator (its producer) and read by later ones.
struct Tensor {
    std::string id;
    std::string kind;        // row of the decision map, e.g. "layer_norm"; may be empty
    Bytes bytes = 0;         // device memory while resident
    Bytes gradientBytes = 0; // device memory of its gradient; 0 = it has none
    bool operator==(const Tensor&) const = default;
};

// One forward computation of the step, together with its backward.
struct Operator {
    std::string id;
    std::string kind;         // may be empty
    std::optional<int> layer; // column of the decision map; absent = outside the layers
    Nanoseconds forwardNs = 0;
    Nanoseconds backwardNs = 0;
    std::vector<TensorIndex> inputs;  // read by the forward
    std::vector<TensorIndex> outputs; // written by the forward
    std::vector<TensorIndex> saved;   // read by the backward: a subset of inputs and outputs
    Bytes forwardWorkspaceBytes = 0;
    Bytes backwardWorkspaceBytes = 0;
    bool recomputable = true;
    bool operator==(const Operator&) const = default;
};

// The link between device and host memory.
struct Link {
    std::string name;
    std::int64_t deviceToHostBytesPerS = 0; // > 0
    std::int64_t hostToDeviceBytesPerS = 0; // > 0
    Nanoseconds latencyNs = 0;              // before the first byte of each copy
    bool fullDuplex = true;                 // false: copies in the two directions never overlap
    std::optional<Bytes> hostMemoryBytes;   // absent = no limit, 0 = offload is impossible
    bool operator==(const Link&) const = default;
};

struct Device {
    std::string name;
    Bytes memoryBytes = 0;
    Bytes modelStateBytes = 0; // weights, gradients of weights and optimizer state, resident all the time
    bool operator==(const Device&) const = default;
};

struct Profile {
    std::string name;
    std::string source; // where it came from: "analytic", a file's own word, ...
    std::optional<std::int64_t> tokensPerStep;
    std::optional<std::int64_t> samplesPerStep;
    std::optional<Device> device;
    Link link;
    std::vector<Tensor> tensors;
    std::vector<Operator> operators; // in forward order
    bool operator==(const Profile&) const = default;
};

// Why a profile is refused: where in the profile's JSON form (RFC 6901 pointer) and a sentence fragment that
// says what is wrong and names the values.
struct ProfileError {
    std::string pointer;
    std::string reason;
};

// The first broken rule, or nothing. O(size of the profile) expected time.
std::optional<ProfileError> validate(const Profile& profile);

// Duration of one copy: latency + ceil(bytes * 1e9 / bandwidth) (simulation model, "Streams").
Nanoseconds copyNs(const Link& link, std::int64_t bytesPerS, Bytes bytes);

} // namespace slackscope
