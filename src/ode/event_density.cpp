#include "ode/event_density.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::ode {
namespace {

/// Events that follow each other closer than this part of the communication step, or of time,
/// happen at one instant.
constexpr double instant_width = 1e-7;
constexpr double rounding_of_time = 1e-12;

}  // namespace

void EventDensity::begin_step(Interval step) {
    if (step.begin < last_) *this = {};
    if (step.length() > 0.0 && step.begin != last_) step_ = step.length();
}

bool EventDensity::admits(double t, std::int64_t most) {
    const double width = std::max(instant_width * step_, rounding_of_time * std::abs(t));
    if (t - last_ > width) events_ = 0;
    last_ = t;
    return ++events_ <= most;
}

}  // namespace tandem::ode
