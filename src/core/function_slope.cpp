#include "core/function_slope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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
/// Slopes over two increments that differ by more of their size have nothing in common.
constexpr double straight = 0.5;
/// A slope may lead so much further than the function goes,
constexpr double most_of_chord = 2.0;
/// or the function has to be near a parabola: so far off it, against what it is off the line.
constexpr double part_off_parabola = 0.125;

struct Difference {
    double slope = 0.0;
    double error = 0.0;  ///< by rounding
};

Difference difference(const FunctionNear& function, std::size_t signal, double step) {
    const double place = function.signal(signal);
    const double above = function.with(signal, place + step);
    const double below = function.with(signal, place - step);
    const double here = std::isfinite(above) && std::isfinite(below) ? 0.0 : function.value();
    if (!std::isfinite(below))
        return {(above - here) / step, rounding_of_values * std::abs(here) / step};
    if (!std::isfinite(above))
        return {(here - below) / step, rounding_of_values * std::abs(here) / step};
    return {(above - below) / (2.0 * step), rounding_of_values * std::abs(above) / step};
}

/// `value` is the function of the distance from the point. A smooth function is near the parabola
/// with the slope at the point and the value at the end also in the middle of the distance.
template <typename Value>
double limited(const Value& value, double slope, double distance) {
    if (!std::isfinite(value(distance))) distance = -distance;
    const double here = value(0.0);
    const double rise = value(distance) - here;
    const double line = slope * distance;
    if (!std::isfinite(rise) || std::abs(line) <= most_of_chord * std::abs(rise)) return slope;
    const double middle = value(0.5 * distance) - here;
    const double off_parabola = std::abs(middle - 0.25 * (line + rise));
    const double rounding = 8.0 * rounding_of_values * std::abs(here);
    if (off_parabola <= part_off_parabola * std::abs(line - rise) + rounding) return slope;
    return rise / distance;
}

}  // namespace

FunctionNear::FunctionNear(const FunctionLink& function, double t, std::span<double> signals)
    : function_(function),
      switched_(function.function.target<HeldCall>()),
      t_(t),
      signals_(signals) {
    if (switched_ == nullptr) return;
    const std::span<double> outcomes = switched_->outcomes;
    std::ranges::copy(switched_->held, outcomes.begin());
    for (std::size_t k = 0; k < outcomes.size(); ++k)
        if (std::isnan(outcomes[k]))
            outcomes[k] = switched_->of->outcome(static_cast<int>(k), t, signals, outcomes);
}

double FunctionNear::at(double t) const {
    return switched_ == nullptr ? function_.function(t, signals_)
                                : switched_->of->evaluate(t, signals_, switched_->outcomes);
}

double FunctionNear::with(std::size_t signal, double value) const {
    const double place = std::exchange(signals_[signal], value);
    const double result = at(t_);
    signals_[signal] = place;
    return result;
}

double slope_of(const FunctionNear& function, std::size_t signal, double nominal) {
    const double value = std::abs(function.signal(signal));
    double step = root * std::max(value, std::abs(nominal));
    const Difference widest = difference(function, signal, step);
    Difference wide = widest, best = widest;
    double least_change = std::numeric_limits<double>::infinity();
    for (int k = 0; k < most_increments && finer * step >= root * value; ++k) {
        step *= finer;
        const Difference narrow = difference(function, signal, step);
        const double change = std::abs(wide.slope - narrow.slope);
        const double size = std::max(std::abs(wide.slope), std::abs(narrow.slope));
        if (change <= same_slope * size + narrow.error) return wide.slope;
        if (change < least_change * size) {
            least_change = change / size;
            best = narrow;
        }
        wide = narrow;
    }
    return least_change <= straight ? best.slope : widest.slope;
}

double slope_of(const FunctionLink& function, double t, std::span<double> signals,
                std::size_t signal, double nominal) {
    return slope_of(FunctionNear(function, t, signals), signal, nominal);
}

double limited_slope(const FunctionNear& function, std::size_t signal, double slope,
                     double change) {
    const double place = function.signal(signal);
    return limited([&](double distance) { return function.with(signal, place + distance); }, slope,
                   (place + change) - place);
}

double limited_time_slope(const FunctionNear& function, double slope, double change) {
    const double t = function.time();
    return limited([&](double distance) { return function.at(t + distance); }, slope,
                   (t + change) - t);
}

}  // namespace tandem
