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
constexpr int most_doublings = 5;
/// Errors that fall with less than this part of the order are noise.
constexpr double least_order = 0.45;
/// Steps after which it is looked whether longer ones would do; up to how many after vain probes.
constexpr int first_patience = 20, most_patience = 20000;
/// A step that is longer by less is of the same length; one that errs more is no candidate.
constexpr double noticeable = 3.0, hardly_worse = 4.0;
/// Steps that become longer by this are on their way, from a jump, say.
constexpr double growing = 1.5;
constexpr int confirmations = 3;
/// An error of nothing would allow any step.
constexpr double smallest_error = 1e-6;

}  // namespace

StepLength::StepLength(Limits limits, int power)
    : limits_(limits), exponent_(1.0 / power), next_(limits.first), patience_(first_patience) {
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
    const Tried tried{length, error};
    if (is_of_probe(length)) return denies_noise(tried);
    return length > shortest_by_rounding * limits_.min && !(error <= noise_) &&
           !is_repeated_in_vain(tried);
}

// The error of a method of order k by what is allowed goes down with length^k.
bool StepLength::falls(const Tried& longer, const Tried& shorter) const {
    return shorter.error <
           longer.error * std::pow(shorter.length / longer.length, least_order / exponent_);
}

bool StepLength::is_of_probe(double length) const {
    return probe_ && noticeable * length > probe_->length;
}

bool StepLength::denies_noise(const Tried& tried) const {
    return !std::isfinite(tried.error) || falls(tried, probe_->short_steps);
}

/// Where noise is known, one shorter step tells whether it is more of it.
bool StepLength::is_repeated_in_vain(const Tried& tried) const {
    return noise_ > 1.0 && last_ && tried.length < last_->length && !falls(*last_, tried);
}

// A step may have been shorter than allowed, to end at a communication point: then its error tells
// how long the next one may be, but is no reason to take a shorter one than before.
void StepLength::accept(double length, double error) {
    if (error > 1.0 && !is_worth_repeating(length, error) && length > limits_.min)
        return accept_anyway(length, error);
    forget_tries();
    if (!std::isfinite(error)) return;
    if (error > 1.0) last_ = {length, error};
    if (error <= 1.0) end_noise_if_calm();
    error = std::max(error, smallest_error);
    const double change = safety * std::pow(error, -integral * exponent_) *
                          std::pow(error_before_, proportional * exponent_);
    error_before_ = error;
    const double wanted = length * std::clamp(change, smallest_change, largest_change);
    set(error <= 1.0 && length < next_ ? std::max(wanted, next_) : wanted);
    note_accepted({length, error});
}

/// Noise that came back has to be gone for longer.
void StepLength::end_noise_if_calm() {
    if (++calm_ >= (1 << std::min(times_noisy_, 2 * most_doublings)) / 2) noise_ = 1.0;
}

// At a jump the error stays, and noise that is always the same grows with 1/length.
void StepLength::reject(double length, double error) {
    if (is_of_probe(length)) {
        note({length, error});
        set(probe_->short_steps.length);
        probe_.reset();
        return;
    }
    const bool is_worse = last_ && error > last_->error * std::sqrt(last_->length / length);
    worse_ = is_worse ? worse_ + 1 : 0;
    last_ = {length, error};
    note(*last_);
    if (!best_ || error < best_->error) best_ = last_;
    if (worse_ == worse_steps_of_noise) {
        tolerate(*best_);
        set(home_);
        return;
    }
    const double change = safety * std::pow(error, -exponent_);
    set(length *
        (std::isfinite(error) ? std::clamp(change, smallest_change, safety) : smallest_change));
}

void StepLength::accept_anyway(double length, double error) {
    if (is_repeated_in_vain({length, error})) noise_ = std::max(noise_, tolerated_noise * error);
    forget_tries();
    calm_ = 0;
    error_before_ = 1.0;
    const double longer = largest_change * length;
    set(error <= noise_ ? std::clamp(home_, length, longer) : longer);
    note_accepted({length, error});
}

void StepLength::tolerate(const Tried& noise) {
    noise_ = tolerated_noise * std::exp2(std::min(times_noisy_, most_doublings)) * noise.error;
    home_ = noise.length;
    ++times_noisy_;
    calm_ = 0;
}

std::size_t StepLength::bin_of(double length) const {
    const double bin = std::log(length / limits_.min) / std::log(noticeable);
    return static_cast<std::size_t>(std::clamp(bin, 0.0, static_cast<double>(errors_.size() - 1)));
}

void StepLength::note(const Tried& tried) {
    if (std::isfinite(tried.error) && limits_.min > 0.0)
        errors_[bin_of(tried.length)] = tried.error;
}

void StepLength::note_accepted(const Tried& tried) {
    note(tried);
    if (probe_) return judge_probe(tried);
    if (tried.length > growing * window_.longest) window_ = {0, tried.length, 0.0};
    window_.logarithms += std::log(std::max(tried.error, smallest_error));
    if (++window_.steps >= patience_) judge_window();
}

/// Was there a length at which errors were hardly larger? They should be by length^k.
void StepLength::judge_window() {
    const Tried now{window_.longest, std::exp(window_.logarithms / window_.steps)};
    window_ = {};
    for (std::size_t bin = errors_.size() - 1; bin > bin_of(now.length) + 1; --bin) {
        const Tried longer{limits_.min * std::pow(noticeable, static_cast<double>(bin)),
                           errors_[bin]};
        if (longer.error == 0.0 || longer.error > hardly_worse * now.error || falls(longer, now))
            continue;
        return begin_probe(now, longer.length);
    }
    // Longer ones than ever may have the same noise.
    if (noise_ > 1.0) begin_probe(now, noticeable * noticeable * now.length);
}

void StepLength::begin_probe(const Tried& now, double length) {
    set(length);
    if (next_ > noticeable * now.length) probe_ = Probe{now, next_, 0, 0.0};
}

/// Steps that had to end early say nothing.
void StepLength::judge_probe(const Tried& tried) {
    if (!is_of_probe(tried.length)) return set(probe_->length);
    if (denies_noise(tried)) {
        patience_ = std::min(2 * patience_, most_patience);
        set(probe_->short_steps.length);
        probe_.reset();
        return;
    }
    probe_->error = std::max(probe_->error, tried.error);
    if (++probe_->confirmed < confirmations) return set(probe_->length);
    if (probe_->error > 1.0) tolerate({probe_->length, probe_->error});
    set(probe_->length);
    probe_.reset();
}

void StepLength::forget_tries() {
    last_.reset();
    best_.reset();
    worse_ = 0;
}

}  // namespace tandem::stepsize
