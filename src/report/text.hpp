#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tandem::report {

/// Text for HTML and SVG, in content and in attributes: & < > " ' are escaped, control characters
/// become blanks.
std::string escaped(std::string_view text);

/// At most `length` characters (not bytes), the last one an ellipsis if something was cut.
std::string shortened(std::string_view text, std::size_t length);

/// A number for people: up to `digits` significant ones, no needless zeros.
std::string number(double value, int digits = 6);

/// 1234567 as "1 234 567" (with thin blanks).
std::string grouped(std::uint64_t value);

/// Seconds in the unit that suits: "12.3 µs", "4.56 ms", "1.2 s", "3 min 20 s".
std::string duration(double seconds);

/// Bytes as "12.3 kB".
std::string byte_size(std::uint64_t bytes);

/// "1 step", "2 steps".
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace tandem::report
