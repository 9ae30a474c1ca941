#pragma once

#include <string_view>

#include "description/read/toml_text.hpp"

namespace tandem::description {

/// A text that is read nests its tables and lists no deeper, and holds no more values.
inline constexpr int deepest_table = 256;
inline constexpr long most_values = 5'000'000;

/// Throws InputError for TOML beyond these limits. Looks at the text only, before anything is built
/// of it: the parser itself and the destructors of its tables recurse as deep as dotted keys go.
/// The text need not be TOML; what is not is left to the parser.
void check_toml_limits(std::string_view text, const TextPlace& where);

}  // namespace tandem::description
