#include "core/input/near_matches.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace slackscope {

namespace {

std::string letters(std::string_view text) {
    std::string kept;
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            kept += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return kept;
}

// Levenshtein distance, one row at a time.
std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t above = row[j + 1];
            row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
            diagonal = above;
        }
    }
    return row.back();
}

} // namespace

std::vector<std::string> nearMatches(std::string_view text, std::span<const std::string> names,
                                     std::size_t most) {
    const std::string wanted = letters(text.substr(0, 200)); // no name is longer; bounds the work
    std::vector<std::pair<std::size_t, std::size_t>> ranked; // distance, position
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string name = letters(names[i]);
        const bool contains = !wanted.empty() && name.find(wanted) != std::string::npos;
        // A quarter, so that "llama" prefers every llama to a short unrelated name.
        const std::size_t distance = editDistance(wanted, name);
        ranked.emplace_back(contains ? distance / 4 : distance, i);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::string> nearest;
    for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i)
        nearest.push_back(names[ranked[i].second]);
    return nearest;
}

std::string commaList(std::span<const std::string> names) {
    std::string list;
    for (const std::string& name : names)
        list += (list.empty() ? "" : ", ") + name;
    return list;
}

} // namespace slackscope
