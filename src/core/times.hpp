#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem {

/// A time t + remainder, of which `remainder` is what rounding has taken.
struct Instant {
    Instant(double time, double rounded_off = 0.0) : t(time), remainder(rounded_off) {}

    double since(double begin) const { return t - begin + remainder; }
    Instant before(double length) const {
        const double rounded = t - length;
        return {rounded, remainder + (t - rounded - length)};
    }

    double t;
    double remainder;
};

/// From t to the next number: what times near t are rounded to.
inline double spacing_of_times(double t) {
    const double size = std::abs(t);
    return std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
}

/// Whether the rounding of t is more than some 1e-11 of a step that takes `length`.
inline bool is_late(double t, double length) {
    constexpr double most_lengths = 131072.0;
    return std::abs(t) > most_lengths * length;
}

/// Times near t that differ by less are one instant, where steps take `length`: 1e-12 of t, but no
/// more than the rounding of t makes necessary where that is much for a step.
inline double width_of_instant(double t, double length) {
    constexpr double part_of_time = 1e-12, part_of_step = 1e-7, roundings = 16.0;
    return std::min(part_of_time * std::abs(t),
                    std::max(part_of_step * length, roundings * spacing_of_times(t)));
}

/// Over how long a time a slope at t is measured as a difference, where a step takes `length`:
/// short against the step, and long against the rounding of t, as far as both can be had.
inline double width_of_difference(double t, double length) {
    constexpr double part_of_step = 1e-5, largest_part = 0.1;
    constexpr double roundings = 1e3 * std::numeric_limits<double>::epsilon();
    const double width = std::max(part_of_step * length, roundings * std::abs(t));
    return std::max(std::min(width, largest_part * length), 2.0 * spacing_of_times(t));
}

}  // namespace tandem
