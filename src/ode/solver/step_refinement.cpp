#include "ode/solver/step_refinement.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "core/times.hpp"

namespace tandem::ode {
namespace {

/// Events that are at most so many steps apart, that many of them in a row, are looked at; the last
/// of them are compared.
constexpr double few_steps = 500.0;
constexpr int events_in_a_row = 100, events_compared = 25;
/// Steps are refined by this; distances that become shorter than that part depend on the step.
constexpr double refinement = 0.25, dependent = 0.8;
/// An event within that part of a step, or before the last, has been met already: somebody went
/// back in time to repeat a step.
constexpr double repeated = 1e-3;

}  // namespace

void StepRefinement::event(double t, double step) {
    const double h = part_ * step;
    if (t <= last_ + repeated * h) return;
    const double distance = t - std::exchange(last_, t);
    if (distance > few_steps * h) {
        events_ = 0;
        return;
    }
    if (++events_ == 1) sum_ = 0.0;
    if (events_ > events_in_a_row - events_compared) sum_ += distance;
    if (events_ < events_in_a_row) return;
    events_ = 0;
    const double mean = sum_ / events_compared;
    if (mean > width_of_instant(t, step)) compare(mean);
}

void StepRefinement::compare(double distance) {
    const bool is_trial = is_active();
    const bool is_dense = is_trial ? distance < dependent * before_ : distance < resolved_ / 2.0;
    if (is_trial && !is_dense) resolved_ = distance;
    before_ = distance;
    part_ = is_dense ? refinement * part_ : 1.0;
}

double StepRefinement::longest(double t, double step) {
    if (t - last_ > few_steps * part_ * step) part_ = 1.0;
    return is_active() ? part_ * step : std::numeric_limits<double>::infinity();
}

}  // namespace tandem::ode
