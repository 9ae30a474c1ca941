#include "base/names.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace tandem {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// How many letters are inserted, dropped, replaced or exchanged with their neighbours, without
/// regard to case.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1), above(b.size() + 1), two_above(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::swap(above, two_above);
        std::swap(row, above);
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = above[j] + (lower(a[i]) == lower(b[j]) ? 0U : 1U);
            row[j + 1] = std::min({replaced, row[j] + 1, above[j + 1] + 1});
            if (i > 0 && j > 0 && lower(a[i]) == lower(b[j - 1]) && lower(a[i - 1]) == lower(b[j]))
                row[j + 1] = std::min(row[j + 1], two_above[j - 1] + 1);
        }
    }
    return row[b.size()];
}

}  // namespace

bool matches(std::string_view pattern, std::string_view name) {
    std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = n;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++resume;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::string closest(std::string_view name, const std::vector<std::string>& candidates) {
    constexpr std::size_t longest_compared = 200;  // the work grows with the square of it
    if (name.size() > longest_compared) return {};
    std::size_t best = std::max<std::size_t>(1, name.size() / 3) + 1;
    std::string result;
    for (const std::string& candidate : candidates) {
        const std::size_t longer = std::max(candidate.size(), name.size());
        const std::size_t shorter = std::min(candidate.size(), name.size());
        if (longer - shorter >= best) continue;
        const std::size_t d = distance(name, candidate);
        if (d >= best || d >= longer) continue;  // they need a letter in common
        best = d;
        result = candidate;
    }
    return result;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates,
                         const std::string& otherwise) {
    const std::string similar = closest(name, candidates);
    return similar.empty() ? otherwise : "did you mean '" + similar + "'?";
}

}  // namespace tandem
