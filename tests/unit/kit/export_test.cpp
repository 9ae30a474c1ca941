#include "kit/export.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace tandem;
using namespace tandem::fmi;

namespace {

class Ball : public Model {
public:
    Parameter<double> e{*this, "e", 0.8};
    State h{*this, "h", 1.0, {.output = true}};
    State v{*this, "v", 0.0, {.output = true}};
    Ball() { has_indicators(1); }
    void derivatives() override {
        h.der = v;
        v.der = -9.81;
    }
    void indicators(std::span<double> z) override { z[0] = h; }
    void event() override {
        if (h > 0.0 || v >= 0.0) return;
        h = 0.0;
        v = -e * v;
    }
};

class Integrator : public Model {
public:
    Input<double> u{*this, "u"};
    State x{*this, "x", 0.0, {.output = true}};
    Output<double> twice{*this, "twice"};
    Parameter<double> limit{*this, "limit", 1e9};
    void derivatives() override {
        if (x > limit) discard("beyond the limit");
        x.der = u;
    }
    void outputs() override { twice = 2.0 * x; }
};

class Ticker : public Model {
public:
    Clock tick{*this, "tick", {.interval = 0.1}};
    Clock carry{*this, "carry", {.output = true}};
    Discrete<int> count{*this, "count", 0, {.output = true}};
    void event() override {
        if (!tick) return;
        ++count;
        if (count == 2) carry = true;
    }
};

template <class T>
struct Fixture {
    Fixture(Version version, Kind kind, InstanceOptions options = {})
        : model_class(kit::make_model_class<T>("Model", {})),
          model(kit::make_exported_model(model_class)),
          description(model.make_description(version)),
          instance(model.instantiate({version, kind, std::move(options), ""})) {}

    void start() {
        instance->enter_initialization({0.0, std::nullopt, 1e-9});
        instance->exit_initialization();
    }
    ValueReference reference(const std::string& name) const {
        return description.variables[description.find(name).value()].reference;
    }
    double get(const std::string& name) {
        const std::vector<ValueReference> one = {reference(name)};
        double value = 0.0;
        instance->get(one, std::span(&value, 1));
        return value;
    }
    void set(const std::string& name, double value) {
        const std::vector<ValueReference> one = {reference(name)};
        instance->set(one, std::span(&value, 1));
    }

    kit::ModelClass model_class;
    ExportedModel model;
    ModelDescription description;
    std::unique_ptr<ExportedInstance> instance;
};

const double first_bounce = std::sqrt(2.0 / 9.81);

}  // namespace

TEST(ExportedCoSimulation, bounces_inside_a_step) {
    Fixture<Ball> ball(Version::v2, Kind::co_simulation);
    ball.start();
    const DoStepResult result = ball.instance->do_step(0.0, 1.0);
    EXPECT_EQ(result.outcome, DoStepOutcome::complete);
    // After the bounce at t1 with velocity e g t1: h = e g t1 s - g s^2 / 2, s = 1 - t1.
    const double s = 1.0 - first_bounce;
    EXPECT_NEAR(ball.get("h"), 0.8 * 9.81 * first_bounce * s - 0.5 * 9.81 * s * s, 1e-7);
}

TEST(ExportedCoSimulation, returns_before_an_event_when_the_importer_handles_it) {
    InstanceOptions options;
    options.event_mode = options.early_return = true;
    Fixture<Ball> ball(Version::v3, Kind::co_simulation, options);
    ball.start();
    ball.instance->update_discrete_states();
    ball.instance->enter_step_mode();
    const DoStepResult result = ball.instance->do_step(0.0, 1.0);
    EXPECT_EQ(result.outcome, DoStepOutcome::early);
    EXPECT_TRUE(result.event_needed);
    EXPECT_NEAR(result.reached, first_bounce, 1e-7);
    EXPECT_LT(ball.get("v"), 0.0);
    ball.instance->enter_event_mode();
    EXPECT_TRUE(ball.instance->update_discrete_states().states_changed);
    EXPECT_GT(ball.get("v"), 0.0);
    ball.instance->enter_step_mode();
    EXPECT_EQ(ball.instance->do_step(result.reached, 1.0).outcome, DoStepOutcome::complete);
}

TEST(ExportedCoSimulation, lets_the_importer_set_inputs_at_intermediate_points) {
    InstanceOptions options;
    Fixture<Integrator>* fixture = nullptr;
    int calls = 0;
    options.on_intermediate = [&](const IntermediatePoint& point) {
        ++calls;
        EXPECT_TRUE(point.inputs_may_be_set);
        EXPECT_NEAR(fixture->get("x"), point.time, 1e-6);
        fixture->set("u", 1.0);
        return false;
    };
    Fixture<Integrator> integrator(Version::v3, Kind::co_simulation, options);
    fixture = &integrator;
    integrator.start();
    integrator.set("u", 1.0);
    integrator.instance->do_step(0.0, 1.0);
    EXPECT_GT(calls, 1);
    EXPECT_NEAR(integrator.get("x"), 1.0, 1e-7);
}

TEST(ExportedCoSimulation, stops_where_an_intermediate_point_asks_for_it) {
    InstanceOptions options;
    options.early_return = true;
    options.on_intermediate = [](const IntermediatePoint& point) { return point.can_return_early; };
    Fixture<Ball> ball(Version::v3, Kind::co_simulation, options);
    ball.start();
    const DoStepResult result = ball.instance->do_step(0.0, 1.0);
    EXPECT_EQ(result.outcome, DoStepOutcome::early);
    EXPECT_GT(result.reached, 0.0);
    EXPECT_LT(result.reached, 1.0);
}

// u = 1 + 2 (t - 1): x(2) = 1 + 1
TEST(ExportedCoSimulation, follows_input_derivatives_for_one_step) {
    Fixture<Integrator> integrator(Version::v2, Kind::co_simulation);
    integrator.start();
    const std::vector<ValueReference> u = {integrator.reference("u")};
    const std::vector<int> order = {1};
    const std::vector<double> slope = {2.0};
    integrator.instance->do_step(0.0, 1.0);
    integrator.set("u", 1.0);
    integrator.instance->set_input_derivatives(u, order, slope);
    integrator.instance->do_step(1.0, 2.0);
    EXPECT_NEAR(integrator.get("x"), 2.0, 1e-7);
    const std::vector<ValueReference> y = {integrator.reference("twice")};
    std::vector<double> dy(1);
    integrator.instance->get_output_derivatives(y, order, dy);
    // d(2x)/dt = 2u = 2 * 3 at the end of the step
    EXPECT_NEAR(dy[0], 6.0, 1e-6);
    integrator.instance->do_step(2.0, 3.0);
    EXPECT_NEAR(integrator.get("x"), 5.0, 1e-7) << "the input is held at 3 afterwards";
}

void set_slope(Fixture<Integrator>& integrator, double slope) {
    const std::vector<ValueReference> u = {integrator.reference("u")};
    const std::vector<int> order = {1};
    integrator.instance->set_input_derivatives(u, order, std::span(&slope, 1));
}

TEST(ExportedCoSimulation, saves_the_input_derivatives_of_the_coming_step) {
    Fixture<Integrator> integrator(Version::v2, Kind::co_simulation);
    integrator.start();
    integrator.instance->do_step(0.0, 1.0);
    integrator.set("u", 1.0);
    set_slope(integrator, 2.0);
    std::vector<std::byte> state;
    integrator.instance->save_state(state);
    integrator.instance->do_step(1.0, 2.0);
    const double first = integrator.get("x");
    EXPECT_NEAR(first, 2.0, 1e-7);
    set_slope(integrator, -7.0);
    integrator.instance->restore_state(state);
    integrator.instance->do_step(1.0, 2.0);
    EXPECT_EQ(integrator.get("x"), first);
}

TEST(ExportedCoSimulation, follows_input_derivatives_set_before_it_is_initialised) {
    Fixture<Integrator> integrator(Version::v2, Kind::co_simulation);
    integrator.instance->enter_initialization({0.0, std::nullopt, 1e-9});
    set_slope(integrator, 2.0);
    integrator.instance->exit_initialization();
    integrator.instance->do_step(0.0, 1.0);
    EXPECT_NEAR(integrator.get("x"), 1.0, 1e-7);  // u = 2 t
}

TEST(ExportedCoSimulation, forgets_input_derivatives_and_the_tolerance_on_reset) {
    const auto run = [](Fixture<Integrator>& integrator) {
        integrator.instance->enter_initialization({0.0, std::nullopt, std::nullopt});
        integrator.instance->exit_initialization();
        integrator.set("u", 1.0);
        integrator.instance->do_step(0.0, 1.0);
        std::vector<std::byte> state;
        integrator.instance->save_state(state);
        return state;
    };
    Fixture<Integrator> fresh(Version::v2, Kind::co_simulation);
    Fixture<Integrator> used(Version::v2, Kind::co_simulation);
    used.start();  // with a tolerance of its own
    set_slope(used, 2.0);
    used.instance->reset();
    EXPECT_EQ(run(used), run(fresh));
}

/// Counts how often its derivatives are evaluated.
class Switched : public Model {
public:
    Input<bool> on{*this, "on", true};
    State x{*this, "x", 1.0, {.output = true}};
    inline static int evaluations = 0;
    void derivatives() override {
        ++evaluations;
        x.der = on ? -x : 0.0;
    }
};

TEST(ExportedCoSimulation, goes_on_when_a_boolean_is_set_to_the_value_it_has) {
    const auto evaluations = [](bool sets) {
        Fixture<Switched> model(Version::v2, Kind::co_simulation);
        model.start();
        Switched::evaluations = 0;
        const std::vector<ValueReference> on = {model.reference("on")};
        for (int k = 0; k < 50; ++k) {
            if (sets) model.instance->set(ValueType::boolean, on, Values{{}, {1}, {}});
            model.instance->do_step(0.01 * k, 0.01 * (k + 1));
        }
        return Switched::evaluations;
    };
    EXPECT_EQ(evaluations(true), evaluations(false));
}

TEST(ExportedCoSimulation, discards_a_step_and_stays_at_the_last_good_point) {
    Fixture<Integrator> integrator(Version::v2, Kind::co_simulation);
    integrator.set("limit", 0.5);
    integrator.start();
    integrator.set("u", 1.0);
    const DoStepResult result = integrator.instance->do_step(0.0, 1.0);
    EXPECT_EQ(result.outcome, DoStepOutcome::discarded);
    EXPECT_LE(result.reached, 0.5 + 1e-6);
    EXPECT_NEAR(integrator.get("x"), result.reached, 1e-6);
}

TEST(ExportedInstance, refuses_values_that_may_not_be_set) {
    Fixture<Integrator> integrator(Version::v2, Kind::model_exchange);
    integrator.set("limit", 2.0);
    integrator.start();
    EXPECT_THROW(integrator.set("limit", 3.0), std::invalid_argument);
    EXPECT_THROW(integrator.set("twice", 3.0), std::invalid_argument);
    const std::vector<ValueReference> wrong = {12345};
    double value = 0.0;
    EXPECT_THROW(integrator.instance->get(wrong, std::span(&value, 1)), std::invalid_argument);
}

TEST(ExportedInstance, says_which_status_an_exception_means) {
    Fixture<Integrator> integrator(Version::v2, Kind::model_exchange);
    EXPECT_EQ(integrator.model.status_of(Discard("")), Status::discard);
    EXPECT_EQ(integrator.model.status_of(Fatal("")), Status::fatal);
    EXPECT_EQ(integrator.model.status_of(std::runtime_error("")), Status::error);
}

TEST(ExportedInstance, is_as_new_after_reset) {
    Fixture<Ball> ball(Version::v2, Kind::co_simulation);
    ball.start();
    ball.instance->do_step(0.0, 1.0);
    ball.instance->reset();
    EXPECT_EQ(ball.get("h"), 1.0);
    ball.start();
    EXPECT_EQ(ball.instance->do_step(0.0, 0.1).outcome, DoStepOutcome::complete);
    EXPECT_NEAR(ball.get("h"), 1.0 - 0.5 * 9.81 * 0.01, 1e-8);
}

TEST(ExportedClocks, tick_when_the_importer_says_so) {
    Fixture<Ticker> ticker(Version::v3, Kind::model_exchange);
    ticker.start();
    const ValueReference tick = ticker.reference("tick");
    const ValueReference carry = ticker.reference("carry");
    EXPECT_EQ(ticker.instance->clock_timing(tick)->interval, 0.1);
    EXPECT_FALSE(ticker.instance->clock_timing(carry));
    bool active = true;
    for (int k = 1; k <= 2; ++k) {
        ticker.instance->set_clock(tick, true);
        EXPECT_EQ(ticker.instance->update_discrete_states().again, k == 2);
        ticker.instance->get_clock(tick, active);
        EXPECT_FALSE(active);
        ticker.instance->get_clock(carry, active);
        EXPECT_EQ(active, k == 2);
    }
    EXPECT_FALSE(ticker.instance->update_discrete_states().again);
    ticker.instance->get_clock(carry, active);
    EXPECT_FALSE(active);
    EXPECT_THROW(ticker.instance->set_clock(carry, true), std::invalid_argument);
}

TEST(ExportedClocks, tick_by_time_events_where_the_version_has_no_clocks) {
    Fixture<Ticker> ticker(Version::v2, Kind::model_exchange);
    ticker.start();
    EXPECT_FALSE(ticker.description.find("tick"));
    for (int k = 0; k < 3; ++k) {
        ticker.instance->set_time(0.1 * k);
        while (ticker.instance->update_discrete_states().again) {
        }
    }
    const std::vector<ValueReference> count = {ticker.reference("count")};
    Values values;
    ticker.instance->get(ValueType::int32, count, values);
    EXPECT_EQ(values.integers, (std::vector<std::int64_t>{3}));
}
