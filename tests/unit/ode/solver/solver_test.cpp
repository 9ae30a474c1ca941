#include "ode/solver/solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "support/hosting.hpp"
#include "tandem/error.hpp"

namespace tandem::ode {
namespace {

using Reason = SolverResult::Reason;

/// dx = f(t, x) of one state, one indicator.
struct Scalar : OdeProblem {
    std::function<double(double, double)> f = [](double, double x) { return -x; };
    std::function<double(double, double)> z;
    std::function<bool(double, double)> defined = [](double, double) { return true; };
    int states = 1;

    int size() const override { return states; }
    int indicator_count() const override { return z ? 1 : 0; }
    bool derivatives(double t, std::span<const double> x, std::span<double> dx) override {
        if (states == 0) return true;
        dx[0] = f(t, x[0]);
        return defined(t, x[0]);
    }
    bool indicators(double t, std::span<const double> x, std::span<double> values) override {
        values[0] = z(t, states == 0 ? 0.0 : x[0]);
        return true;
    }
    bool jacobian(double t, std::span<const double> x, std::span<const double> dx,
                  std::span<double> matrix) override {
        const double increment = 1e-7;
        matrix[0] = (f(t, x[0] + increment) - dx[0]) / increment;
        return true;
    }
};

class EverySolver : public ::testing::TestWithParam<Method> {
protected:
    void start(double t, double x0) {
        SolverOptions options = test::options_for(GetParam()).solver;
        options.max_step = max_step;
        solver = make_solver(options, problem);
        x.assign(static_cast<std::size_t>(problem.states), x0);
        solver->restart(t, x, std::vector<double>(x.size(), 1.0));
    }
    SolverResult run_to(double stop) {
        SolverResult result;
        do result = solver->step(stop, x);
        while (result.reason == Reason::step);
        return result;
    }

    Scalar problem;
    double max_step = 0.0;
    std::unique_ptr<Solver> solver;
    std::vector<double> x;
};

INSTANTIATE_TEST_SUITE_P(Methods, EverySolver, ::testing::ValuesIn(test::all_methods),
                         test::method_suffix);

TEST_P(EverySolver, ends_exactly_at_each_stop_without_losing_its_history) {
    start(0.0, 1.0);
    for (int k = 1; k <= 50; ++k) {
        const double stop = 0.1 * k;
        const SolverResult result = run_to(stop);
        ASSERT_EQ(result.reason, Reason::stop);
        ASSERT_EQ(result.t, stop);
    }
    // Euler with steps of 1e-3 is off by t/2 * 1e-3 * x; the others keep their tolerance of 1e-8,
    // times a factor for the accumulation.
    EXPECT_NEAR(x[0], std::exp(-5.0), GetParam() == Method::euler ? 2e-5 : 1e-6);
    EXPECT_EQ(solver->statistics().restarts, 1);
}

TEST_P(EverySolver, ends_at_stops_that_are_next_to_each_other) {
    start(1.0, 1.0);
    const double stop = std::nextafter(1.0, 2.0);
    EXPECT_EQ(run_to(stop).t, stop);
    EXPECT_EQ(run_to(1.5).t, 1.5);
    EXPECT_NEAR(x[0], std::exp(-0.5), 1e-3);
}

TEST_P(EverySolver, gives_the_solution_inside_a_step) {
    start(0.0, 1.0);
    double begin = 0.0;
    for (int i = 0; i < 30; ++i) {
        const SolverResult result = solver->step(10.0, x);
        const double middle = (begin + result.t) / 2.0;
        std::vector<double> inside(1);
        ASSERT_TRUE(solver->interpolate(middle, inside));
        // The dense output is as exact as the steps (Euler: 1e-3 * x/2 in all).
        ASSERT_NEAR(inside[0], std::exp(-middle), GetParam() == Method::euler ? 1e-3 : 1e-6);
        begin = result.t;
    }
}

TEST_P(EverySolver, stops_just_behind_a_root_and_finds_the_next_one_without_a_restart) {
    problem.f = [](double, double) { return 1.0; };
    problem.z = [](double, double value) { return std::cos(value); };
    max_step = 2.0;  // a change back within one step would go unseen
    start(0.0, 0.0);
    const double pi = std::acos(-1.0);
    for (int k = 0; k < 3; ++k) {
        const SolverResult result = run_to(9.0);
        ASSERT_EQ(result.reason, Reason::root);
        // x = t is integrated exactly by every method, up to rounding in up to 9000 steps.
        ASSERT_NEAR(result.t, pi * (0.5 + k), 1e-10);
        ASSERT_EQ(std::cos(x[0]) > 0.0, k % 2 == 1);
        ASSERT_EQ(solver->roots()[0], k % 2 == 1 ? +1 : -1);
    }
    EXPECT_EQ(run_to(9.0).reason, Reason::stop);
}

TEST_P(EverySolver, reports_a_root_at_the_very_stop) {
    problem.f = [](double, double) { return 1.0; };
    problem.z = [](double t, double) { return 1.0 - t; };
    start(0.0, 0.0);
    const SolverResult result = run_to(1.0);
    EXPECT_EQ(result.reason, Reason::root);
    EXPECT_NEAR(result.t, 1.0, 1e-13);
}

TEST_P(EverySolver, finds_roots_of_time_without_any_state) {
    problem.states = 0;
    problem.z = [](double t, double) { return std::sin(t); };
    start(1.0, 0.0);
    const SolverResult result = run_to(6.0);
    EXPECT_EQ(result.reason, Reason::root);
    EXPECT_NEAR(result.t, std::acos(-1.0), 1e-12);
    EXPECT_EQ(run_to(6.0).t, 6.0);
}

TEST_P(EverySolver, says_why_it_gives_up) {
    problem.defined = [](double t, double) { return t < 0.5; };
    start(0.0, 1.0);
    const SolverResult result = run_to(1.0);
    EXPECT_EQ(result.reason, Reason::failed);
    EXPECT_FALSE(solver->failure().empty());
    EXPECT_LE(result.t, 0.5);
}

TEST_P(EverySolver, limits_the_number_of_steps_between_two_stops) {
    SolverOptions options = test::options_for(GetParam()).solver;
    options.max_steps = 5;
    options.max_step = 1e-3;
    solver = make_solver(options, problem);
    x = {1.0};
    solver->restart(0.0, x, x);
    EXPECT_EQ(run_to(1.0).reason, Reason::failed);
    EXPECT_NE(solver->failure().find("more than 5"), std::string::npos);
}

TEST_P(EverySolver, lets_exceptions_of_the_model_through) {
    problem.defined = [](double t, double) -> bool {
        if (t > 0.1) throw std::runtime_error("the model is gone");
        return true;
    };
    start(0.0, 1.0);
    EXPECT_THROW(run_to(1.0), std::runtime_error);
}

class AdaptiveSolver : public EverySolver {};
INSTANTIATE_TEST_SUITE_P(Methods, AdaptiveSolver,
                         ::testing::Values(Method::cvode_bdf, Method::cvode_adams, Method::dopri5),
                         test::method_suffix);

TEST_P(AdaptiveSolver, shortens_a_step_that_leaves_the_domain_of_the_derivatives) {
    // dx = -sqrt(x) from 1: x = (1 - t/2)^2; beyond t = 2 a long step sees negative x.
    problem.f = [](double, double value) { return -std::sqrt(std::max(value, 0.0)); };
    problem.defined = [](double, double value) { return value >= 0.0; };
    start(0.0, 1.0);
    EXPECT_EQ(run_to(1.9).reason, Reason::stop);
    EXPECT_NEAR(x[0], 0.05 * 0.05, 1e-6);
}

TEST(Methods, have_names_that_read_back) {
    for (const Method method : test::all_methods) EXPECT_EQ(method_from(to_string(method)), method);
    EXPECT_THROW(method_from("magic"), InputError);
}

}  // namespace
}  // namespace tandem::ode
