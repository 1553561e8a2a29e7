// Resident bytes by position, with range additions and a search from the right: both O(log positions).
#pragma once

#include "core/profile/units.h"

#include <span>
#include <vector>

namespace slackscope {

class LedgerTree {
public:
    explicit LedgerTree(std::span<const Bytes> ledger);

    void add(std::int32_t first, std::int32_t last, Bytes bytes); // both ends included; empty if last < first
    // Largest position in [first, last] whose value is above `limit`, or first - 1.
    std::int32_t lastAbove(std::int32_t first, std::int32_t last, Bytes limit) const;

private:
    struct Node {
        Bytes most = 0;  // of the subtree, `added` of this node included, that of its ancestors not
        Bytes added = 0; // to every position below
    };
    void build(std::span<const Bytes> ledger, std::size_t node, std::int32_t low, std::int32_t high);
    void add(std::size_t node, std::int32_t low, std::int32_t high, std::int32_t first, std::int32_t last,
             Bytes bytes);
    std::int32_t lastAbove(std::size_t node, std::int32_t low, std::int32_t high, std::int32_t first,
                           std::int32_t last, Bytes limit) const;

    std::vector<Node> nodes_;
    std::int32_t size_ = 0;
};

} // namespace slackscope
