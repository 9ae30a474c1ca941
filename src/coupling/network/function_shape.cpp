#include "coupling/network/function_shape.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::coupling {
namespace {

/// Differences below this part of the values are rounding.
constexpr double rounding = 1e-9;

/// f(a + 3 d) - f(a) is 3 (f(a + d) - f(a)) along a line through the present signals, in all of
/// them and time at once. Points on one side: odd functions have no second differences about 0.
bool is_affine_along(System& system, const FunctionLink& function, double scale, double phase) {
    const std::span<double> signals = system.signals_of(function);
    const auto value = [&](double distance) {
        for (std::size_t i = 0; i < signals.size(); ++i) {
            const auto output = static_cast<std::size_t>(function.outputs[i]);
            const double nominal = system.output_port(function.outputs[i]).nominal;
            const double part = std::cos(phase + 2.3 * static_cast<double>(i));
            signals[i] = system.outputs()[output] + distance * scale * part * nominal;
        }
        return function.function(distance * scale, signals);
    };
    const double here = value(0.0), near = value(1.0), far = value(3.0);
    const double size = std::abs(here) + std::abs(near) + std::abs(far);
    return std::abs(far - here - 3.0 * (near - here)) <= rounding * size;
}

}  // namespace

bool are_functions_affine(System& system) {
    return std::ranges::all_of(system.functions(), [&](const FunctionLink& function) {
        for (const double scale : {1.0, 0.1})
            for (const double phase : {0.4, 1.1, 2.9})
                if (!is_affine_along(system, function, scale, phase)) return false;
        return true;
    });
}

}  // namespace tandem::coupling
