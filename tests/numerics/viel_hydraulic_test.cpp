// Two hydraulic lines that exchange power (models/viel_hydraulic): the models, and what the
// couplings without Jacobians make of them.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <algorithm>
#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "coupling/explicit/explicit.hpp"
#include "coupling/iterative/iterative.hpp"
#include "support/stabilised_scenarios.hpp"

namespace tandem {
namespace {

using coupling::Sweep;
using test::CoupledRun;
using test::Samples;
using test::Scenario;

constexpr double us = 1e-6;

std::unique_ptr<coupling::Coupling> explicitly(Sweep sweep, int order) {
    return std::make_unique<coupling::Explicit>(
        coupling::ExplicitOptions{.sweep = sweep, .order = order, .sequence = {0, 1}});
}

TEST(VielHydraulic, has_the_reference_solution) {
    struct Figure {
        long k;
        double p1, Q2;
    };
    for (const Figure& figure : std::vector<Figure>{{10, 74.304549, 12.250880},
                                                    {20, 97.375120, 19.380334},
                                                    {100, 79.567469, 10.373993},
                                                    {400, 100.441383, 9.993796},
                                                    {20400, 100.357218, 25.239425},
                                                    {40000, 99.853838, 27.026490}}) {
        EXPECT_NEAR(test::viel_hydraulic_exactly()(0, figure.k), figure.p1, 2e-6) << figure.k;
        EXPECT_NEAR(test::viel_hydraulic_exactly()(1, figure.k), figure.Q2, 2e-6) << figure.k;
    }
}

TEST(VielHydraulic, is_one_equation_for_cvode_as_well) {
    const auto whole = test::aggregated(test::viel_hydraulic().solve(ode::Method::cvode_bdf, 1e-9));
    const Samples samples = test::sample(*whole, 0.02, 51);
    EXPECT_NEAR(samples(0, 1), 100.441383, 1e-5);
    EXPECT_NEAR(samples(1, 51), 25.239425, 1e-5);
    EXPECT_EQ(whole->statistics().time_events, 1);
}

TEST(VielHydraulic, has_the_operating_point_and_its_eigenvalues) {
    const auto whole = test::aggregated(test::viel_hydraulic().solve(ode::Method::cvode_bdf, 1e-9));
    ASSERT_TRUE(whole->step({0.0, 0.9}));
    const std::vector<double> rest = {14.056652, 99.930128, 12.028022, 99.870340};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(whole->states()[i], rest[i], 1e-6);
    for (const std::complex<double> s : test::eigenvalues(test::linear_part(*whole).a)) {
        const bool is_fast = std::abs(s.imag()) > 5000.0;
        EXPECT_NEAR(s.real(), is_fast ? -62.52 : -62.53, 0.01);
        EXPECT_NEAR(std::abs(s.imag()), is_fast ? 7391.34 : 2822.78, 0.01);
    }
}

// Laminar, between and turbulent, both ways, at pressures where bubbles matter and where not.
TEST(VielHydraulic, has_exact_jacobians) {
    for (const double flow : {-60.0, -35.0, -5.0, 12.0, 30.0, 45.0, 80.0})
        for (const double pressure : {0.5, 20.0, 150.0}) {
            SCOPED_TRACE(fmt::format("{} L/min, {} bar", flow, pressure));
            Scenario scenario = test::viel_hydraulic();
            scenario.set("s1", "Q1", flow).set("s1", "p1", pressure);
            scenario.set("s2", "Q2", -flow).set("s2", "p2", pressure);
            CoupledRun run(scenario, explicitly(Sweep::jacobi, 0));
            for (int s = 0; s < 2; ++s) test::expect_exact_jacobian(run.host(s), 1e-6);
        }
}

// The tolerance, 1e-10 of 100 bar, and ten times that. (FMUs of FMI 1.0 are not told of it.)
TEST(VielHydraulic, runs_the_same_as_fmus) {
    const auto after_20_steps = [](const std::string& kind) {
        Scenario scenario = test::viel_hydraulic().solve(ode::Method::dopri5, 1e-10);
        scenario.kind = kind;
        CoupledRun run(scenario, explicitly(Sweep::gauss_seidel, 0));
        return test::sample(run, 50.0 * us, 20);
    };
    const Samples native = after_20_steps("native");
    for (const std::string kind : {"fmi2_cs", "fmi3_cs", "fmi2_me", "fmi3_me"})
        EXPECT_LT(test::largest_error(after_20_steps(kind), native), 1e-7) << kind;
}

/// A run sampled every 50 us until t = 2, and what its solvers did.
struct Course {
    Eigen::VectorXd errors;  ///< root mean squares of p1 and Q2
    ode::SolverStatistics solvers;
};
Course course_of(std::unique_ptr<coupling::Coupling> coupling, double h) {
    CoupledRun run(test::viel_hydraulic(), std::move(coupling));
    const long stride = std::lround(50.0 * us / h);
    Samples samples(2, 40001);
    samples.col(0) = run.outputs();
    for (long k = 1; k <= 40000; ++k) {
        for (long i = 0; i < stride; ++i) run.advance(h);
        samples.col(k) = run.outputs();
    }
    return {test::rms_of_each(samples, test::viel_hydraulic_exactly()), run.solver_statistics()};
}

void expect_errors(const Course& course, double p1, double Q2) {
    EXPECT_NEAR(course.errors[0] / p1, 1.0, 0.01);
    EXPECT_NEAR(course.errors[1] / Q2, 1.0, 0.01);
}

/// One step of the solver for each of the subsystem: seven evaluations, and one more after an input
/// that jumped.
void expect_one_step_each(const Course& course, long steps) {
    EXPECT_NEAR(static_cast<double>(course.solvers.steps), static_cast<double>(steps), 100.0);
    EXPECT_LE(course.solvers.derivative_calls, 8 * steps);
}

TEST(VielHydraulic, held_inputs_one_after_the_other_have_the_errors_of_the_coupling) {
    const Course course = course_of(explicitly(Sweep::gauss_seidel, 0), 50.0 * us);
    expect_errors(course, 0.1187, 0.0344);
    expect_one_step_each(course, 80000);
}

TEST(VielHydraulic, extrapolated_inputs_have_the_errors_of_the_coupling) {
    const Course long_steps = course_of(explicitly(Sweep::jacobi, 1), 50.0 * us);
    expect_errors(long_steps, 1.199, 0.479);
    expect_one_step_each(long_steps, 80000);
    const Course short_steps = course_of(explicitly(Sweep::jacobi, 1), 25.0 * us);
    expect_errors(short_steps, 0.277, 0.111);
    expect_one_step_each(short_steps, 160000);
}

TEST(VielHydraulic, iterated_inputs_have_the_errors_of_the_coupling) {
    coupling::IterativeOptions options;
    options.inputs = coupling::InputForm::linear;
    options.cycles.solver.tolerance = 1e-6;
    expect_errors(course_of(std::make_unique<coupling::Iterative>(options), 50.0 * us), 0.2100,
                  0.0840);
}

}  // namespace
}  // namespace tandem
