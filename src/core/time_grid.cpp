#include "core/time_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/times.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

constexpr double rounding = 1e-9;
constexpr double most_intervals = 1e15;

void check_finite(double time, const char* name, const std::string& place) {
    if (!std::isfinite(time))
        throw InputError(place, fmt::format("the {} must be a finite number, not {}", name, time));
}

void check_step(double step, double largest, const std::string& place) {
    if (step <= 0.0)
        throw InputError(place, fmt::format("the step must be positive, not {}", step));
    if (step < spacing_of_times(largest))
        throw InputError(
            place,
            fmt::format("a step of {} is too small to be seen at time {}, where numbers are {:.2g} "
                        "apart",
                        step, largest, spacing_of_times(largest)),
            "start at 0 and add the start time to the times of the results, or choose a larger "
            "step");
}

void check(double start, double stop, double step, const TimePlaces& places) {
    check_finite(start, "start time", places.start);
    check_finite(stop, "stop time", places.stop);
    check_finite(step, "step", places.step);
    if (stop < start)
        throw InputError(places.stop,
                         fmt::format("the run would end at {} before it starts at {}", stop, start),
                         places.start.empty() || places.start == places.stop
                             ? ""
                             : fmt::format("the start time comes from {}", places.start));
    const double largest = stop > start ? std::max(std::abs(start), std::abs(stop)) : 0.0;
    check_step(step, largest, places.step);
}

/// Times that were computed in different ways differ by no more.
double rounding_near(double t) { return 2.0 * spacing_of_times(t); }

}  // namespace

double default_step(double start, double stop) {
    constexpr double intervals = 500.0;
    return stop == start ? 1.0 : (stop - start) / intervals;
}

TimeGrid::TimeGrid(double start, double stop, double step, const TimePlaces& places)
    : start_(start), stop_(stop), step_(step) {
    check(start, stop, step, places);
    if (stop == start) return;
    const double quotient = (stop - start) / step;
    if (quotient > most_intervals)
        throw InputError(places.step, fmt::format("{} steps are too many", quotient),
                         "choose a larger step or an earlier stop time");
    const double nearest = std::round(quotient);
    const bool is_multiple =
        std::abs(quotient - nearest) <=
        std::max(rounding * std::max(1.0, quotient), rounding_near(stop) / step);
    intervals_ =
        static_cast<std::size_t>(std::max(1.0, is_multiple ? nearest : std::ceil(quotient)));
}

std::size_t TimeGrid::interval_at(double t) const {
    const double passed = std::clamp((t - start_) / step_, 0.0, static_cast<double>(intervals_));
    auto k = std::min(static_cast<std::size_t>(passed), std::max<std::size_t>(intervals_, 1) - 1);
    while (k > 0 && t < time(k)) --k;
    while (k + 1 < intervals_ && t >= time(k + 1)) ++k;
    return k;
}

double TimeGrid::aligned(double t) const {
    if (intervals_ == 0 || t < start_ - step_ || t > stop_ + step_) return t;
    const double width = std::max(rounding * step_, rounding_near(t));
    if (std::abs(t - stop_) <= width) return stop_;
    const double index = std::max(0.0, std::round((t - start_) / step_));
    const double point = time(static_cast<std::size_t>(index));
    return std::abs(t - point) <= width ? point : t;
}

}  // namespace tandem
