#pragma once

#include <limits>

namespace tandem::expression {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Interval arithmetic: all numbers from `low` to `high`, both included, and perhaps NaN. Bounds
/// are rounded outwards, so that a result holds what doubles give and what exact arithmetic would.
/// low > high: nothing but NaN.
struct Range {
    double low = 0.0, high = 0.0;
    bool may_be_nan = false;

    bool is_empty() const { return low > high; }
    bool is_one_number() const { return low == high && !may_be_nan; }
    /// Not below zero; NaN unless bounded.
    double width() const { return high - low; }
};

constexpr Range anything{-infinity, infinity, true};
constexpr Range no_number{infinity, -infinity, true};

inline bool contains(Range range, double value) {
    return range.low <= value && value <= range.high;
}
Range hull(Range a, Range b);
/// Of two ranges that both hold what is sought.
Range intersection(Range a, Range b);

Range operator-(Range a);
Range operator+(Range a, Range b);
Range operator-(Range a, Range b);
Range operator*(Range a, Range b);
Range operator/(Range a, Range b);
Range power(Range base, Range exponent);
Range minimum(Range a, Range b);
Range maximum(Range a, Range b);
Range absolute(Range a);
Range floor(Range a);
Range angle(Range y, Range x);
/// Whether atan2 may jump from pi to -pi in between.
bool crosses_cut(Range y, Range x);

/// Of a function that rises, or falls, on its whole domain.
Range monotonic(double (*function)(double), Range x, Range domain = {-infinity, infinity});
Range sine(Range x);
Range cosine(Range x);
Range tangent(Range x);
Range hyperbolic_cosine(Range x);

}  // namespace tandem::expression
