#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "ode/group/ode_group.hpp"
#include "ode/host/hosted_ode.hpp"
#include "support/hosting.hpp"
#include "support/test_models.hpp"
#include "tandem/error.hpp"

namespace tandem::ode {
namespace {

using test::hosted;
using test::options_for;
using test::TestModel;
using ::testing::HasSubstr;

/// dx = -x from 1, which an event at 0.5 sets to 1 again. Notes where steps of the solver end.
class Renewed final : public TestModel {
public:
    explicit Renewed(std::vector<double>& ends) : TestModel("renewed", {1.0}, 0, 1), ends_(ends) {
        shape_.needs_completed_step = true;
    }
    bool derivatives(std::span<double> dx) override {
        dx[0] = -x[0];
        return true;
    }
    CompletedStep completed_step() override {
        ends_.push_back(t);
        return {};
    }
    EventUpdate update_discrete() override {
        if (t >= 0.5) x[0] = 1.0;
        EventUpdate update{.states_changed = t >= 0.5};
        if (t < 0.5) update.next_event_time = 0.5;
        return update;
    }

private:
    std::vector<double>& ends_;
};

class FirstStep : public ::testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, FirstStep,
                         ::testing::Values(Method::cvode_bdf, Method::cvode_adams, Method::dopri5),
                         test::method_suffix);

/// The first step at the start and the first one behind the event.
std::pair<double, double> first_steps(Method method, double first_step) {
    std::vector<double> ends;
    HostedOdeOptions options = options_for(method, 1e-3);
    options.first_step = first_step;
    const auto host = hosted(std::make_unique<Renewed>(ends), options);
    host->step({0.0, 1.0});
    const auto event = std::ranges::find(ends, 0.5);
    EXPECT_LT(event - ends.begin() + 1, std::ssize(ends));
    return {ends.front(), *(event + 1) - 0.5};
}

TEST_P(FirstStep, is_taken_at_the_start_and_not_behind_events) {
    const auto [start, behind_event] = first_steps(GetParam(), 1.25e-5);
    const auto [own_start, own_behind_event] = first_steps(GetParam(), 0.0);
    EXPECT_EQ(start, 1.25e-5);
    EXPECT_NE(own_start, 1.25e-5);
    EXPECT_EQ(behind_event, own_behind_event);
}

TEST_P(FirstStep, is_taken_again_after_going_back_to_the_start) {
    std::vector<double> ends;
    HostedOdeOptions options = options_for(GetParam(), 1e-3);
    options.first_step = 1.25e-5;
    const auto host = hosted(std::make_unique<Renewed>(ends), options);
    host->save(StateSlot::step_begin);
    host->step({0.0, 0.25});
    const double once = host->states()[0];
    ends.clear();
    host->restore(StateSlot::step_begin);
    host->step({0.0, 0.25});
    EXPECT_EQ(ends.front(), 1.25e-5);
    EXPECT_EQ(host->states()[0], once);
}

std::string error_of(HostedOde& host, Interval interval) {
    try {
        host.step(interval);
    } catch (const NumericsError& error) {
        return error.what();
    }
    return "no error";
}

// Ten steps of 0.1 in each interval of length 1, five on each side of the event.
TEST(MaxSteps, counts_those_of_one_interval_over_its_events) {
    std::vector<double> ends;
    HostedOdeOptions options = options_for(Method::rk4);
    options.solver.fixed_step = 0.1;
    options.max_steps = 10;
    const auto enough = hosted(std::make_unique<Renewed>(ends), options);
    EXPECT_EQ(error_of(*enough, {0.0, 1.0}), "no error");
    EXPECT_EQ(error_of(*enough, {1.0, 2.0}), "no error");
    options.max_steps = 9;
    const auto too_few = hosted(std::make_unique<Renewed>(ends), options);
    EXPECT_THAT(error_of(*too_few, {0.0, 1.0}),
                HasSubstr("the solver rk4 needs more than max_steps = 9 "
                          "internal steps for the communication step from 0 to 1"));
}

TEST(MaxSteps, may_be_more_than_solvers_take_between_two_stops_by_themselves) {
    std::vector<double> ends;
    HostedOdeOptions options = options_for(Method::euler);
    options.solver.fixed_step = 0.1;
    options.solver.max_steps = 4;
    const auto by_default = hosted(std::make_unique<Renewed>(ends), options);
    EXPECT_THAT(error_of(*by_default, {0.0, 1.0}), HasSubstr("more than 4 internal steps"));
    options.max_steps = 10;
    const auto host = hosted(std::make_unique<Renewed>(ends), options);
    EXPECT_EQ(error_of(*host, {0.0, 1.0}), "no error");
}

TEST(Options, that_a_method_does_not_have_are_refused) {
    const auto refused = [](Method method, auto change) {
        HostedOdeOptions options = options_for(method);
        change(options);
        const auto refusal = refused_option(options);
        return refusal ? refusal->option : "none";
    };
    const auto order = [](int n) {
        return [n](HostedOdeOptions& options) { options.solver.max_order = n; };
    };
    const auto first = [](HostedOdeOptions& options) { options.first_step = 0.1; };
    const auto absolute = [](HostedOdeOptions& options) {
        options.solver.absolute_tolerance = 1.0;
    };
    EXPECT_EQ(refused(Method::cvode_bdf, order(5)), "none");
    EXPECT_EQ(refused(Method::cvode_bdf, order(6)), "max_order");
    EXPECT_EQ(refused(Method::cvode_adams, order(12)), "none");
    EXPECT_EQ(refused(Method::cvode_adams, order(13)), "max_order");
    for (const Method method : {Method::dopri5, Method::rk4, Method::euler})
        EXPECT_EQ(refused(method, order(1)), "max_order");
    for (const Method method : {Method::cvode_bdf, Method::cvode_adams, Method::dopri5}) {
        EXPECT_EQ(refused(method, first), "none");
        EXPECT_EQ(refused(method, absolute), "none");
        EXPECT_EQ(refused(method,
                          [](HostedOdeOptions& options) {
                              options.first_step = 0.2;
                              options.solver.max_step = 0.1;
                          }),
                  "first_step");
    }
    for (const Method method : {Method::rk4, Method::euler}) {
        EXPECT_EQ(refused(method, first), "first_step");
        EXPECT_EQ(refused(method, absolute), "absolute_tolerance");
    }
}

}  // namespace
}  // namespace tandem::ode
