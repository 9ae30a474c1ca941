#pragma once

#include <Eigen/LU>
#include <span>

#include "core/system.hpp"

namespace tandem::ode {

/// The derivative of a coupling function by one of its signals, by central differences; one-sided
/// where one side is no number, and no number if both are not. `signals` are the values at the
/// point, and again afterwards.
double slope_of(const FunctionLink& function, double t, std::span<double> signals,
                std::size_t signal, double nominal);

/// Whether I - D L has no inverse: the reciprocal condition, with rows and columns scaled to their
/// largest entries, is below the rounding of its entries. The units of the variables do not count.
bool is_singular(const Eigen::MatrixXd& matrix, double rounding);
inline constexpr double exact_rounding = 1e-12, difference_rounding = 1e-7;

}  // namespace tandem::ode
