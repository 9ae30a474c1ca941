#pragma once

#include <numbers>

namespace viel {

/// The faster mode of both elements together, phi w0, has half a period of 425 us.
inline constexpr double w0 = std::numbers::pi / (std::numbers::phi * 425e-6);
inline constexpr double zeta = 0.001;
inline constexpr double w0_tau = 40.0;
/// What is stored where effort or flow is 1: C = I = 1/w0.
inline constexpr double stored = 2e-4;

}  // namespace viel
