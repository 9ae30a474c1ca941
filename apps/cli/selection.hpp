#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tandem::cli {

/// Patterns as given on the command line, where commas separate them, except within []: "a,b[1,2]".
std::vector<std::string> split_patterns(const std::vector<std::string>& arguments);

/// Accepts the names that match one of the patterns; all names without patterns.
std::function<bool(const std::string&)> selector(std::vector<std::string> patterns);

/// Throws InputError for a pattern that matches none of the names. `option` is the place.
void expect_matches(const std::vector<std::string>& patterns, const std::vector<std::string>& names,
                    const std::string& option);

}  // namespace tandem::cli
