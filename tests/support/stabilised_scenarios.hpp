#pragma once

#include "support/coupled_run.hpp"
#include "support/linear_network.hpp"

namespace tandem::test {

/// Two linear elements that exchange power, outputs s1.e1 and s2.f2; see models/viel_linear. Solved
/// by dopri5 with 1e-10.
inline Scenario viel_linear(double w0_tau = 40.0) {
    Scenario scenario;
    scenario.parts = {{"s1", "VielLinear1", {{"w0_tau", w0_tau}}},
                      {"s2", "VielLinear2", {{"w0_tau", w0_tau}}}};
    scenario.connections = {{"s1.e1", "s2.e1"}, {"s2.f2", "s1.f2"}};
    return scenario.solve(ode::Method::dopri5, 1e-10);
}

/// The same without its source, disturbed instead: what grows or decays.
inline Scenario viel_linear_free(double w0_tau = 40.0) {
    return viel_linear(w0_tau).set("s2", "f3", 0.0).set("s2", "q2", 2e-4);
}

/// Two hydraulic lines that exchange power, outputs s1.p1 and s2.Q2; see models/viel_hydraulic.
/// Solved by dopri5 with 1e-5.
inline Scenario viel_hydraulic() {
    Scenario scenario;
    scenario.parts = {{"s1", "VielHydraulic1"}, {"s2", "VielHydraulic2"}};
    scenario.connections = {{"s1.p1", "s2.p1"}, {"s2.Q2", "s1.Q2"}};
    return scenario.solve(ode::Method::dopri5, 1e-5);
}

/// p1 and Q2 of viel_hydraulic() every 50 us until t = 2, all equations as one.
inline const Samples& viel_hydraulic_exactly() {
    static const Samples samples = [] {
        const auto whole = aggregated(viel_hydraulic().solve(ode::Method::dopri5, 1e-9));
        return sample(*whole, 50e-6, 40000);
    }();
    return samples;
}

/// A pendulum and a mass with a stiff spring between them; outputs pendulum.alpha,
/// pendulum.alpha_dot, oscillator.x, oscillator.x_dot. Solved by rk4 with steps of 1e-4, whose
/// error is below 1e-9, and watched: micro_samples() has the outputs after each of them.
inline Scenario pendulum_oscillator(bool linear) {
    const double is_linear = linear ? 1.0 : 0.0;
    Scenario scenario;
    scenario.parts = {{"pendulum", "CoupledPendulum", {{"linear", is_linear}}},
                      {"oscillator", "CoupledOscillator", {{"linear", is_linear}}}};
    scenario.connections = {{"oscillator.x", "pendulum.x"},
                            {"oscillator.x_dot", "pendulum.x_dot"},
                            {"pendulum.alpha", "oscillator.alpha"},
                            {"pendulum.alpha_dot", "oscillator.alpha_dot"}};
    scenario.watches = true;
    return scenario.solve(ode::Method::rk4, 1e-4);
}

/// alpha, alpha_dot, x, x_dot where the models of pendulum_oscillator() begin.
inline Eigen::Vector4d pendulum_oscillator_start() {
    const double angle = std::acos(-1.0) / 36.0;
    return {angle, 0.0, 0.1 + std::sin(angle), 0.0};
}

/// The same of the nonlinear equations as one, at 0, h, ..., steps h: the classical Runge-Kutta
/// method with ten steps in each h.
inline Samples pendulum_oscillator_exactly(
    double h, long steps, const Eigen::Vector4d& start = pendulum_oscillator_start()) {
    using Eigen::Vector4d;
    const auto f = [](const Vector4d& y) {
        const double force =
            1000.0 * (y[2] - std::sin(y[0])) + 10.0 * (y[3] - y[1] * std::cos(y[0]));
        return Vector4d(y[1], -9.81 * std::sin(y[0]) + std::cos(y[0]) * force, y[3], -force);
    };
    Vector4d y = start;
    Samples samples(4, steps + 1);
    samples.col(0) = y;
    for (long k = 1; k <= steps; ++k) {
        for (int i = 0; i < 10; ++i) {
            const double part = h / 10.0;
            const Vector4d k1 = f(y), k2 = f(y + 0.5 * part * k1);
            const Vector4d k3 = f(y + 0.5 * part * k2), k4 = f(y + part * k3);
            y += part / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        }
        samples.col(k) = y;
    }
    return samples;
}

}  // namespace tandem::test
