// A pendulum and a mass with a stiff spring between them (models/coupled_pendulum and
// models/coupled_oscillator): the models, and what couplings that hold inputs make of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "coupling/explicit/explicit.hpp"
#include "support/stabilised_scenarios.hpp"

namespace tandem {
namespace {

using coupling::Sweep;
using Eigen::MatrixXd;
using test::CoupledRun;
using test::Samples;
using test::Scenario;

constexpr double micro = 1e-4;
constexpr long micro_steps = 10000;  // until t = 1

std::unique_ptr<coupling::Coupling> held(Sweep sweep) {
    return std::make_unique<coupling::Explicit>(
        coupling::ExplicitOptions{.sweep = sweep, .sequence = {0, 1}});
}

Samples reference(bool linear) {
    if (!linear) return test::pendulum_oscillator_exactly(micro, micro_steps);
    CoupledRun run(test::pendulum_oscillator(true), held(Sweep::jacobi));
    return test::exact_samples(test::linear_network(run), micro, micro_steps);
}

void expect_column(const Samples& samples, long k, const Eigen::Vector4d& expected) {
    EXPECT_LT((samples.col(k) - expected).cwiseAbs().maxCoeff(), 1e-10) << samples.col(k);
}

TEST(PendulumOscillator, has_the_reference_solutions) {
    const Samples linear = reference(true), nonlinear = reference(false);
    expect_column(linear, 500, {0.14787926799, 1.10403028096, 0.12529302820, -1.15954037910});
    expect_column(linear, 10000, {-0.08105095942, -0.24426653620, -0.08143334130, -0.24541796978});
    expect_column(nonlinear, 500, {0.14789845871, 1.11345595536, 0.12502378648, -1.17149049779});
    expect_column(nonlinear, 10000,
                  {-0.07819486174, -0.24803708824, -0.07848549622, -0.24842784848});
    EXPECT_NEAR(test::largest_error(linear, nonlinear), 0.0365, 5e-5);
}

TEST(PendulumOscillator, is_stiff_at_the_equilibrium_and_where_it_starts) {
    const auto expect_eigenvalues = [](bool linear, std::complex<double> fast,
                                       std::complex<double> slow) {
        CoupledRun run(test::pendulum_oscillator(linear), held(Sweep::jacobi));
        const MatrixXd a = test::linear_network(run).whole().a;
        for (const std::complex<double> s : test::eigenvalues(a)) {
            const std::complex<double> expected = std::abs(s) > 10.0 ? fast : slow;
            EXPECT_NEAR(s.real() / expected.real(), 1.0, 5e-5);
            EXPECT_NEAR(std::abs(s.imag()) / expected.imag(), 1.0, 2e-4);
        }
    };
    expect_eigenvalues(true, {-9.99994, 43.6453}, {-6.0117e-5, 2.2120});
    expect_eigenvalues(false, {-9.9618, 43.617}, {-2.1425e-4, 3.039});
}

TEST(PendulumOscillator, has_exact_jacobians) {
    for (const bool linear : {false, true}) {
        Scenario scenario = test::pendulum_oscillator(linear);
        scenario.set("pendulum", "alpha_dot", 0.7).set("oscillator", "x_dot", -0.4);
        CoupledRun run(scenario, held(Sweep::jacobi));
        for (int s = 0; s < 2; ++s) test::expect_exact_jacobian(run.host(s), 1e-7);
    }
}

/// The error of the outputs after each micro step.
double error_of(bool linear, Sweep sweep, double h) {
    CoupledRun run(test::pendulum_oscillator(linear), held(sweep));
    const Eigen::VectorXd start = run.outputs();
    test::sample(run, h, std::lround(1.0 / h));
    return test::largest_error(test::micro_samples(run, start), reference(linear));
}

struct Row {
    bool linear;
    Sweep sweep;
    double h, error;
};

// The figures are given with three or four digits.
TEST(PendulumOscillator, errors_of_held_inputs_are_of_first_order_and_large) {
    const std::vector<Row> rows = {
        {true, Sweep::jacobi, 1e-3, 0.1598},        {true, Sweep::jacobi, 5e-3, 0.4859},
        {true, Sweep::jacobi, 1e-2, 0.6424},        {true, Sweep::jacobi, 4e-2, 4.14},
        {true, Sweep::gauss_seidel, 1e-3, 0.0789},  {true, Sweep::gauss_seidel, 5e-3, 0.3942},
        {true, Sweep::gauss_seidel, 1e-2, 0.7857},  {true, Sweep::gauss_seidel, 4e-2, 2.91},
        {false, Sweep::jacobi, 1e-3, 0.1588},       {false, Sweep::jacobi, 5e-3, 0.4835},
        {false, Sweep::jacobi, 1e-2, 0.6396},       {false, Sweep::gauss_seidel, 1e-3, 0.0790},
        {false, Sweep::gauss_seidel, 5e-3, 0.3944}, {false, Sweep::gauss_seidel, 1e-2, 0.7861}};
    for (const Row& row : rows) {
        EXPECT_NEAR(error_of(row.linear, row.sweep, row.h) / row.error, 1.0, 0.002) << row.h;
    }
}

/// x+ = P x + G (K - K') C x + G K' C x+; K' feeds the oscillator, if that comes second.
double radius_of(Sweep sweep, double h) {
    CoupledRun run(test::pendulum_oscillator(true), held(sweep));
    const test::LinearNetwork n = test::linear_network(run);
    const test::Propagator step = test::propagator(n.a, n.b, h);
    MatrixXd newest = n.k;
    newest.topRows(sweep == Sweep::gauss_seidel ? 2 : 4).setZero();
    const MatrixXd after = MatrixXd::Identity(4, 4) - step.constants * newest * n.c;
    const MatrixXd before = step.states + step.constants * (n.k - newest) * n.c;
    return test::spectral_radius(after.partialPivLu().solve(before));
}

// With Jacobi a held spring is late by half a step: that drags the slow motion by k h/(4 m).
TEST(PendulumOscillator, held_inputs_drag_it_and_shake_it_with_long_steps) {
    EXPECT_NEAR(std::log(radius_of(Sweep::jacobi, 5e-3)) / 5e-3, -1.25, 0.02);
    EXPECT_LT(radius_of(Sweep::jacobi, 0.03), 1.0);
    EXPECT_GT(radius_of(Sweep::jacobi, 0.05), 1.0);
    for (const double h : {1e-3, 5e-3, 1e-2, 2e-2, 3e-2, 5e-2, 8e-2, 0.12})
        EXPECT_LT(radius_of(Sweep::gauss_seidel, h), 1.0) << h;
    for (const auto& [sweep, h] : {std::pair{Sweep::jacobi, 5e-3},
                                   {Sweep::jacobi, 5e-2},
                                   {Sweep::gauss_seidel, 5e-3},
                                   {Sweep::gauss_seidel, 5e-2}}) {
        CoupledRun run(test::pendulum_oscillator(true), held(sweep));
        const double measured = test::measured_radius(run, h, {.count = 50});
        EXPECT_NEAR(std::log(measured) / std::log(radius_of(sweep, h)), 1.0, 0.01) << h;
    }
}

// With one explicit Euler step of 1e-4 or 5e-5 inside a macro step only its own error is left.
TEST(PendulumOscillator, euler_inside_sets_a_floor_that_goes_with_its_step) {
    for (const auto& [dt, floor] : {std::pair{1e-4, 0.016975}, {5e-5, 0.008466}}) {
        Scenario scenario = test::pendulum_oscillator(true).solve(ode::Method::euler, dt);
        CoupledRun run(scenario, held(Sweep::jacobi));
        const long steps = std::lround(1.0 / dt);
        const Samples exact = test::exact_samples(test::linear_network(run), dt, steps);
        EXPECT_NEAR(test::largest_error(test::sample(run, dt, steps), exact) / floor, 1.0, 1e-3);
    }
}

TEST(PendulumOscillator, euler_inside_hides_no_error_of_held_inputs) {
    for (const auto& [h, error] : {std::pair{1e-3, 0.1460}, {5e-3, 0.4811}}) {
        Scenario scenario = test::pendulum_oscillator(true).solve(ode::Method::euler, micro);
        CoupledRun run(scenario, held(Sweep::jacobi));
        const Eigen::VectorXd start = run.outputs();
        test::sample(run, h, std::lround(1.0 / h));
        const Samples nodes = test::micro_samples(run, start);
        EXPECT_NEAR(test::largest_error(nodes, reference(true)) / error, 1.0, 0.002) << h;
    }
}

}  // namespace
}  // namespace tandem
