#include "tandem/value.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace tandem {
namespace {

constexpr std::array<std::string_view, 15> names = {
    "Float32", "Float64", "Int8",    "UInt8",  "Int16",  "UInt16",      "Int32", "UInt32",
    "Int64",   "UInt64",  "Boolean", "String", "Binary", "Enumeration", "Clock"};

struct Range {
    std::int64_t min, max;
};

template <class T>
constexpr Range range_of() {
    return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

Range integer_range(ValueType type) {
    switch (type) {
        case ValueType::int8: return range_of<std::int8_t>();
        case ValueType::uint8: return range_of<std::uint8_t>();
        case ValueType::int16: return range_of<std::int16_t>();
        case ValueType::uint16: return range_of<std::uint16_t>();
        case ValueType::int32: return range_of<std::int32_t>();
        case ValueType::uint32: return range_of<std::uint32_t>();
        default: return range_of<std::int64_t>();
    }
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

template <class T>
bool parse_number(std::string_view text, T& value) {
    text = trimmed(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    if (text.empty() || text.starts_with('+')) return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

bool append_boolean(std::string_view text, Values& values) {
    text = trimmed(text);
    const bool yes = text == "true" || text == "1";
    if (!yes && text != "false" && text != "0") return false;
    values.integers.push_back(yes ? 1 : 0);
    return true;
}

bool append_real(ValueType type, std::string_view text, Values& values) {
    text = trimmed(text);
    double value = 0.0;
    if (text == "INF" || text == "+INF")
        value = std::numeric_limits<double>::infinity();
    else if (text == "-INF")
        value = -std::numeric_limits<double>::infinity();
    else if (!parse_number(text, value))
        return false;
    if (type == ValueType::float32) value = static_cast<float>(value);
    values.reals.push_back(value);
    return true;
}

bool append_integer(ValueType type, std::string_view text, Values& values) {
    if (type == ValueType::uint64) {
        std::uint64_t value = 0;
        if (!parse_number(text, value)) return false;
        values.integers.push_back(static_cast<std::int64_t>(value));
        return true;
    }
    std::int64_t value = 0;
    const Range range = integer_range(type);
    if (!parse_number(text, value) || value < range.min || value > range.max) return false;
    values.integers.push_back(value);
    return true;
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool append_binary(std::string_view text, Values& values) {
    text = trimmed(text);
    if (text.size() % 2 != 0) return false;
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = hex_digit(text[i]);
        const int low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0) return false;
        bytes.push_back(static_cast<char>(high * 16 + low));
    }
    values.strings.push_back(std::move(bytes));
    return true;
}

template <class T>
std::string number_text(T value) {
    std::array<char, 64> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return error == std::errc{} ? std::string(buffer.data(), end) : std::string("?");
}

std::string binary_text(const std::string& bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text.push_back(digits[byte >> 4U]);
        text.push_back(digits[byte & 15U]);
    }
    return text;
}

}  // namespace

std::string_view to_string(ValueType type) { return names[static_cast<std::size_t>(type)]; }

void Values::clear() {
    reals.clear();
    integers.clear();
    strings.clear();
}

std::size_t Values::size(ValueType type) const {
    switch (storage_of(type)) {
        case Storage::reals: return reals.size();
        case Storage::integers: return integers.size();
        case Storage::strings: return strings.size();
    }
    return 0;
}

void Values::resize(ValueType type, std::size_t count) {
    switch (storage_of(type)) {
        case Storage::reals: reals.resize(count); break;
        case Storage::integers: integers.resize(count); break;
        case Storage::strings: strings.resize(count); break;
    }
}

std::string to_text(ValueType type, const Values& values, std::size_t index) {
    switch (type) {
        case ValueType::float32: return number_text(static_cast<float>(values.reals[index]));
        case ValueType::float64: return number_text(values.reals[index]);
        case ValueType::string: return values.strings[index];
        case ValueType::binary: return binary_text(values.strings[index]);
        case ValueType::boolean: return values.integers[index] != 0 ? "true" : "false";
        case ValueType::uint64:
            return number_text(static_cast<std::uint64_t>(values.integers[index]));
        default: return number_text(values.integers[index]);
    }
}

bool append_text(ValueType type, std::string_view text, Values& values) {
    switch (type) {
        case ValueType::float32:
        case ValueType::float64: return append_real(type, text, values);
        case ValueType::string: values.strings.emplace_back(text); return true;
        case ValueType::binary: return append_binary(text, values);
        case ValueType::boolean:
        case ValueType::clock: return append_boolean(text, values);
        default: return append_integer(type, text, values);
    }
}

}  // namespace tandem
