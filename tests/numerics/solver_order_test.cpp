// The solvers converge as their theory says.

#include <gtest/gtest.h>

#include <cmath>

#include "support/hosting.hpp"
#include "support/test_models.hpp"

namespace tandem::ode {
namespace {

using test::BouncingBall;
using test::Dahlquist;
using test::hosted;
using test::options_for;
using test::VanDerPol;

double end_state(std::unique_ptr<OdeModel> model, const SolverOptions& solver, double end) {
    HostedOdeOptions options;
    options.solver = solver;
    const auto host = hosted(std::move(model), options);
    host->step({0.0, end});
    return host->states()[0];
}

constexpr double van_der_pol_end = 2.0;

/// From the Runge-Kutta method with steps of 1e-4: error about 1e-13 (and equal to that of CVODE
/// with tolerance 1e-13 within 1e-10, checked below).
double van_der_pol_reference() {
    SolverOptions options;
    options.method = Method::rk4;
    options.fixed_step = 1e-4;
    return end_state(std::make_unique<VanDerPol>(), options, van_der_pol_end);
}

double fixed_step_error(Method method, double step, bool linear) {
    SolverOptions options;
    options.method = method;
    options.fixed_step = step;
    if (linear)
        return std::abs(end_state(std::make_unique<Dahlquist>(), options, 1.0) - std::exp(-1.0));
    return std::abs(end_state(std::make_unique<VanDerPol>(), options, van_der_pol_end) -
                    van_der_pol_reference());
}

/// From two step sizes: error ~ h^p gives p = log2(error(h) / error(h/2)).
double measured_order(Method method, double step, bool linear) {
    return std::log2(fixed_step_error(method, step, linear) /
                     fixed_step_error(method, step / 2.0, linear));
}

TEST(SolverOrder, two_independent_methods_agree_on_the_reference) {
    SolverOptions options;
    options.method = Method::cvode_adams;
    options.relative_tolerance = 1e-13;
    EXPECT_NEAR(end_state(std::make_unique<VanDerPol>(), options, van_der_pol_end),
                van_der_pol_reference(), 1e-10);
}

// Step sizes small enough for the leading term of the error, large enough to stay above rounding;
// within a tenth of the order because the next term still contributes.
TEST(SolverOrder, euler_has_order_one) {
    EXPECT_NEAR(measured_order(Method::euler, 0.01, true), 1.0, 0.1);
    EXPECT_NEAR(measured_order(Method::euler, 0.0025, false), 1.0, 0.1);
}

TEST(SolverOrder, the_classical_runge_kutta_method_has_order_four) {
    EXPECT_NEAR(measured_order(Method::rk4, 0.05, true), 4.0, 0.1);
    EXPECT_NEAR(measured_order(Method::rk4, 0.02, false), 4.0, 0.1);
}

/// With a tolerance so loose that max_step alone makes the steps they are equal (but for the first
/// few), and the order of the pair's advancing solution shows.
double dopri5_error(double step) {
    SolverOptions options;
    options.method = Method::dopri5;
    options.relative_tolerance = 1e-2;
    options.max_step = step;
    return std::abs(end_state(std::make_unique<Dahlquist>(), options, 1.0) - std::exp(-1.0));
}

TEST(SolverOrder, dormand_prince_has_order_five) {
    EXPECT_NEAR(std::log2(dopri5_error(0.1) / dopri5_error(0.05)), 5.0, 0.2);
}

class ToleranceProportionality : public ::testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, ToleranceProportionality,
                         ::testing::Values(Method::cvode_bdf, Method::cvode_adams, Method::dopri5),
                         test::method_suffix);

/// The largest error at 20 times, half a second apart: less accidental than the one at the end.
double tolerance_error(Method method, double tolerance) {
    HostedOdeOptions options;
    options.solver.method = method;
    options.solver.relative_tolerance = tolerance;
    HostedOdeOptions exact;
    exact.solver.method = Method::rk4;
    exact.solver.fixed_step = 1e-3;
    const auto host = hosted(std::make_unique<VanDerPol>(), options);
    const auto reference = hosted(std::make_unique<VanDerPol>(), exact);
    double error = 0.0;
    for (int k = 0; k < 20; ++k) {
        host->step({0.5 * k, 0.5 * (k + 1)});
        reference->step({0.5 * k, 0.5 * (k + 1)});
        error = std::max(error, std::abs(host->states()[0] - reference->states()[0]));
    }
    return error;
}

// error ~ tolerance^s over four decades. A method of order q whose local error per step is kept at
// the tolerance has a global error ~ tolerance^(q/(q+1)), or ~ tolerance^1 if the error is measured
// on the lower order of a pair: with some scatter 0.7 to 1.2.
TEST_P(ToleranceProportionality, the_error_follows_the_tolerance) {
    const double coarse = tolerance_error(GetParam(), 1e-5);
    const double fine = tolerance_error(GetParam(), 1e-9);
    const double slope = std::log10(coarse / fine) / 4.0;
    EXPECT_GT(slope, 0.7);
    EXPECT_LT(slope, 1.2);
    RecordProperty("slope", std::to_string(slope));
    // The global error is a multiple of the local one.
    EXPECT_LT(fine, 1e-9 * 500.0);
}

class Bounces : public ::testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, Bounces,
                         ::testing::Values(Method::cvode_bdf, Method::cvode_adams, Method::dopri5),
                         test::method_suffix);

// With T = sqrt(2 h0 / g) the bounces are at T, T (1 + 2e), T (1 + 2e + 2e^2).
TEST_P(Bounces, happen_within_a_tenth_of_a_microsecond_at_tolerance_1e_8) {
    std::vector<double> bounces;
    HostedOdeOptions options = options_for(GetParam(), 1e-8);
    options.on_event = [&](const EventNotice& notice) {
        if (!notice.after) bounces.push_back(notice.t);
    };
    const auto host = hosted(std::make_unique<BouncingBall>(), options);
    host->step({0.0, 2.0});
    ASSERT_EQ(bounces.size(), 3U);
    EXPECT_NEAR(bounces[0], 0.451523640986, 1e-7);
    EXPECT_NEAR(bounces[1], 1.173961466563, 1e-7);
    EXPECT_NEAR(bounces[2], 1.751911727025, 1e-7);
    EXPECT_NEAR(host->states()[0], 0.260741728327, 1e-6);
}

TEST_P(Bounces, go_on_until_the_ball_rests) {
    const auto host = hosted<BouncingBall>(GetParam(), 1e-8);
    // All bounces are over at T (1 + e) / (1 - e) = 4.06.
    EXPECT_TRUE(host->step({0.0, 6.0}));
    EXPECT_EQ(host->states()[0], 0.0);
    EXPECT_EQ(host->states()[1], 0.0);
    // The speed falls by e each time, from 4.43 to 0.01: log(0.01 / 4.43) / log(0.8) = 27.3.
    EXPECT_EQ(host->statistics().state_events, 28);
}

}  // namespace
}  // namespace tandem::ode
