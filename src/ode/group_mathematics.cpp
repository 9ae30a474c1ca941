#include "ode/group_mathematics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem::ode {

double slope_of(const FunctionLink& function, double t, std::span<double> signals,
                std::size_t signal, double nominal) {
    // The truncation error h^2 and the rounding error eps / h balance at cbrt(eps).
    static const double root = std::cbrt(std::numeric_limits<double>::epsilon());
    const double value = signals[signal];
    const double step = root * std::max(std::abs(value), nominal);
    const auto value_at = [&](double place) {
        signals[signal] = place;
        return function.function(t, signals);
    };
    const double above = value_at(value + step);
    const double below = value_at(value - step);
    const double here = std::isfinite(above) && std::isfinite(below) ? 0.0 : value_at(value);
    signals[signal] = value;
    if (!std::isfinite(below)) return (above - here) / step;
    if (!std::isfinite(above)) return (here - below) / step;
    return (above - below) / (2.0 * step);
}

}  // namespace tandem::ode
