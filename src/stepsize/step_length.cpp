#include "stepsize/step_length.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::stepsize {
namespace {

constexpr double safety = 0.9;
constexpr double integral = 0.7, proportional = 0.4;
constexpr double smallest_change = 0.2, largest_change = 3.0;
/// What is left of a length when it is added to a time and taken away again.
constexpr double shortest_by_rounding = 1.01;
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

// Of a method of order k the error by what is allowed goes with length^k, at a jump it stays, and
// noise grows with 1/length.
bool StepLength::is_worth_repeating(double length, double error) const {
    if (length <= shortest_by_rounding * limits_.min) return false;
    return rejected_length_ == 0.0 ||
           !(error > rejected_error_ * std::sqrt(rejected_length_ / length));
}

// A step may have been shorter than allowed, to end at a communication point: then its error tells
// how long the next one may be, but is no reason to take a shorter one than before.
void StepLength::accept(double length, double error) {
    rejected_length_ = 0.0;
    if (!std::isfinite(error)) return;
    error = std::max(error, smallest_error);
    const double change = safety * std::pow(error, -integral * exponent_) *
                          std::pow(error_before_, proportional * exponent_);
    error_before_ = error;
    const double wanted = length * std::clamp(change, smallest_change, largest_change);
    set(error <= 1.0 && length < next_ ? std::max(wanted, next_) : wanted);
}

void StepLength::reject(double length, double error) {
    rejected_length_ = length;
    rejected_error_ = error;
    const double change = safety * std::pow(error, -exponent_);
    set(length *
        (std::isfinite(error) ? std::clamp(change, smallest_change, safety) : smallest_change));
}

void StepLength::accept_anyway(double length) {
    rejected_length_ = 0.0;
    error_before_ = 1.0;
    set(largest_change * length);
}

}  // namespace tandem::stepsize
