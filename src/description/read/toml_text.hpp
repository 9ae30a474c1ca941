#pragma once

#include <string>
#include <string_view>

#include "description/setting.hpp"

namespace tandem::description {

/// Where a text stands: its first line is `first_line` of `file`.
struct TextPlace {
    std::string file;
    int first_line = 1;
};

/// TOML as a table. Throws InputError for a text that is not TOML, or beyond its limits (see
/// ssp/toml_limits.hpp).
Setting parse_toml(std::string_view text, const TextPlace& where);

/// The entries of a table as TOML. Tables inside tables are written inline.
std::string write_toml(const Setting& table);

/// A name as a key of TOML, quoted where it has to be.
std::string toml_key(const std::string& key);
/// A value as TOML, on one line.
std::string toml_value(const Setting& setting);

}  // namespace tandem::description
