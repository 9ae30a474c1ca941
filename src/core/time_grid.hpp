#pragma once

#include <cstddef>
#include <string>

#include "tandem/extend/interval.hpp"

namespace tandem {

/// Of a run whose step is not given: a 500th of it, and anything where it has no length.
double default_step(double start, double stop);

/// Where the times of a run were given, for errors; empty: nowhere.
struct TimePlaces {
    std::string start = "--start", stop = "--stop", step = "--step";
};

/// The communication points of a run: start + k*step, never a running sum, and exactly `stop` at
/// the end. The last interval is shorter when `stop` is not a multiple of the step; a remainder
/// below 1e-9 of the length is rounding and makes no interval of its own.
class TimeGrid {
public:
    /// Throws InputError unless start <= stop and the step is positive and makes a difference.
    TimeGrid(double start, double stop, double step, const TimePlaces& places = {});

    double start() const { return start_; }
    double stop() const { return stop_; }
    double step() const { return step_; }
    std::size_t intervals() const { return intervals_; }
    /// Point `k`, from 0 to intervals().
    double time(std::size_t k) const {
        return k >= intervals_ ? stop_ : start_ + static_cast<double>(k) * step_;
    }
    Interval interval(std::size_t k) const { return {time(k), time(k + 1)}; }
    /// The number of the interval that holds `t`, its beginning included.
    std::size_t interval_at(double t) const;
    /// The grid point that `t` means when it differs from it by rounding only; else `t` itself.
    double aligned(double t) const;

private:
    double start_;
    double stop_;
    double step_;
    std::size_t intervals_ = 0;
};

}  // namespace tandem
