#include "foreign/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/utf8.hpp"

namespace tandem::foreign {
namespace {

using Type = Setting::Type;

std::string text_of(const Setting& value) {
    switch (value.type) {
        case Type::boolean: return value.as_boolean() ? "true" : "false";
        case Type::integer: return std::to_string(value.as_integer());
        case Type::real: return fmt::format("{}", value.as_real());
        default: return value.as_text();
    }
}

bool give_boolean(Setting& value) {
    const std::string text = text_of(value);
    const bool is_true = text == "true" || text == "1";
    if (!is_true && text != "false" && text != "0") return false;
    value.scalar = is_true;
    value.type = Type::boolean;
    return true;
}

bool give_integer(Setting& value, ValueType type) {
    std::string text = text_of(value);
    if (value.type == Type::boolean) text = value.as_boolean() ? "1" : "0";
    constexpr double largest_exact = 9007199254740992.0;
    const auto number = number_of(text);
    if (number && *number == std::floor(*number) && std::abs(*number) <= largest_exact)
        text = fmt::format("{}", static_cast<std::int64_t>(*number));
    Values values;
    // TOML has no integers beyond those of 64 bits with a sign.
    if (!append_text(type, text, values) || (text[0] != '-' && values.integers.front() < 0))
        return false;
    value.scalar = values.integers.front();
    value.type = Type::integer;
    return true;
}

bool give_real(Setting& value) {
    if (value.type == Type::boolean) {
        value.scalar = value.as_boolean() ? 1.0 : 0.0;
    } else {
        const auto number = value.is_number() ? value.as_real() : number_of(value.as_text());
        if (!number) return false;
        value.scalar = *number;
    }
    value.type = Type::real;
    return true;
}

/// %20 as a blank, and so on; the text as it is if that gives no text.
std::string decoded(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        Values byte;
        if (text[i] == '%' && i + 2 < text.size() &&
            append_text(ValueType::binary, text.substr(i + 1, 2), byte)) {
            result += byte.strings.front();
            i += 2;
        } else {
            result += text[i];
        }
    }
    return is_utf8_text(result) ? result : std::string(text);
}

}  // namespace

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<double> number_of(std::string_view text) {
    Values values;
    if (!append_text(ValueType::float64, trimmed(text), values)) return std::nullopt;
    const double number = values.reals.front();
    return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

Setting guessed(std::string key, const std::string& text) {
    Setting value = description::text_setting(std::move(key), text);
    Setting other = value;
    if ((text == "true" || text == "false") && give_boolean(other)) return other;
    Values values;
    if (append_text(ValueType::int64, text, values) && give_integer(other, ValueType::int64))
        return other;
    return give_real(other) ? other : value;
}

bool give_type(Setting& value, ValueType type) {
    switch (type) {
        case ValueType::float32:
        case ValueType::float64: return give_real(value);
        case ValueType::boolean: return give_boolean(value);
        case ValueType::string:
            value.scalar = text_of(value);
            value.type = Type::text;
            return true;
        case ValueType::binary:
        case ValueType::clock: return false;
        case ValueType::enumeration:
            // By number or by name.
            return give_integer(value, ValueType::int64) || value.type == Type::text;
        default: return give_integer(value, type);
    }
}

std::filesystem::path file_of(const std::string& text, const std::filesystem::path& folder) {
    std::string path = text;
    std::ranges::replace(path, '\\', '/');
    if (path.starts_with("file:")) {
        path = decoded(std::string_view(path).substr(5));
        // file:/a, file:///a and, as some tools write it, file:////a.
        const auto first = path.find_first_not_of('/');
        if (path.starts_with("//") && first != std::string::npos) path = path.substr(first - 1);
    } else if (std::error_code failed; !std::filesystem::exists(folder / path, failed)) {
        path = decoded(path);
    }
    return whole_path(folder / path);
}

std::filesystem::path whole_path(const std::filesystem::path& path) {
    std::error_code failed;
    const std::filesystem::path whole = std::filesystem::absolute(path.empty() ? "." : path);
    const std::filesystem::path plain = whole.lexically_normal();
    // Behind a symbolic link .. is not the folder before it.
    const bool is_elsewhere =
        std::filesystem::exists(whole, failed) && !std::filesystem::exists(plain, failed);
    return is_elsewhere ? std::filesystem::canonical(whole, failed) : plain;
}

}  // namespace tandem::foreign
