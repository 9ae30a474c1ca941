#include "core/function_slope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// The truncation error h^2 and the rounding error eps / h balance at cbrt(eps).
const double root = std::cbrt(epsilon);
/// From one increment to the next, where the size of a signal is not known.
constexpr double finer = 1e-2;
constexpr int most_increments = 12;
/// Slopes over two increments that differ by no more of their size, or by rounding errors, are one.
constexpr double same_slope = 1e-6;
constexpr double rounding_of_values = 8.0 * epsilon;

struct Difference {
    double slope = 0.0;
    double error = 0.0;  ///< by rounding
};

Difference difference(const FunctionLink& function, double t, std::span<double> signals,
                      std::size_t signal, double step) {
    const double value = signals[signal];
    const auto value_at = [&](double place) {
        signals[signal] = place;
        return function.function(t, signals);
    };
    const double above = value_at(value + step);
    const double below = value_at(value - step);
    const double here = std::isfinite(above) && std::isfinite(below) ? 0.0 : value_at(value);
    signals[signal] = value;
    if (!std::isfinite(below))
        return {(above - here) / step, rounding_of_values * std::abs(here) / step};
    if (!std::isfinite(above))
        return {(here - below) / step, rounding_of_values * std::abs(here) / step};
    return {(above - below) / (2.0 * step), rounding_of_values * std::abs(above) / step};
}

}  // namespace

double slope_of(const FunctionLink& function, double t, std::span<double> signals,
                std::size_t signal, double nominal) {
    const double value = std::abs(signals[signal]);
    double step = root * std::max(value, std::abs(nominal));
    Difference wide = difference(function, t, signals, signal, step);
    Difference best = wide;
    double least_change = std::numeric_limits<double>::infinity();
    for (int k = 0; k < most_increments && finer * step >= root * value; ++k) {
        step *= finer;
        const Difference narrow = difference(function, t, signals, signal, step);
        const double change = std::abs(wide.slope - narrow.slope);
        const double size = std::max(std::abs(wide.slope), std::abs(narrow.slope));
        if (change <= same_slope * size + narrow.error) return wide.slope;
        if (change < least_change * size) {
            least_change = change / size;
            best = narrow;
        }
        wide = narrow;
    }
    return best.slope;
}

}  // namespace tandem
