#include "core/input/hardware.h"

#include "core/input/near_matches.h"
#include "core/input/resource_text.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace slackscope {

using nlohmann::json;

namespace {

// Peaks and bandwidths stand in the tables in the units of the data sheets: TFLOP/s and GB/s (powers of
// 1000).
std::optional<double> teraflops(const json& row, const char* key) {
    return row.contains(key) ? std::optional(row.at(key).get<double>() * 1e12) : std::nullopt;
}

std::int64_t gigabytesPerS(const json& row, const char* key) {
    return std::llround(row.at(key).get<double>() * 1e9);
}

std::vector<DeviceSpec> readDevices() {
    std::vector<DeviceSpec> list;
    const json table = json::parse(devicesJson());
    for (const json& row : table.at("devices")) {
        DeviceSpec device;
        device.id = row.at("id");
        device.name = row.at("name");
        device.memoryBytes = row.at("memory_bytes");
        device.memoryBytesPerS = row.at("memory_gb_per_s").get<double>() * 1e9;
        device.bf16FlopsPerS = teraflops(row, "bf16_tflops");
        device.fp16FlopsPerS = teraflops(row, "fp16_tflops");
        device.tf32FlopsPerS = teraflops(row, "tf32_tflops");
        device.fp32FlopsPerS = row.at("fp32_tflops").get<double>() * 1e12;
        device.source = row.at("source");
        list.push_back(std::move(device));
    }
    return list;
}

std::vector<LinkSpec> readLinks() {
    std::vector<LinkSpec> list;
    const json table = json::parse(linksJson());
    for (const json& row : table.at("links")) {
        LinkSpec link;
        link.id = row.at("id");
        link.name = row.at("name");
        link.paperBytesPerS = gigabytesPerS(row, "paper_gb_per_s");
        link.deviceToHostBytesPerS = gigabytesPerS(row, "device_to_host_gb_per_s");
        link.hostToDeviceBytesPerS = gigabytesPerS(row, "host_to_device_gb_per_s");
        link.latencyNs = row.at("latency_ns");
        link.fullDuplex = row.at("full_duplex");
        link.source = row.at("source");
        list.push_back(std::move(link));
    }
    return list;
}

template <typename Row>
tl::expected<Row, InputError> find(std::span<const Row> rows, std::string_view id, const char* what) {
    std::vector<std::string> ids;
    for (const Row& row : rows) {
        if (row.id == id)
            return row;
        ids.push_back(row.id);
    }
    return tl::unexpected(InputError{"", "",
                                     std::string("there is no ") + what + " " + quotedText(id) +
                                         "; the nearest are " + commaList(nearMatches(id, ids))});
}

} // namespace

std::optional<double> DeviceSpec::matmulFlopsPerS(Precision precision) const {
    switch (precision) {
    case Precision::Bf16:
        return bf16FlopsPerS;
    case Precision::Fp16:
        return fp16FlopsPerS;
    case Precision::Fp32:
        break;
    }
    return tf32FlopsPerS.value_or(fp32FlopsPerS);
}

std::span<const DeviceSpec> devices() {
    static const std::vector<DeviceSpec> table = readDevices();
    return table;
}

std::span<const LinkSpec> links() {
    static const std::vector<LinkSpec> table = readLinks();
    return table;
}

tl::expected<DeviceSpec, InputError> findDevice(std::string_view id) {
    return find(devices(), id, "device");
}

tl::expected<LinkSpec, InputError> findLink(std::string_view id) {
    return find(links(), id, "link");
}

} // namespace slackscope
