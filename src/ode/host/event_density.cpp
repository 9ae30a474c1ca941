#include "ode/host/event_density.hpp"

#include <algorithm>
#include <cmath>

#include "core/times.hpp"

namespace tandem::ode {
namespace {

/// Events that follow each other closer than this part of the communication step, or than times are
/// told apart, happen at one instant.
constexpr double instant_width = 1e-7;

}  // namespace

void EventDensity::begin_step(Interval step) {
    if (step.begin < last_) *this = {};
    if (step.length() > 0.0 && step.begin != last_) step_ = step.length();
}

bool EventDensity::admits(double t, std::int64_t most) {
    const double width = std::max(instant_width * step_, width_of_instant(t, step_));
    if (t - last_ > width) events_ = 0;
    last_ = t;
    return ++events_ <= most;
}

}  // namespace tandem::ode
