#include "report/text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace tandem::report {
namespace {

constexpr std::string_view thin_blank = "\u2009";

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

}  // namespace

std::string escaped(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (const char c : text) {
        switch (c) {
            case '&': result += "&amp;"; break;
            case '<': result += "&lt;"; break;
            case '>': result += "&gt;"; break;
            case '"': result += "&quot;"; break;
            case '\'': result += "&#39;"; break;
            case '\n': result += "&#10;"; break;
            default: result += static_cast<unsigned char>(c) < 0x20U ? ' ' : c;
        }
    }
    return result;
}

std::string shortened(std::string_view text, std::size_t length) {
    std::size_t count = 0, cut = text.size();
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!begins_character(text[i])) continue;
        if (++count == length) cut = i;
        if (count > length) return std::string(text.substr(0, cut)) + "…";
    }
    return std::string(text);
}

std::string number(double value, int digits) {
    if (std::isnan(value)) return "–";
    if (value == 0.0) return "0";
    std::string text = fmt::format("{:.{}g}", value, digits);
    if (text.starts_with('-')) text.replace(0, 1, "−");
    return text;
}

std::string grouped(std::uint64_t value) {
    const std::string digits = std::to_string(value);
    std::string result;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) result += thin_blank;
        result += digits[i];
    }
    return result;
}

std::string duration(double seconds) {
    if (!std::isfinite(seconds)) return "–";
    if (seconds == 0.0) return "0 s";
    if (seconds >= 3600.0)
        return fmt::format("{:.0f} h {:.0f} min", std::floor(seconds / 3600.0),
                           std::floor(std::fmod(seconds, 3600.0) / 60.0));
    if (seconds >= 100.0)
        return fmt::format("{:.0f} min {:.0f} s", std::floor(seconds / 60.0),
                           std::floor(std::fmod(seconds, 60.0)));
    if (seconds >= 0.9995) return fmt::format("{:.3g} s", seconds);
    if (seconds >= 0.9995e-3) return fmt::format("{:.3g} ms", 1e3 * seconds);
    if (seconds >= 0.9995e-6) return fmt::format("{:.3g} µs", 1e6 * seconds);
    return fmt::format("{:.3g} ns", 1e9 * seconds);
}

std::string byte_size(std::uint64_t bytes) {
    constexpr std::array<const char*, 5> units = {"B", "kB", "MB", "GB", "TB"};
    auto size = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (size >= 999.5 && unit + 1 < units.size()) {
        size /= 1000.0;
        ++unit;
    }
    return fmt::format("{:.3g} {}", size, units.at(unit));
}

std::string counted(std::uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

}  // namespace tandem::report
