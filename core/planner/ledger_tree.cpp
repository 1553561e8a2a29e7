#include "core/planner/ledger_tree.h"

#include <algorithm>

namespace slackscope {

LedgerTree::LedgerTree(std::span<const Bytes> ledger)
    : nodes_(4 * std::max<std::size_t>(ledger.size(), 1)), size_(static_cast<std::int32_t>(ledger.size())) {
    if (size_ > 0)
        build(ledger, 1, 0, size_ - 1);
}

void LedgerTree::build(std::span<const Bytes> ledger, std::size_t node, std::int32_t low, std::int32_t high) {
    if (low == high) {
        nodes_[node].most = ledger[static_cast<std::size_t>(low)];
        return;
    }
    const std::int32_t middle = low + (high - low) / 2;
    build(ledger, 2 * node, low, middle);
    build(ledger, 2 * node + 1, middle + 1, high);
    nodes_[node].most = std::max(nodes_[2 * node].most, nodes_[2 * node + 1].most);
}

void LedgerTree::add(std::int32_t first, std::int32_t last, Bytes bytes) {
    if (first <= last)
        add(1, 0, size_ - 1, first, last, bytes);
}

void LedgerTree::add(std::size_t node, std::int32_t low, std::int32_t high, std::int32_t first,
                     std::int32_t last, Bytes bytes) {
    if (last < low || high < first)
        return;
    if (first <= low && high <= last) {
        nodes_[node].most += bytes;
        nodes_[node].added += bytes;
        return;
    }
    const std::int32_t middle = low + (high - low) / 2;
    add(2 * node, low, middle, first, last, bytes);
    add(2 * node + 1, middle + 1, high, first, last, bytes);
    nodes_[node].most = std::max(nodes_[2 * node].most, nodes_[2 * node + 1].most) + nodes_[node].added;
}

std::int32_t LedgerTree::lastAbove(std::int32_t first, std::int32_t last, Bytes limit) const {
    if (first > last)
        return first - 1;
    return std::max(lastAbove(1, 0, size_ - 1, first, last, limit), first - 1);
}

std::int32_t LedgerTree::lastAbove(std::size_t node, std::int32_t low, std::int32_t high, std::int32_t first,
                                   std::int32_t last, Bytes limit) const {
    if (last < low || high < first || nodes_[node].most <= limit)
        return -1;
    if (low == high)
        return low;
    const std::int32_t middle = low + (high - low) / 2;
    const Bytes below = limit - nodes_[node].added;
    const std::int32_t right = lastAbove(2 * node + 1, middle + 1, high, first, last, below);
    return right >= 0 ? right : lastAbove(2 * node, low, middle, first, last, below);
}

} // namespace slackscope
