#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::fuzz {

/// Changes a text so that it mostly keeps its format, XML, JSON, TOML, a table or a formula: values
/// become others of the text, of `words`, or odd numbers; elements, tables and rows are doubled,
/// left out or copied to other places.
std::string mutated(std::string_view text, const std::vector<std::string>& words,
                    std::mt19937& random);

}  // namespace tandem::fuzz
