#pragma once

#include <span>

#include "core/switched_function.hpp"
#include "tandem/extend/system.hpp"

namespace tandem {

/// A coupling function near a point, with the outcomes that its relations have at the point: what
/// jumps there has no slope.
class FunctionNear {
public:
    /// `signals` are the values at the point, and again after each call.
    FunctionNear(const FunctionLink& function, double t, std::span<double> signals);

    double value() const { return at(t_); }
    double at(double t) const;
    /// With another value of one signal.
    double with(std::size_t signal, double value) const;

    double time() const { return t_; }
    double signal(std::size_t i) const { return signals_[i]; }

private:
    const FunctionLink& function_;
    const HeldCall* switched_;
    double t_;
    std::span<double> signals_;
};

/// The derivative of a coupling function by one of its signals, by central differences; one-sided
/// where one side is no number, and no number if both are not. A signal that is small against its
/// nominal gets the widest of the increments between both sizes over which the function is
/// straight, or the widest of all if it is straight over none.
double slope_of(const FunctionNear& function, std::size_t signal, double nominal);
double slope_of(const FunctionLink& function, double t, std::span<double> signals,
                std::size_t signal, double nominal);

/// That slope, to be followed while the signal changes by `change`: where it is steep at the point
/// alone (at the end of a square root, at a kink or jump), the slope of the chord instead. Smooth
/// functions keep their slope.
double limited_slope(const FunctionNear& function, std::size_t signal, double slope, double change);
/// Likewise of the slope in time.
double limited_time_slope(const FunctionNear& function, double slope, double change);

}  // namespace tandem
