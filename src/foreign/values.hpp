#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "foreign/system.hpp"
#include "tandem/value.hpp"

namespace tandem::foreign {

/// Without blanks at its ends.
std::string_view trimmed(std::string_view text);

/// A finite number; nothing for any other text.
std::optional<double> number_of(std::string_view text);

/// The value of a text without a type: true, false, an integer, a number, or the text itself.
Setting guessed(std::string key, const std::string& text);

/// Turns a value into one of that type. False, and nothing changes, if it is none.
[[nodiscard]] bool give_type(Setting& value, ValueType type);

/// The file, as an absolute path, that `text` names: a path, relative to `folder`, or a file URI.
/// In a relative path, %20 and the like are taken for what they stand for if there is no file of
/// that name.
std::filesystem::path file_of(const std::string& text, const std::filesystem::path& folder);

/// Absolute, without . and .. in it. The empty path is the working folder.
std::filesystem::path whole_path(const std::filesystem::path& path);

}  // namespace tandem::foreign
