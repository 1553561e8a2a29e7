// Devices and links that the product knows: resources/devices.json and resources/links.json, compiled in.
// Every row names the source of its numbers.
#pragma once

#include "core/input/transformer.h"

#include <span>
#include <string_view>

namespace slackscope {

struct DeviceSpec {
    std::string id;
    std::string name;
    Bytes memoryBytes = 0;
    double memoryBytesPerS = 0;
    // Dense matrix-unit peaks in FLOP/s with fp32 accumulation; absent = the device has no such unit.
    std::optional<double> bf16FlopsPerS, fp16FlopsPerS, tf32FlopsPerS;
    double fp32FlopsPerS = 0; // of the plain arithmetic units
    std::string source;

    // Peak that matrix products reach in this precision: fp32 means TF32 where there is one. Absent: bf16 on
    // a device without it.
    std::optional<double> matmulFlopsPerS(Precision precision) const;
};

struct LinkSpec {
    std::string id;
    std::string name;
    std::int64_t paperBytesPerS = 0; // per direction, as specified; the rates below are what copies reach
    std::int64_t deviceToHostBytesPerS = 0;
    std::int64_t hostToDeviceBytesPerS = 0;
    Nanoseconds latencyNs = 0;
    bool fullDuplex = true;
    std::string source;
};

std::span<const DeviceSpec> devices();
std::span<const LinkSpec> links();

// By id; the error lists the nearest ids.
tl::expected<DeviceSpec, InputError> findDevice(std::string_view id);
tl::expected<LinkSpec, InputError> findLink(std::string_view id);

} // namespace slackscope
