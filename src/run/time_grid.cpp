#include "run/time_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "core/times.hpp"

namespace tandem::run {
namespace {

constexpr double rounding = 1e-9;
constexpr double most_intervals = 1e15;

void check(double start, double stop, double step) {
    if (!std::isfinite(start) || !std::isfinite(stop) || !std::isfinite(step))
        throw InputError("--start/--stop/--step", "times must be finite numbers");
    if (stop < start)
        throw InputError(
            "--stop", fmt::format("the run would end at {} before it starts at {}", stop, start));
    if (step <= 0.0)
        throw InputError("--step", fmt::format("the step must be positive, not {}", step));
    const double largest = std::max(std::abs(start), std::abs(stop));
    if (stop > start && step < spacing_of_times(largest))
        throw InputError(
            "--step",
            fmt::format("a step of {} is too small to be seen at time {}, where numbers are {:.2g} "
                        "apart",
                        step, largest, spacing_of_times(largest)),
            "start at 0 and add the start time to the times of the results, or choose a larger "
            "step");
}

/// Times that were computed in different ways differ by no more.
double rounding_near(double t) { return 2.0 * spacing_of_times(t); }

}  // namespace

TimeGrid::TimeGrid(double start, double stop, double step)
    : start_(start), stop_(stop), step_(step) {
    check(start, stop, step);
    if (stop == start) return;
    const double quotient = (stop - start) / step;
    if (quotient > most_intervals)
        throw InputError("--step", fmt::format("{} steps are too many", quotient),
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

}  // namespace tandem::run
