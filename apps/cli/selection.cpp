#include "selection.hpp"

#include <algorithm>
#include <utility>

#include "base/names.hpp"
#include "tandem/error.hpp"

namespace tandem::cli {

std::vector<std::string> split_patterns(const std::vector<std::string>& arguments) {
    std::vector<std::string> patterns;
    for (const std::string& argument : arguments) {
        int depth = 0;
        patterns.emplace_back();
        for (const char c : argument) {
            depth += c == '[' ? 1 : c == ']' ? -1 : 0;
            if (c == ',' && depth <= 0) {
                patterns.emplace_back();
            } else {
                patterns.back().push_back(c);
            }
        }
    }
    std::erase_if(patterns, [](const std::string& pattern) { return pattern.empty(); });
    return patterns;
}

std::function<bool(const std::string&)> selector(std::vector<std::string> patterns) {
    if (patterns.empty()) return [](const std::string&) { return true; };
    return [patterns = std::move(patterns)](const std::string& name) {
        return std::any_of(patterns.begin(), patterns.end(),
                           [&name](const std::string& p) { return matches(p, name); });
    };
}

void expect_matches(const std::vector<std::string>& patterns, const std::vector<std::string>& names,
                    const std::string& option) {
    for (const std::string& pattern : patterns)
        if (std::none_of(names.begin(), names.end(),
                         [&pattern](const std::string& name) { return matches(pattern, name); }))
            throw InputError(option, "no variable matches '" + pattern + "'",
                             did_you_mean(pattern, names, "the first line of the file names them"));
}

}  // namespace tandem::cli
