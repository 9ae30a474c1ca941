#pragma once

#include <cmath>
#include <numbers>

namespace viel {

inline constexpr double bar = 1e5;                ///< Pa
inline constexpr double l_per_min = 1e-3 / 60.0;  ///< m3/s

/// A value with its partial derivatives.
struct Slope {
    double value, by_q, by_p;
};

/// A pipe and the volume behind it. Everything in SI; pressures are above that of the air.
struct Line {
    double length = 0.30, diameter = 0.010, volume = 2.316e-5;
    double viscosity = 0.0244, density = 850.0;  // of the liquid, at p = 0
    double bulk = 1.5e9, bulk_slope = 10.0;      // B0 + B1 p, of the liquid without gas
    double gas = 0.005, air = 101325.0;          // share of gas at p = 0; pressure there
    double leak_area = 0.7 * 3.15e-7, leak_pressure = 1e5;

    double area() const { return std::numbers::pi * diameter * diameter / 4.0; }

    /// Volume of the fluid relative to that at p = 0, v, and w = -dv/dp, -dw/dp.
    struct Fluid {
        double v, w, w_slope;
    };
    Fluid fluid(double p) const {
        const double c = 1.0 + bulk_slope * p / bulk;
        const double liquid = (1.0 - gas) * std::pow(c, -1.0 / bulk_slope);
        const double bubbles = gas * air / (p + air);
        const double c_bulk = c * bulk, absolute = p + air;
        return {liquid + bubbles, liquid / c_bulk + bubbles / absolute,
                liquid * (1.0 + bulk_slope) / (c_bulk * c_bulk) +
                    2.0 * bubbles / (absolute * absolute)};
    }

    /// The loss of pressure by friction at flow q and density rho, by q and by rho: laminar up to
    /// Re = 2000, Blasius from 4000, a cubic blend between.
    struct Friction {
        double value, by_q, by_rho;
    };
    Friction friction(double q, double rho) const {
        const double laminar_by_q =
            128.0 * viscosity * length / (std::numbers::pi * std::pow(diameter, 4));
        const double re = rho * diameter * std::abs(q) / (area() * viscosity);
        if (re <= 2000.0) return {laminar_by_q * q, laminar_by_q, 0.0};
        const double turbulent = 0.3164 * std::pow(re, -0.25) * length / diameter * rho * q *
                                 std::abs(q) / (2.0 * area() * area());
        if (re >= 4000.0) return {turbulent, 1.75 * turbulent / q, 0.75 * turbulent / rho};
        const double s = (re - 2000.0) / 2000.0;
        const double blend = s * s * (3.0 - 2.0 * s);
        const double excess = turbulent - laminar_by_q * q;
        const double by_re = 6.0 * s * (1.0 - s) / 2000.0 * excess;
        return {laminar_by_q * q + blend * excess,
                laminar_by_q + blend * (1.75 * turbulent / q - laminar_by_q) + by_re * re / q,
                blend * 0.75 * turbulent / rho + by_re * re / rho};
    }

    /// dq/dt = A/(rho L) (p_in - p - friction)
    Slope q_rate(double q, double p, double p_in) const {
        const Fluid f = fluid(p);
        const double rho = density / f.v, rho_slope = rho * f.w / f.v;
        const Friction loss = friction(q, rho);
        const double factor = area() / (rho * length);
        const double drop = p_in - p - loss.value;
        return {factor * drop, -factor * loss.by_q,
                factor * (-1.0 - loss.by_rho * rho_slope - drop * rho_slope / rho)};
    }
    double q_rate_by_p_in(double p) const { return area() * fluid(p).v / (density * length); }

    /// dp/dt = B/V (q - q_out - leak),  B = v/w = rho dp/drho
    Slope p_rate(double q, double p, double q_out) const {
        const Fluid f = fluid(p);
        const double modulus = f.v / f.w;
        const double modulus_slope = -1.0 + f.v * f.w_slope / (f.w * f.w);
        const double square = p * p + leak_pressure * leak_pressure;
        const double conductance = leak_area * std::sqrt(2.0 / density) * std::pow(square, -0.25);
        const double net = q - q_out - conductance * p;
        const double leak_by_p = conductance * (1.0 - 0.5 * p * p / square);
        return {modulus / volume * net, modulus / volume,
                (modulus_slope * net - modulus * leak_by_p) / volume};
    }
};

}  // namespace viel
