#include "stepsize/step_length.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::stepsize {
namespace {

constexpr double safety = 0.9;
constexpr double integral = 0.7, proportional = 0.4;
constexpr double smallest_change = 0.2, largest_change = 3.0;
/// An error of nothing would allow any step.
constexpr double smallest_error = 1e-6;

}  // namespace

StepLength::StepLength(Limits limits, int power)
    : limits_(limits), exponent_(1.0 / power), next_(limits.first) {
    set(limits_.first);
}

void StepLength::set(double length) { next_ = std::clamp(length, limits_.min, limits_.max); }

double StepLength::end_of_step(double t, double limit) const {
    const double left = limit - t;
    const double steps = std::ceil(left / next_ * (1.0 - 1e-9));
    if (steps <= 1.0) return limit;
    return t + (steps <= 2.0 ? left / 2.0 : next_);
}

// A step may have been shorter than allowed, to end at a communication point: then its error tells
// how long the next one may be, but is no reason to take a shorter one than before.
void StepLength::accept(double length, double error) {
    if (!std::isfinite(error)) return;
    error = std::max(error, smallest_error);
    const double change = safety * std::pow(error, -integral * exponent_) *
                          std::pow(error_before_, proportional * exponent_);
    error_before_ = error;
    const double wanted = length * std::clamp(change, smallest_change, largest_change);
    set(error <= 1.0 && length < next_ ? std::max(wanted, next_) : wanted);
}

void StepLength::reject(double length, double error) {
    const double change = safety * std::pow(error, -exponent_);
    set(length *
        (std::isfinite(error) ? std::clamp(change, smallest_change, safety) : smallest_change));
}

}  // namespace tandem::stepsize
