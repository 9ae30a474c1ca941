#include "ode/host/hosted_ode.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/hosting.hpp"
#include "support/test_models.hpp"
#include "tandem/error.hpp"

namespace tandem::ode {
namespace {

using test::BouncingBall;
using test::Chain;
using test::Dahlquist;
using test::Driven;
using test::hosted;
using test::options_for;
using test::Relay;
using test::Stair;
using test::TestModel;
using ::testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string error_of(HostedOde& host, Interval interval) {
    try {
        host.step(interval);
    } catch (const NumericsError& error) {
        return error.what();
    }
    return "no error";
}

/// dx = 1 with everything else to be set by a test.
class Scripted final : public TestModel {
public:
    explicit Scripted(int indicators = 0, int inputs = 0)
        : TestModel("scripted", {0.0}, inputs, 1) {
        shape_.indicators = indicators;
    }
    ode::OdeShape& editable_shape() { return shape_; }
    bool derivatives(std::span<double> dx) override {
        dx[0] = slope(t);
        return evaluable(t);
    }
    bool indicators(std::span<double> z) override {
        for (auto& value : z) value = indicator(t, u.empty() ? 0.0 : u[0]);
        return true;
    }
    EventUpdate update_discrete() override { return update(*this); }
    CompletedStep completed_step() override { return completed(t); }

    std::function<double(double)> slope = [](double) { return 1.0; };
    std::function<bool(double)> evaluable = [](double) { return true; };
    std::function<double(double, double)> indicator = [](double, double) { return 1.0; };
    std::function<EventUpdate(Scripted&)> update = [](Scripted&) { return EventUpdate{}; };
    std::function<CompletedStep(double)> completed = [](double) { return CompletedStep{}; };
};

TEST(HostedOde, describes_itself_from_the_shape_of_its_model) {
    const auto host = hosted<Driven>(Method::cvode_bdf);
    const Interface& interface = host->interface();
    EXPECT_EQ(host->name(), "driven");
    EXPECT_EQ(interface.inputs.size(), 2U);
    EXPECT_EQ(interface.outputs.size(), 2U);
    ASSERT_EQ(interface.feed_through.size(), 1U);
    EXPECT_EQ(interface.feed_through[0].output, 1);
    EXPECT_EQ(interface.feed_through[0].input, 0);
    EXPECT_TRUE(interface.capabilities.rollback && interface.capabilities.serialise);
    EXPECT_TRUE(interface.capabilities.jacobians && interface.capabilities.laws);
    EXPECT_EQ(interface.capabilities.output_derivatives, 1);
}

TEST(HostedOde, inputs_that_continue_do_not_restart_the_solver_and_jumps_do) {
    const auto host = hosted<Driven>(Method::cvode_bdf);
    double values[] = {0.0, 0.0};
    const double slopes[] = {1.0, 0.0};
    for (int k = 0; k < 10; ++k) {
        values[0] = 0.1 * k;
        host->set_inputs({values, slopes, 1});
        host->step({0.1 * k, 0.1 * (k + 1)});
    }
    EXPECT_EQ(host->statistics().solver.restarts, 1);
    values[0] = 5.0;
    host->set_inputs({values});
    host->step({1.0, 1.1});
    EXPECT_EQ(host->statistics().solver.restarts, 2);
}

TEST(HostedOde, an_indicator_that_changes_with_a_jump_of_an_input_is_an_event) {
    const auto host = hosted<Relay>(Method::cvode_bdf);
    double y = -1.0;
    host->step({0.0, 0.1});
    host->get_outputs({&y, 1});
    EXPECT_EQ(y, 0.0);
    const double on = 2.0;
    host->set_inputs({{&on, 1}});
    host->step({0.1, 0.2});
    host->get_outputs({&y, 1});
    EXPECT_EQ(y, 1.0);
    EXPECT_EQ(host->statistics().state_events, 1);
}

TEST(HostedOde, time_events_happen_exactly_at_their_time_and_the_steps_end_there) {
    std::vector<double> times;
    HostedOdeOptions options = options_for(Method::cvode_bdf);
    options.on_event = [&](const EventNotice& notice) {
        EXPECT_TRUE(notice.time_event && !notice.state_event);
        if (!notice.after) times.push_back(notice.t);
    };
    const auto host = hosted(std::make_unique<Stair>(0.3), options);
    EXPECT_TRUE(host->step({0.0, 1.0}));
    EXPECT_EQ(times, (std::vector<double>{1 * 0.3, 2 * 0.3, 3 * 0.3}));
    // The integral of the stair: 0.3 * (1 + 2) + 0.1 * 3.
    EXPECT_NEAR(host->states()[0], 1.2, 1e-7);
}

TEST(HostedOde, an_event_at_the_end_of_an_interval_belongs_to_it) {
    const auto host = hosted<Stair>(Method::rk4);
    double y[2];
    EXPECT_TRUE(host->step({0.0, 1.0}));
    host->get_outputs(y);
    EXPECT_EQ(y[0], 1.0);
}

TEST(HostedOde, outputs_can_be_read_on_both_sides_of_an_event) {
    std::vector<double> speeds;
    HostedOde* ball = nullptr;
    HostedOdeOptions options = options_for(Method::cvode_bdf);
    options.on_event = [&](const EventNotice&) {
        double y[2];
        ball->get_outputs(y);
        speeds.push_back(y[1]);
    };
    const auto host = hosted(std::make_unique<BouncingBall>(), options);
    ball = host.get();
    host->step({0.0, 1.0});
    ASSERT_EQ(speeds.size(), 2U);
    EXPECT_LT(speeds[0], 0.0);
    EXPECT_DOUBLE_EQ(speeds[1], -BouncingBall::restitution * speeds[0]);
}

TEST(HostedOde, returns_early_at_events_when_asked_to_and_goes_on_from_there) {
    HostedOdeOptions options = options_for(Method::cvode_bdf);
    options.stop_at_events = true;
    const auto host = hosted(std::make_unique<BouncingBall>(), options);
    const StepResult first = host->step({0.0, 1.0});
    EXPECT_EQ(first.outcome, Outcome::early_return);
    EXPECT_NEAR(first.reached, 0.451523640986, 1e-7);
    EXPECT_EQ(host->step({first.reached, 1.0}).outcome, Outcome::complete);
}

TEST(HostedOde, an_event_that_leaves_the_derivatives_alone_does_not_restart_the_solver) {
    auto model = std::make_unique<Scripted>(1);
    model->indicator = [](double t, double) { return 0.5 - t; };
    const auto host = hosted(std::move(model), options_for(Method::cvode_bdf));
    EXPECT_TRUE(host->step({0.0, 1.0}));
    EXPECT_EQ(host->statistics().state_events, 1);
    EXPECT_EQ(host->statistics().solver.restarts, 1);
    EXPECT_NEAR(host->states()[0], 1.0, 1e-7);
}

TEST(HostedOde, an_event_that_changes_the_derivatives_restarts_the_solver) {
    auto model = std::make_unique<Scripted>(1);
    Scripted* scripted = model.get();
    model->indicator = [](double t, double) { return 0.5 - t; };
    model->memory = {1.0};
    model->slope = [scripted](double) { return scripted->memory[0]; };
    model->update = [](Scripted& self) {
        if (self.t > 0.4) self.memory[0] = 3.0;
        return EventUpdate{};
    };
    const auto host = hosted(std::move(model), options_for(Method::cvode_adams));
    EXPECT_TRUE(host->step({0.0, 1.0}));
    EXPECT_EQ(host->statistics().solver.restarts, 2);
    EXPECT_NEAR(host->states()[0], 0.5 * 1.0 + 0.5 * 3.0, 1e-7);
}

TEST(HostedOde, step_events_lead_to_event_mode) {
    auto model = std::make_unique<Scripted>();
    Scripted* scripted = model.get();
    model->editable_shape().needs_completed_step = true;
    model->completed = [](double t) { return CompletedStep{t > 0.5, false}; };
    const auto host = hosted(std::move(model), options_for(Method::rk4));
    EXPECT_TRUE(host->step({0.0, 1.0}));
    EXPECT_GT(host->statistics().step_events, 400);
    EXPECT_EQ(host->statistics().step_events, scripted->events);
}

TEST(HostedOde, a_model_that_terminates_ends_the_step_where_it_did) {
    auto model = std::make_unique<Scripted>();
    model->update = [](Scripted& self) {
        EventUpdate update;
        update.terminate = self.t >= 0.25;
        update.next_event_time = 0.25;
        return update;
    };
    const auto host = hosted(std::move(model), options_for(Method::dopri5));
    const StepResult result = host->step({0.0, 1.0});
    EXPECT_EQ(result.outcome, Outcome::terminated);
    EXPECT_EQ(result.reached, 0.25);
}

TEST(HostedOde, an_event_iteration_without_end_is_an_error_that_names_the_time) {
    auto model = std::make_unique<Scripted>();
    model->update = [](Scripted& self) {
        EventUpdate update;
        update.again = self.t >= 0.25;
        update.next_event_time = 0.25;
        return update;
    };
    const auto host = hosted(std::move(model), options_for(Method::cvode_bdf));
    EXPECT_THAT(error_of(*host, {0.0, 1.0}),
                AllOf(HasSubstr("scripted"), HasSubstr("t = 0.25"), HasSubstr("100 updates")));
}

TEST(HostedOde, chattering_is_an_error_that_names_time_and_indicator) {
    auto model = std::make_unique<Scripted>(2);
    Scripted* scripted = model.get();
    model->memory = {1.0};
    // A relay without hysteresis: x slides along 0.5 for ever.
    model->slope = [scripted](double) { return scripted->memory[0]; };
    model->indicator = [scripted](double, double) { return scripted->x[0] - 0.5; };
    model->update = [](Scripted& self) {
        self.memory[0] = self.x[0] > 0.5 ? -1.0 : 1.0;
        return EventUpdate{};
    };
    const auto host = hosted(std::move(model), options_for(Method::cvode_bdf));
    EXPECT_THAT(error_of(*host, {0.0, 1.0}),
                AllOf(HasSubstr("t = 0.5"), HasSubstr("1000 events"),
                      HasSubstr("event indicator 1 of 'scripted', event indicator 2")));
}

TEST(HostedOde, derivatives_that_are_not_finite_are_an_error_that_names_state_and_time) {
    for (const Method method : test::all_methods) {
        auto model = std::make_unique<Scripted>();
        model->slope = [](double t) { return t > 0.5 ? infinity : 1.0; };
        const auto host = hosted(std::move(model), options_for(method));
        EXPECT_THAT(error_of(*host, {0.0, 1.0}),
                    AllOf(HasSubstr("scripted: at t = 0."),
                          HasSubstr("'x0' was not a finite number at t = 0.5"),
                          HasSubstr(std::string(to_string(method))), HasSubstr("hint: ")))
            << to_string(method);
    }
}

TEST(HostedOde, a_model_that_cannot_be_evaluated_is_an_error_of_the_numerics) {
    auto model = std::make_unique<Scripted>();
    model->evaluable = [](double t) { return t <= 0.5; };
    const auto host = hosted(std::move(model), options_for(Method::cvode_bdf));
    EXPECT_THAT(error_of(*host, {0.0, 1.0}), HasSubstr("could not be evaluated"));
}

TEST(HostedOde, derivatives_of_outputs_hold_states_inputs_and_time) {
    const auto host = hosted<Driven>(Method::cvode_bdf);
    const double values[] = {2.0, 0.0};
    const double slopes[] = {0.5, 0.0};
    host->set_inputs({values, slopes, 1});
    host->step({0.0, 1.0});
    double dy[2];
    ASSERT_TRUE(host->get_output_derivatives(1, dy));
    const double x = host->states()[0];
    const double u = 2.5;
    const double dx = -x + u;
    // A one-sided difference over 1e-8 of the scale: good to about 1e-7.
    EXPECT_NEAR(dy[0], dx, 1e-6);
    EXPECT_NEAR(dy[1], dx + 6.0 * u * 0.5 + 1.0, 1e-6);
}

TEST(HostedOde, the_feed_through_times_a_direction_is_a_difference_of_outputs) {
    const auto host = hosted<Driven>(Method::cvode_bdf);
    const double values[] = {2.0, 0.0};
    host->set_inputs({values});
    const double direction[] = {10.0, 5.0};
    double dy[2];
    host->jacobian_times(direction, dy);
    EXPECT_NEAR(dy[0], 0.0, 1e-6);
    EXPECT_NEAR(dy[1], 3.0 * 2.0 * 2.0 * 10.0, 1e-4);
}

TEST(HostedOde, inputs_set_before_a_step_show_in_outputs_at_once) {
    const auto host = hosted<Driven>(Method::cvode_bdf);
    const double values[] = {2.0, 0.0};
    host->set_inputs({values});
    double y[2];
    host->get_outputs(y);
    EXPECT_DOUBLE_EQ(y[1], 3.0 * 4.0);
}

TEST(HostedOde, an_external_event_lets_the_model_update_and_restarts_the_solver) {
    auto model = std::make_unique<Scripted>(0, 1);
    Scripted* scripted = model.get();
    const auto host = hosted(std::move(model), options_for(Method::cvode_bdf));
    host->step({0.0, 1.0});
    const double jumped = 7.0;
    host->set_inputs({{&jumped, 1}});
    host->handle_external_event();
    EXPECT_EQ(scripted->events, 1);
    EXPECT_EQ(scripted->u[0], 7.0);
    host->step({1.0, 2.0});
    EXPECT_EQ(host->statistics().solver.restarts, 2);
}

TEST(HostedOde, a_saved_state_of_another_size_is_refused_with_a_sentence) {
    const auto small = hosted<Dahlquist>(Method::cvode_bdf);
    const auto large = hosted<Chain>(Method::cvode_bdf);
    std::vector<std::byte> bytes;
    small->serialise(bytes);
    EXPECT_THROW(large->deserialise(bytes), InputError);
    EXPECT_THROW(small->deserialise(std::span(bytes).first(10)), InputError);
}

TEST(HostedOde, the_jacobian_for_bdf_takes_three_colours_of_a_tridiagonal_model) {
    const auto host = hosted<Chain>(Method::cvode_bdf);
    host->step({0.0, 1.0});
    const long jacobians = host->statistics().solver.jacobian_calls;
    EXPECT_GT(jacobians, 0);
    EXPECT_EQ(host->jacobian_evaluations(), jacobians * (1 + 3));
}

}  // namespace
}  // namespace tandem::ode
