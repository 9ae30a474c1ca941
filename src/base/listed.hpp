#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace tandem {

/// "1 step", "2 steps".
template <class Count>
std::string counted(Count count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// "a, b, c": the first `most` of the names, then "and 5 more".
inline std::string listed(const std::vector<std::string>& names, std::size_t most = 12) {
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
    return text;
}

}  // namespace tandem
