#include "expression/range.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>

namespace tandem::expression {
namespace {

/// Sums, products, quotients and square roots are off by half a unit in the last place.
constexpr double of_arithmetic = std::numeric_limits<double>::epsilon();
/// Functions of the C library by a few.
constexpr double of_functions = 4.0 * std::numeric_limits<double>::epsilon();

/// Denormal numbers are off by the same, however small they are.
constexpr double of_denormals = std::numeric_limits<double>::denorm_min();
double error_of(double value, double rounding) {
    const bool is_denormal = value != 0.0 && std::abs(value) < std::numeric_limits<double>::min();
    return rounding * std::abs(value) + (is_denormal ? of_denormals : 0.0);
}

Range outwards(Range range, double rounding) {
    if (std::isfinite(range.low)) range.low -= error_of(range.low, rounding);
    if (std::isfinite(range.high)) range.high += error_of(range.high, rounding);
    return range;
}

/// A product of numbers that are not zero.
bool underflows(double a, double b) { return a * b == 0.0 && a != 0.0 && b != 0.0; }

/// The smallest range with all of these; anything if one is NaN.
Range around(std::initializer_list<double> values, bool may_be_nan) {
    Range range{infinity, -infinity, may_be_nan};
    for (const double value : values) {
        if (std::isnan(value)) return anything;
        range.low = std::min(range.low, value);
        range.high = std::max(range.high, value);
    }
    return range;
}

bool has_nan(Range a, Range b) { return a.may_be_nan || b.may_be_nan; }
bool is_empty(Range a, Range b) { return a.is_empty() || b.is_empty(); }

/// Of a function between -1 and 1 with maxima at `top` + 2 pi k and minima at half turns from them.
Range periodic(double (*function)(double), Range x, double top) {
    constexpr double turn = 2.0 * std::numbers::pi;
    if (x.is_empty()) return no_number;
    const bool may_be_nan = x.may_be_nan || !std::isfinite(x.low) || !std::isfinite(x.high);
    const double rounding = of_functions * std::max({1.0, std::abs(x.low), std::abs(x.high)});
    if (!(x.high - x.low + 2.0 * rounding < turn)) return {-1.0, 1.0, may_be_nan};
    Range range = outwards(around({function(x.low), function(x.high)}, may_be_nan), of_functions);
    range = {std::max(range.low, -1.0), std::min(range.high, 1.0), range.may_be_nan};
    const auto has = [&](double extremum) {
        const double first = std::ceil((x.low - rounding - extremum) / turn);
        return extremum + turn * first <= x.high + rounding;
    };
    if (has(top)) range.high = 1.0;
    if (has(top - std::numbers::pi)) range.low = -1.0;
    return range;
}

}  // namespace

Range hull(Range a, Range b) {
    return {std::min(a.low, b.low), std::max(a.high, b.high), has_nan(a, b)};
}

Range intersection(Range a, Range b) {
    return {std::max(a.low, b.low), std::min(a.high, b.high), a.may_be_nan && b.may_be_nan};
}

Range operator-(Range a) { return {-a.high, -a.low, a.may_be_nan}; }

Range operator+(Range a, Range b) {
    if (is_empty(a, b)) return no_number;
    return outwards(around({a.low + b.low, a.high + b.high}, has_nan(a, b)), of_arithmetic);
}

Range operator-(Range a, Range b) { return a + -b; }

Range operator*(Range a, Range b) {
    if (is_empty(a, b)) return no_number;
    Range range = outwards(
        around({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high}, has_nan(a, b)),
        of_arithmetic);
    if (underflows(a.low, b.low) || underflows(a.low, b.high) || underflows(a.high, b.low) ||
        underflows(a.high, b.high))
        range = hull(range, {-of_denormals, of_denormals});
    return range;
}

Range operator/(Range a, Range b) {
    if (is_empty(a, b)) return no_number;
    if (contains(b, 0.0)) return anything;
    return outwards(
        around({a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high}, has_nan(a, b)),
        of_arithmetic);
}

/// With a whole exponent of any base; otherwise monotonic in both where the base is positive.
Range power(Range base, Range exponent) {
    if (is_empty(base, exponent)) return contains(exponent, 0.0) ? anything : no_number;
    const double n = exponent.low;
    const bool is_whole = exponent.is_one_number() && n == std::floor(n) && std::isfinite(n);
    const auto ends = [&](Range x) {
        return outwards(around({std::pow(x.low, exponent.low), std::pow(x.low, exponent.high),
                                std::pow(x.high, exponent.low), std::pow(x.high, exponent.high)},
                               has_nan(base, exponent)),
                        of_functions);
    };
    if (is_whole && (n >= 0.0 || !contains(base, 0.0))) {
        Range range = ends(base);
        if (n > 0.0 && contains(base, 0.0) && std::fmod(n, 2.0) == 0.0) range.low = 0.0;
        return range;
    }
    if (base.low > 0.0) return ends(base);
    if (base.high < 0.0 && exponent.is_one_number() && std::isfinite(n)) return no_number;
    if (!(exponent.low > 0.0)) return anything;
    Range range = ends({0.0, std::max(base.high, 0.0)});
    range.may_be_nan = range.may_be_nan || base.low < 0.0;
    // A whole exponent inside the range takes negative bases.
    return exponent.is_one_number() || base.low == 0.0 ? range : anything;
}

/// As std::min and std::max: the first where the second is NaN.
Range minimum(Range a, Range b) {
    if (a.is_empty()) return no_number;
    const Range range{std::min(a.low, b.low), std::min(a.high, b.high), a.may_be_nan};
    return b.may_be_nan ? Range{range.low, a.high, range.may_be_nan} : range;
}

Range maximum(Range a, Range b) {
    if (a.is_empty()) return no_number;
    const Range range{std::max(a.low, b.low), std::max(a.high, b.high), a.may_be_nan};
    return b.may_be_nan ? Range{a.low, range.high, range.may_be_nan} : range;
}

Range absolute(Range a) {
    if (a.low >= 0.0 || a.is_empty()) return a;
    if (a.high <= 0.0) return -a;
    return {0.0, std::max(-a.low, a.high), a.may_be_nan};
}

Range floor(Range a) { return {std::floor(a.low), std::floor(a.high), a.may_be_nan}; }

bool crosses_cut(Range y, Range x) {
    return x.low <= 0.0 && (y.low < 0.0 || std::signbit(y.low)) && y.high >= 0.0;
}

/// Of a rectangle without the cut the angles of the corners are the extremes.
Range angle(Range y, Range x) {
    if (is_empty(y, x)) return no_number;
    if (crosses_cut(y, x) || (contains(y, 0.0) && contains(x, 0.0)))
        return {-std::numbers::pi, std::numbers::pi, has_nan(y, x)};
    return outwards(around({std::atan2(y.low, x.low), std::atan2(y.low, x.high),
                            std::atan2(y.high, x.low), std::atan2(y.high, x.high)},
                           has_nan(y, x)),
                    of_functions);
}

Range monotonic(double (*function)(double), Range x, Range domain) {
    const bool may_be_nan = x.may_be_nan || x.low < domain.low || x.high > domain.high;
    x = intersection(x, domain);
    if (x.is_empty()) return no_number;
    return outwards(around({function(x.low), function(x.high)}, may_be_nan), of_functions);
}

Range sine(Range x) { return periodic(std::sin, x, 0.5 * std::numbers::pi); }
Range cosine(Range x) { return periodic(std::cos, x, 0.0); }

Range tangent(Range x) {
    const double rounding = of_functions * std::max({1.0, std::abs(x.low), std::abs(x.high)});
    const auto branch = [](double at) { return std::floor(at / std::numbers::pi + 0.5); };
    return x.is_empty()                                            ? no_number
           : branch(x.low - rounding) == branch(x.high + rounding) ? monotonic(std::tan, x)
                                                                   : anything;
}

Range hyperbolic_cosine(Range x) { return monotonic(std::cosh, absolute(x)); }

}  // namespace tandem::expression
