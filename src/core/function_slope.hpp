#pragma once

#include <span>

#include "core/system.hpp"

namespace tandem {

/// The derivative of a coupling function by one of its signals, by central differences; one-sided
/// where one side is no number, and no number if both are not. `signals` are the values at the
/// point, and again afterwards. A signal that is small against its nominal gets the widest of the
/// increments between both sizes over which the function is straight.
double slope_of(const FunctionLink& function, double t, std::span<double> signals,
                std::size_t signal, double nominal);

}  // namespace tandem
