#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/hosting.hpp"
#include "support/test_models.hpp"

namespace tandem::ode {
namespace {

using test::Dahlquist;
using test::Driven;
using test::hosted;
using test::options_for;
using test::Stair;

/// The outputs at the start and after each internal step, with rows no further apart than an eighth
/// of the interval; straight lines then miss less than h^2/8 of a second derivative of 1.
TEST(HostedOdeTrace, follows_the_solution_from_begin_to_end) {
    for (const Method method : test::all_methods) {
        if (method == Method::euler) continue;
        const auto host = hosted<Dahlquist>(method);
        host->keep_trace(true);
        ASSERT_TRUE(host->step({0.0, 0.5}));
        ASSERT_TRUE(host->step({0.5, 1.0}));
        const OutputTrace& trace = host->trace();
        EXPECT_FALSE(trace.held);
        EXPECT_EQ(trace.times.front(), 0.5);
        EXPECT_EQ(trace.times.back(), 1.0);
        for (std::size_t k = 0; k < trace.times.size(); ++k) {
            // Dense output is less exact than the steps, by a power of the step.
            EXPECT_NEAR(trace.row(k)[0], std::exp(-trace.times[k]), 1e-6) << to_string(method);
            const double last = trace.times[k > 0 ? k - 1 : 0];
            EXPECT_LE(trace.times[k] - last, 0.5 / 8.0 * 1.0001);
        }
    }
}

TEST(HostedOdeTrace, of_eulers_method_holds_each_of_its_steps) {
    const auto host = hosted<Dahlquist>(Method::euler);
    host->keep_trace(true);
    ASSERT_TRUE(host->step({0.0, 0.005}));
    const OutputTrace& trace = host->trace();
    EXPECT_TRUE(trace.held);
    ASSERT_EQ(trace.times.size(), 6U);
    for (std::size_t k = 0; k < 6; ++k)
        EXPECT_NEAR(trace.row(k)[0], std::pow(1.0 - 1e-3, static_cast<double>(k)), 1e-14);
}

// y1 = x + 3 u0^2 + t with y0 = x.
TEST(HostedOdeTrace, sees_the_inputs_of_each_time_and_the_new_ones_at_the_begin) {
    const auto host = hosted<Driven>(Method::dopri5);
    host->keep_trace(true);
    host->set_inputs({.values = std::vector{1.0, 0.0}});
    ASSERT_TRUE(host->step({0.0, 1.0}));
    const std::vector<double> values = {5.0, 0.0}, slopes = {-2.0, 0.0};
    host->set_inputs({values, slopes, 1});
    ASSERT_TRUE(host->step({1.0, 2.0}));
    const OutputTrace& trace = host->trace();
    for (std::size_t k = 0; k < trace.times.size(); ++k) {
        const double t = trace.times[k], u = 5.0 - 2.0 * (t - 1.0);
        EXPECT_NEAR(trace.row(k)[1], trace.row(k)[0] + 3.0 * u * u + t, 1e-12);
    }
}

TEST(HostedOdeTrace, has_both_sides_of_an_event) {
    const auto host = hosted<Stair>(Method::dopri5);
    host->keep_trace(true);
    ASSERT_TRUE(host->step({0.0, 1.5}));
    const OutputTrace& trace = host->trace();
    const auto event = std::ranges::find(trace.times, 1.0);
    ASSERT_NE(event, trace.times.end());
    ASSERT_EQ(*(event + 1), 1.0);
    const auto k = static_cast<std::size_t>(event - trace.times.begin());
    EXPECT_EQ(trace.row(k)[0], 0.0);
    EXPECT_EQ(trace.row(k + 1)[0], 1.0);
    EXPECT_TRUE(std::ranges::is_sorted(trace.times));
}

TEST(HostedOdeTrace, ends_where_a_step_is_cut) {
    HostedOdeOptions options = options_for(Method::dopri5);
    options.stop_at_events = true;
    const auto host = hosted(std::make_unique<Stair>(), options);
    host->keep_trace(true);
    EXPECT_EQ(host->step({0.0, 1.5}).outcome, Outcome::early_return);
    EXPECT_EQ(host->trace().times.back(), 1.0);
    EXPECT_EQ(host->trace().values.back(), host->states()[0]);
}

TEST(HostedOdeTrace, changes_nothing) {
    for (const Method method : test::all_methods) {
        const auto plain = hosted<Driven>(method), traced = hosted<Driven>(method);
        traced->keep_trace(true);
        const std::vector<double> values = {1.0, 0.5}, slopes = {0.3, 0.0};
        std::vector<double> y(2), y_traced(2);
        for (const Interval interval : {Interval{0.0, 0.4}, {0.4, 1.0}}) {
            for (HostedOde* host : {plain.get(), traced.get()}) {
                host->set_inputs({values, slopes, 1});
                ASSERT_TRUE(host->step(interval));
            }
            plain->get_outputs(y);
            traced->get_outputs(y_traced);
            EXPECT_EQ(y, y_traced) << to_string(method);
        }
        EXPECT_TRUE(plain->trace().times.empty());
        EXPECT_EQ(plain->statistics().solver.steps, traced->statistics().solver.steps);
    }
}

}  // namespace
}  // namespace tandem::ode
