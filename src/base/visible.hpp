#pragma once

#include <string>
#include <string_view>

namespace tandem {

/// A text of a stranger as a terminal may be given it: control characters, bytes that are not UTF-8
/// and characters that change the direction of writing become visible escapes (\x1b, \u202e), so
/// that no escape sequence reaches the terminal. Line breaks and tabs stay. Temporary folders are
/// called by the names of what was unpacked into them.
std::string visible(std::string_view text);

}  // namespace tandem
