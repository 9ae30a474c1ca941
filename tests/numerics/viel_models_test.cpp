// Two linear elements that exchange power (models/viel_linear): the models, and what the couplings
// without Jacobians make of them.
#include <gtest/gtest.h>

#include <complex>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "coupling/explicit/explicit.hpp"
#include "coupling/iterative/iterative.hpp"
#include "support/stabilised_scenarios.hpp"

namespace tandem {
namespace {

using coupling::Coupling;
using coupling::InputForm;
using coupling::Sweep;
using Eigen::MatrixXd;
using test::CoupledRun;
using test::LinearNetwork;
using test::Samples;
using test::Scenario;

constexpr double us = 1e-6;
constexpr double stop = 0.1;
constexpr double w0 = std::numbers::pi / (std::numbers::phi * 425e-6);

using MakeCoupling = std::function<std::unique_ptr<Coupling>()>;

MakeCoupling jacobi(int order) {
    return [order] {
        return std::make_unique<coupling::Explicit>(coupling::ExplicitOptions{.order = order});
    };
}
MakeCoupling output_derivatives() {
    return [] {
        return std::make_unique<coupling::Explicit>(
            coupling::ExplicitOptions{.order = 1, .output_derivatives = true});
    };
}
MakeCoupling gauss_seidel(std::vector<int> sequence) {
    return [sequence] {
        return std::make_unique<coupling::Explicit>(
            coupling::ExplicitOptions{.sweep = Sweep::gauss_seidel, .sequence = sequence});
    };
}
MakeCoupling iterative(InputForm inputs) {
    return [inputs] {
        coupling::IterativeOptions options;
        options.inputs = inputs;
        options.cycles.solver.tolerance = 1e-11;
        return std::make_unique<coupling::Iterative>(options);
    };
}

/// The second of two subsystems gets the straight line to the new output of the first, which holds
/// what it has: what one may think is better than to hold the new output, and is not.
class SecondInterpolates final : public Coupling {
public:
    void prepare(System&, double) override {}
    StepResult advance(System& system, Interval interval) override {
        system.route(interval.begin);
        const double begin = system.inputs_of(1)[0];
        const StepResult first = system.step(0, interval, {.values = system.inputs_of(0)});
        if (!first) return first;
        system.route_to(1, interval.end);
        const double slope = (system.inputs_of(1)[0] - begin) / interval.length();
        return system.step(1, interval, {std::span(&begin, 1), std::span(&slope, 1), 1});
    }
};
MakeCoupling second_interpolates() {
    return [] { return std::make_unique<SecondInterpolates>(); };
}

/// The exact map of a macro step h on the states, and on what the coupling remembers beside them.
using StepMap = std::function<MatrixXd(const LinearNetwork& network, double h)>;

/// x+ = P x + G0 K C x: all inputs held.
MatrixXd held(const LinearNetwork& n, double h) {
    const test::Propagator step = test::propagator(n.a, n.b, h);
    return step.states + step.constants * n.k * n.c;
}

/// x+ = P x + G0 (K - K') C x + G0 K' C x+: the inputs of `last` are held at their new values.
StepMap held_in_turn(int last) {
    return [last](const LinearNetwork& n, double h) -> MatrixXd {
        const test::Propagator step = test::propagator(n.a, n.b, h);
        MatrixXd newest = n.k;
        newest.row(1 - last).setZero();
        const MatrixXd before = step.states + step.constants * (n.k - newest) * n.c;
        const MatrixXd after = MatrixXd::Identity(4, 4) - step.constants * newest * n.c;
        return after.partialPivLu().solve(before);
    };
}

/// x+ = P x + G0 K y + G1 K (y - y-), y = C x; on (x, y-).
MatrixXd extrapolated(const LinearNetwork& n, double h) {
    const test::Propagator step = test::propagator(n.a, n.b, h);
    MatrixXd map = MatrixXd::Zero(6, 6);
    map.topLeftCorner(4, 4) = step.states + (step.constants + step.ramps) * n.k * n.c;
    map.topRightCorner(4, 2) = -step.ramps * n.k;
    map.bottomLeftCorner(2, 4) = n.c;
    return map;
}

/// x+ = P x + G0 K C x + G1 K' C (x+ - x): K' are the inputs of the second.
MatrixXd interpolated(const LinearNetwork& n, double h) {
    const test::Propagator step = test::propagator(n.a, n.b, h);
    MatrixXd second = n.k;
    second.row(0).setZero();
    const MatrixXd ramps = step.ramps * second * n.c;
    const MatrixXd after = MatrixXd::Identity(4, 4) - ramps;
    return after.partialPivLu().solve(step.states + step.constants * n.k * n.c - ramps);
}

/// x+ = P x + G0 K y + h G1 K C x', x' = A x + B K y, y = C x.
MatrixXd told(const LinearNetwork& n, double h) {
    const test::Propagator step = test::propagator(n.a, n.b, h);
    const MatrixXd slopes = n.c * (n.a + n.b * n.k * n.c);
    return step.states + step.constants * n.k * n.c + h * step.ramps * n.k * slopes;
}

/// x+ = P x + G0 K C x+, or P x + (G0 - G1) K C x + G1 K C x+.
StepMap converged(InputForm inputs) {
    return [inputs](const LinearNetwork& n, double h) -> MatrixXd {
        const test::Propagator step = test::propagator(n.a, n.b, h);
        const bool is_linear = inputs == InputForm::linear;
        const MatrixXd ends = is_linear ? step.ramps : step.constants;
        const MatrixXd after = MatrixXd::Identity(4, 4) - ends * n.k * n.c;
        return after.partialPivLu().solve(step.states + (step.constants - ends) * n.k * n.c);
    };
}

/// A row of the table. Steps in microseconds; limit 4000: none up to there.
struct Method {
    std::string name;
    MakeCoupling coupling;
    StepMap map;
    double limit_40, limit_50;  ///< for w0_tau 40 and 50
    int order;
    double rms_1, rms_50;  ///< with steps of 1 and 50 us; 0: it diverges
};
const std::vector<Method> methods = {
    {"jacobi", jacobi(0), held, 5.0483, 4.1133, 1, 9.62e-3, 0.0},
    {"gauss_seidel, s1 first", gauss_seidel({0, 1}), held_in_turn(1), 343.87, 343.85, 1, 2.04e-4,
     9.71e-3},
    {"gauss_seidel, s2 first", gauss_seidel({1, 0}), held_in_turn(0), 343.87, 343.85, 1, 2.07e-4,
     1.56e-2},
    {"s1 first, s2 interpolates", second_interpolates(), interpolated, 10.099, 8.228, 1, 4.46e-3,
     0.0},
    {"jacobi of order 1", jacobi(1), extrapolated, 53.34, 49.98, 2, 4.85e-5, 1.30e-1},
    {"jacobi with output derivatives", output_derivatives(), told, 76.55, 71.32, 2, 1.94e-5,
     5.05e-2},
    {"iterative, constant", iterative(InputForm::constant), converged(InputForm::constant), 34.62,
     28.20, 1, 7.44e-3, 3.35},
    {"iterative, linear", iterative(InputForm::linear), converged(InputForm::linear), 4000.0,
     4000.0, 2, 9.70e-6, 2.31e-2}};

LinearNetwork network_of(const Scenario& scenario) {
    CoupledRun run(scenario, jacobi(0)());
    return test::linear_network(run);
}

/// Steps of 1 us are one step of rk4, which errs by (w h)^5/120 = 2e-13 of the motion.
double rms_of(const Method& method, double h, double until = stop) {
    Scenario scenario = test::viel_linear();
    if (h <= 2.0 * us) scenario.solve(ode::Method::rk4, h);
    CoupledRun run(scenario, method.coupling());
    const long steps = std::lround(until / h);
    const Samples samples = test::sample(run, h, steps);
    return test::rms(samples, test::exact_samples(network_of(scenario), h, steps));
}

void expect_output(CoupledRun& run, const std::string& name, double value, double tolerance) {
    EXPECT_NEAR(run.output(name), value, tolerance) << name << " at t = " << run.time();
}

TEST(VielLinear, has_the_exact_solution_and_the_eigenvalues_of_the_formula) {
    const LinearNetwork network = network_of(test::viel_linear());
    const Samples exact = test::exact_samples(network, 1e-3, 10);
    EXPECT_NEAR(exact(0, 1), 0.015244502107, 1e-12);
    EXPECT_NEAR(exact(1, 1), 1.523438527230, 1e-12);
    EXPECT_NEAR(exact(0, 10), -0.169158931728, 1e-12);
    EXPECT_NEAR(exact(1, 10), 1.377368555363, 1e-12);
    for (const double w0_tau : {40.0, 50.0}) {
        const double damping = 0.001 + 0.5 / w0_tau, difference = 0.001 - 0.5 / w0_tau;
        const auto whole = network_of(test::viel_linear(w0_tau)).whole();
        for (const std::complex<double> s : test::eigenvalues(whole.a)) {
            const double phi = std::abs(s.imag()) > w0 ? std::numbers::phi : std::numbers::phi - 1;
            EXPECT_NEAR(s.real(), -damping * w0, 1e-9 * w0);
            EXPECT_NEAR(std::abs(s.imag()), w0 * std::sqrt(phi * phi - difference * difference),
                        1e-9 * w0);
        }
    }
}

TEST(VielLinear, comes_to_rest_where_it_should) {
    const auto whole = network_of(test::viel_linear()).whole();
    const Eigen::VectorXd rest = -w0 * whole.a.partialPivLu().solve(whole.f);
    const Eigen::Vector4d expected(-0.00199970, 0.99985002, -0.00399950, 0.99990001);
    EXPECT_LT((rest - expected).cwiseAbs().maxCoeff(), 6e-9) << rest;
}

TEST(VielLinear, steps_are_stable_up_to_the_limits_of_each_coupling) {
    for (const Method& method : methods)
        for (const auto& [w0_tau, limit] :
             {std::pair{40.0, method.limit_40}, {50.0, method.limit_50}}) {
            const LinearNetwork network = network_of(test::viel_linear(w0_tau));
            const double found = test::stability_limit(
                [&](double h) { return test::spectral_radius(method.map(network, h)); }, 0.2 * us,
                4000.0 * us);
            EXPECT_NEAR(found / (limit * us), 1.0, 0.005) << method.name << ", " << w0_tau;
        }
}

// One percent below the limit the largest motion decays, one above it grows, as fast as the exact
// map of a step says; with linear inputs in the iteration it decays with long steps, too.
TEST(VielLinear, runs_grow_and_decay_as_the_maps_of_a_step_say) {
    for (const Method& method : methods)
        for (const double factor : {0.99, 1.01}) {
            const double h = method.limit_40 < 4000.0 ? factor * method.limit_40 * us : 100.0 * us;
            CoupledRun run(test::viel_linear_free(), method.coupling());
            const double radius = test::spectral_radius(method.map(test::linear_network(run), h));
            const long stride = std::max(1L, std::lround(80.0 * us / h));
            const double measured = test::measured_radius(run, h, {.stride = stride});
            EXPECT_NEAR(std::log(measured) / std::log(radius), 1.0, 0.01) << method.name << h;
        }
}

TEST(VielLinear, errors_with_short_steps_are_those_of_the_coupling) {
    for (const Method& method : methods) {
        EXPECT_NEAR(rms_of(method, 1.0 * us) / method.rms_1, 1.0, 0.01) << method.name;
    }
}

TEST(VielLinear, errors_with_long_steps_are_those_of_the_coupling) {
    for (const Method& method : methods) {
        if (method.rms_50 == 0.0) continue;
        EXPECT_NEAR(rms_of(method, 50.0 * us) / method.rms_50, 1.0, 0.01) << method.name;
    }
}

TEST(VielLinear, orders_are_those_of_the_coupling) {
    for (const Method& method : methods) {
        const auto error = [&](double h) { return rms_of(method, h, 0.05 * stop); };
        EXPECT_NEAR(test::observed_order(error, 1.0 * us), method.order, 0.05) << method.name;
    }
}

TEST(VielLinear, has_the_figures_of_twenty_steps_of_50_us) {
    struct Golden {
        MakeCoupling coupling;
        double e1, f2;
    };
    const std::vector<Golden> all = {{gauss_seidel({0, 1}), -0.050351843415, 1.523879230597},
                                     {jacobi(0), 0.214953659193, 1.346519741127}};
    for (const std::string kind : {"native", "fmi2_cs", "fmi3_cs"})
        for (const Golden& golden : all) {
            SCOPED_TRACE(kind);
            Scenario scenario = test::viel_linear();
            scenario.kind = kind;
            CoupledRun run(scenario, golden.coupling());
            test::sample(run, 50.0 * us, 20);
            expect_output(run, "s1.e1", golden.e1, 1e-8);
            expect_output(run, "s2.f2", golden.f2, 1e-8);
        }
}

}  // namespace
}  // namespace tandem
