#pragma once

#include <cmath>

/// A switch that is on from `on` to `off` in each period.
struct Schedule {
    double on, off, period;

    /// When it is switched for the k-th time, k = 0, 1, ...
    double event(int k) const { return period * (k / 2) + (k % 2 == 0 ? on : off); }
    /// How often it has been switched until t, the instant t included.
    int events_until(double t) const {
        // Whoever steps onto an event may have computed its time in another order.
        constexpr double rounding = 1e-12;
        int k = 2 * static_cast<int>(std::floor(std::fmax(t, 0.0) / period));
        while (event(k) <= t + rounding) ++k;
        return k;
    }
    int value(double t) const { return events_until(t) % 2; }
    double next(double t) const { return event(events_until(t)); }
};

inline constexpr Schedule first_switch{1.0 / 6.0, 5.0 / 6.0, 2.0};      // sin(pi t) > 1/2
inline constexpr Schedule second_switch{7.0 / 12.0, 11.0 / 12.0, 1.0};  // sin(2 pi t) < -1/2
