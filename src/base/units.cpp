#include "base/units.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numbers>

#include "tandem/error.hpp"

namespace tandem {
namespace {

struct Known {
    std::string_view symbol;
    UnitInBase unit;
    bool takes_prefix;
};

constexpr double pi = std::numbers::pi;

// kg m s A K mol cd rad
const std::array<Known, 43> table = {{
    {"1", {{}, 1.0, 0.0}, false},
    {"%", {{}, 0.01, 0.0}, false},
    {"g", {{1}, 1e-3, 0.0}, true},
    {"m", {{0, 1}, 1.0, 0.0}, true},
    {"s", {{0, 0, 1}, 1.0, 0.0}, true},
    {"A", {{0, 0, 0, 1}, 1.0, 0.0}, true},
    {"K", {{0, 0, 0, 0, 1}, 1.0, 0.0}, true},
    {"mol", {{0, 0, 0, 0, 0, 1}, 1.0, 0.0}, true},
    {"cd", {{0, 0, 0, 0, 0, 0, 1}, 1.0, 0.0}, true},
    {"rad", {{0, 0, 0, 0, 0, 0, 0, 1}, 1.0, 0.0}, true},
    {"deg", {{0, 0, 0, 0, 0, 0, 0, 1}, pi / 180.0, 0.0}, false},
    {"rev", {{0, 0, 0, 0, 0, 0, 0, 1}, 2.0 * pi, 0.0}, false},
    {"rpm", {{0, 0, -1, 0, 0, 0, 0, 1}, pi / 30.0, 0.0}, false},
    {"sr", {{}, 1.0, 0.0}, false},
    {"Hz", {{0, 0, -1}, 1.0, 0.0}, true},
    {"N", {{1, 1, -2}, 1.0, 0.0}, true},
    {"Pa", {{1, -1, -2}, 1.0, 0.0}, true},
    {"bar", {{1, -1, -2}, 1e5, 0.0}, true},
    {"atm", {{1, -1, -2}, 101325.0, 0.0}, false},
    {"psi", {{1, -1, -2}, 6894.757293168361, 0.0}, false},
    {"J", {{1, 2, -2}, 1.0, 0.0}, true},
    {"cal", {{1, 2, -2}, 4.184, 0.0}, true},
    {"W", {{1, 2, -3}, 1.0, 0.0}, true},
    {"Wh", {{1, 2, -2}, 3600.0, 0.0}, true},
    {"C", {{0, 0, 1, 1}, 1.0, 0.0}, true},
    {"V", {{1, 2, -3, -1}, 1.0, 0.0}, true},
    {"VA", {{1, 2, -3}, 1.0, 0.0}, true},
    {"Ohm", {{1, 2, -3, -2}, 1.0, 0.0}, true},
    {"S", {{-1, -2, 3, 2}, 1.0, 0.0}, true},
    {"F", {{-1, -2, 4, 2}, 1.0, 0.0}, true},
    {"H", {{1, 2, -2, -2}, 1.0, 0.0}, true},
    {"Wb", {{1, 2, -2, -1}, 1.0, 0.0}, true},
    {"T", {{1, 0, -2, -1}, 1.0, 0.0}, true},
    {"lm", {{0, 0, 0, 0, 0, 0, 1}, 1.0, 0.0}, true},
    {"lx", {{0, -2, 0, 0, 0, 0, 1}, 1.0, 0.0}, true},
    {"l", {{0, 3}, 1e-3, 0.0}, true},
    {"L", {{0, 3}, 1e-3, 0.0}, true},
    {"t", {{1}, 1e3, 0.0}, true},
    {"min", {{0, 0, 1}, 60.0, 0.0}, false},
    {"h", {{0, 0, 1}, 3600.0, 0.0}, false},
    {"d", {{0, 0, 1}, 86400.0, 0.0}, false},
    {"degC", {{0, 0, 0, 0, 1}, 1.0, 273.15}, false},
    {"degF", {{0, 0, 0, 0, 1}, 5.0 / 9.0, 459.67 * 5.0 / 9.0}, false},
}};

struct Prefix {
    std::string_view symbol;
    double factor;
};

constexpr std::array<Prefix, 13> prefixes = {{{"da", 1e1},
                                              {"h", 1e2},
                                              {"k", 1e3},
                                              {"M", 1e6},
                                              {"G", 1e9},
                                              {"T", 1e12},
                                              {"P", 1e15},
                                              {"d", 1e-1},
                                              {"c", 1e-2},
                                              {"m", 1e-3},
                                              {"u", 1e-6},
                                              {"n", 1e-9},
                                              {"p", 1e-12}}};

const Known* find(std::string_view symbol) {
    for (const Known& known : table)
        if (known.symbol == symbol) return &known;
    return nullptr;
}

std::optional<UnitInBase> lookup(std::string_view symbol) {
    if (const Known* known = find(symbol)) return known->unit;
    for (const Prefix& prefix : prefixes) {
        if (!symbol.starts_with(prefix.symbol)) continue;
        const Known* known = find(symbol.substr(prefix.symbol.size()));
        if (known == nullptr || !known->takes_prefix) continue;
        UnitInBase unit = known->unit;
        unit.factor *= prefix.factor;
        return unit;
    }
    return std::nullopt;
}

void multiply(UnitInBase& product, const UnitInBase& factor, int exponent) {
    for (std::size_t i = 0; i < product.exponents.size(); ++i)
        product.exponents[i] += exponent * factor.exponents[i];
    product.factor *= std::pow(factor.factor, exponent);
}

/// expression = term { "/" term },  term = factor { "." factor },
/// factor = symbol [exponent] | "(" expression ")"
class Parser {
public:
    explicit Parser(std::string_view text) : rest_(text) {}

    std::optional<UnitInBase> parse() {
        auto unit = expression();
        if (!rest_.empty()) return std::nullopt;
        return unit;
    }

private:
    std::optional<UnitInBase> expression() {
        if (++depth_ > 16) return std::nullopt;
        auto result = factor();
        while (result && !rest_.empty() &&
               (rest_[0] == '.' || rest_[0] == '*' || rest_[0] == '/')) {
            const int sign = rest_[0] == '/' ? -1 : 1;
            rest_.remove_prefix(1);
            const auto next = factor();
            if (!next) return std::nullopt;
            result->offset = 0.0;
            multiply(*result, *next, sign);
        }
        --depth_;
        return result;
    }

    std::optional<UnitInBase> factor() {
        if (rest_.starts_with('(')) {
            rest_.remove_prefix(1);
            auto inner = expression();
            if (!rest_.starts_with(')')) return std::nullopt;
            rest_.remove_prefix(1);
            return inner;
        }
        const auto unit = lookup(symbol());
        if (!unit) return std::nullopt;
        const int power = exponent();
        if (power == 1) return unit;
        UnitInBase result;
        multiply(result, *unit, power);
        return result;
    }

    std::string_view symbol() {
        std::size_t n = 0;
        const auto is_letter = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%';
        };
        while (n < rest_.size() && is_letter(rest_[n])) ++n;
        if (n == 0 && rest_.starts_with('1')) n = 1;
        const auto text = rest_.substr(0, n);
        rest_.remove_prefix(n);
        return text;
    }

    int exponent() {
        if (rest_.starts_with('^')) rest_.remove_prefix(1);
        int value = 1;
        const auto result = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        rest_.remove_prefix(static_cast<std::size_t>(result.ptr - rest_.data()));
        return result.ec == std::errc{} ? value : 1;
    }

    std::string_view rest_;
    int depth_ = 0;
};

}  // namespace

std::optional<UnitInBase> parse_unit(std::string_view text) { return Parser(text).parse(); }

NameWithUnit split_unit(const std::string& text) {
    const auto open = text.rfind(" [");
    if (open == std::string::npos || !text.ends_with(']')) return {text, {}};
    const auto end = text.find_last_not_of(' ', open);
    return {text.substr(0, end + 1), text.substr(open + 2, text.size() - open - 3)};
}

double seconds_in(const std::string& unit, const std::string& place) {
    if (unit.empty() || unit == "sec" || unit == "seconds") return 1.0;
    const UnitInBase second = *parse_unit("s");
    const std::optional<UnitInBase> found = parse_unit(unit);
    if (found && found->exponents == second.exponents && found->offset == 0.0) return found->factor;
    throw InputError(place, fmt::format("'{}' is no unit of time", unit),
                     "write times in s, or in ms, min, h");
}

}  // namespace tandem
