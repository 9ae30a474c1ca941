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
constexpr int worse_steps_of_noise = 3;
constexpr double tolerated_noise = 2.0;
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

bool StepLength::is_worth_repeating(double length, double error) const {
    return length > shortest_by_rounding * limits_.min && !(error <= noise_);
}

// A step may have been shorter than allowed, to end at a communication point: then its error tells
// how long the next one may be, but is no reason to take a shorter one than before.
void StepLength::accept(double length, double error) {
    forget_tries();
    noise_ = 1.0;
    if (!std::isfinite(error)) return;
    error = std::max(error, smallest_error);
    const double change = safety * std::pow(error, -integral * exponent_) *
                          std::pow(error_before_, proportional * exponent_);
    error_before_ = error;
    const double wanted = length * std::clamp(change, smallest_change, largest_change);
    set(error <= 1.0 && length < next_ ? std::max(wanted, next_) : wanted);
}

// Of a method of order k the error by what is allowed goes with length^k, at a jump it stays, and
// noise grows with 1/length.
void StepLength::reject(double length, double error) {
    const bool is_worse = last_ && error > last_->error * std::sqrt(last_->length / length);
    worse_ = is_worse ? worse_ + 1 : 0;
    last_ = {length, error};
    if (!best_ || error < best_->error) best_ = last_;
    if (worse_ == worse_steps_of_noise) {
        noise_ = tolerated_noise * best_->error;
        set(best_->length);
        return;
    }
    const double change = safety * std::pow(error, -exponent_);
    set(length *
        (std::isfinite(error) ? std::clamp(change, smallest_change, safety) : smallest_change));
}

void StepLength::accept_anyway(double length, double error) {
    forget_tries();
    error_before_ = 1.0;
    set(error <= noise_ ? length : largest_change * length);
}

void StepLength::forget_tries() {
    last_.reset();
    best_.reset();
    worse_ = 0;
}

}  // namespace tandem::stepsize
