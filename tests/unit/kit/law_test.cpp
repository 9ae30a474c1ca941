// The law extension on the side of the FMU.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "kit/export.hpp"

using namespace tandem;
using namespace tandem::fmi;

namespace {

/// x' = u
class Integrator : public Model {
public:
    Input<double> u{*this, "u"};
    Input<double> v{*this, "v"};
    State x{*this, "x", 1.0, {.output = true}};
    State z{*this, "z", 0.0, {.output = true}};
    inline static int evaluations = 0;
    void derivatives() override {
        ++evaluations;
        x.der = u;
        z.der = v;
    }
};

/// Falls and bounces; the floor is at 0.
class Ball : public Model {
public:
    Input<double> a{*this, "a"};
    State h{*this, "h", 1.0, {.output = true}};
    State v{*this, "v", 0.0, {.output = true}};
    Ball() { has_indicators(1); }
    void derivatives() override {
        h.der = v;
        v.der = a;
    }
    void indicators(std::span<double> z) override { z[0] = h; }
    void event() override {
        if (h > 0.0 || v >= 0.0) return;
        h = 0.0;
        v = -v;
    }
};

/// u = value(point); its own states have rates(point, state_rates).
struct TestLaw : InputLaw {
    std::vector<double> begin;
    std::function<double(const Point&)> value;
    std::function<double(const Point&, std::span<const double>)> rate;
    bool works = true;

    std::size_t state_count() const override { return begin.size(); }
    bool start(std::span<double> own) const override {
        std::ranges::copy(begin, own.begin());
        return true;
    }
    bool evaluate(const Point& point, std::span<double> inputs) const override {
        inputs[0] = value(point);
        return works;
    }
    bool rates(const Point& point, std::span<const double> state_rates,
               std::span<double> own_rates) const override {
        own_rates[0] = rate(point, state_rates);
        return true;
    }
};

template <class T>
struct Fixture {
    explicit Fixture(const std::string& solver = "dopri5", Version version = Version::v2)
        : model_class(kit::make_model_class<T>("Model", {.step_size = 0.1, .solver = solver})),
          model(kit::make_exported_model(model_class)),
          description(model.make_description(version)),
          instance(model.instantiate({version, Kind::co_simulation, {}, ""})) {
        instance->enter_initialization({0.0, std::nullopt, 1e-9});
        instance->exit_initialization();
    }
    ValueReference reference(const std::string& name) const {
        return description.variables[description.find(name).value()].reference;
    }
    double get(const std::string& name) {
        const ValueReference one = reference(name);
        double value = 0.0;
        instance->get(std::span(&one, 1), std::span(&value, 1));
        return value;
    }
    void expect(const std::string& input, const std::vector<double>& nominals) {
        const ValueReference one = reference(input);
        instance->expect_input_law(std::span(&one, 1), nominals);
    }

    kit::ModelClass model_class;
    ExportedModel model;
    ModelDescription description;
    std::unique_ptr<ExportedInstance> instance;
};

/// u = -x: x = exp(-t)
TestLaw feedback() {
    TestLaw law;
    law.value = [](const InputLaw::Point& point) { return -point.states[0]; };
    return law;
}

/// u is a state with u(0) = 0 and u' = -x: x = cos t
TestLaw oscillation() {
    TestLaw law;
    law.begin = {0.0};
    law.value = [](const InputLaw::Point& point) { return point.own[0]; };
    law.rate = [](const InputLaw::Point& point, std::span<const double>) {
        return -point.states[0];
    };
    return law;
}

class SolverInside : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Every, SolverInside,
                         ::testing::Values("cvode", "cvode_adams", "dopri5", "rk4"),
                         [](const auto& solver) { return solver.param; });

TEST_P(SolverInside, follows_a_law_of_the_states) {
    Fixture<Integrator> integrator(GetParam());
    integrator.expect("u", {});
    const TestLaw law = feedback();
    integrator.instance->set_input_law(&law);
    for (int k = 0; k < 10; ++k) integrator.instance->do_step(0.1 * k, 0.1 * (k + 1));
    // A hundred times the tolerance; rk4 has steps of 1e-3.
    EXPECT_NEAR(integrator.get("x"), std::exp(-1.0), 1e-7);
    EXPECT_NEAR(integrator.get("u"), -std::exp(-1.0), 1e-7);
}

TEST_P(SolverInside, integrates_the_states_of_a_law_with_its_own) {
    Fixture<Integrator> integrator(GetParam());
    integrator.expect("u", {1.0, 1.0});
    const TestLaw law = oscillation();
    integrator.instance->set_input_law(&law);
    for (int k = 0; k < 10; ++k) integrator.instance->do_step(0.1 * k, 0.1 * (k + 1));
    EXPECT_NEAR(integrator.get("x"), std::cos(1.0), 1e-7);
    EXPECT_NEAR(integrator.get("u"), -std::sin(1.0), 1e-7);
    integrator.instance->set_input_law(nullptr);
    integrator.instance->do_step(1.0, 2.0);
    EXPECT_NEAR(integrator.get("x"), std::cos(1.0) - std::sin(1.0), 1e-7) << "the input is held";
}

TEST(LawInside, is_told_the_derivatives_of_the_states) {
    Fixture<Integrator> integrator;
    integrator.expect("u", {1.0});
    TestLaw law = oscillation();
    law.begin = {1.0};  // u' = x' = u: u = exp(t)
    law.rate = [](const InputLaw::Point&, std::span<const double> state_rates) {
        return state_rates[0];
    };
    integrator.instance->set_input_law(&law);
    integrator.instance->do_step(0.0, 1.0);
    EXPECT_NEAR(integrator.get("u"), std::exp(1.0), 1e-7);
}

TEST(LawInside, goes_on_behind_an_event) {
    Fixture<Ball> ball;
    ball.expect("a", {1.0});
    TestLaw law = oscillation();  // a = -t by a state of the law
    law.rate = [](const InputLaw::Point&, std::span<const double>) { return -1.0; };
    ball.instance->set_input_law(&law);
    ball.instance->do_step(0.0, 3.0);
    // h = 1 - t^3/6 until it hits the floor, with w = t^2/2 upwards from there.
    const double t1 = std::cbrt(6.0), s = 3.0 - t1;
    EXPECT_NEAR(ball.get("h"), 0.5 * t1 * t1 * s - 0.5 * t1 * s * s - s * s * s / 6.0, 1e-7);
    EXPECT_NEAR(ball.get("a"), -3.0, 1e-9);
}

TEST(LawInside, can_be_another_one_when_a_step_is_repeated) {
    Fixture<Integrator> integrator;
    integrator.expect("u", {1.0});
    const TestLaw first = oscillation(), second = feedback();
    integrator.instance->do_step(0.0, 0.5);
    std::vector<std::byte> state;
    integrator.instance->save_state(state);
    const auto repeated = [&](const TestLaw& law) {
        integrator.instance->restore_state(state);
        integrator.instance->set_input_law(&law);
        integrator.instance->do_step(0.5, 1.0);
        return integrator.get("x");
    };
    const double x = repeated(first);
    EXPECT_NEAR(x, std::cos(0.5), 1e-7);
    EXPECT_NEAR(repeated(second), std::exp(-0.5), 1e-7);
    EXPECT_EQ(repeated(first), x);
    integrator.instance->restore_state(state);
    integrator.instance->do_step(0.5, 1.0);
    EXPECT_NEAR(integrator.get("x"), 1.0, 1e-9) << "a restored state has no law";
}

TEST(LawInside, that_cannot_be_evaluated_discards_the_step) {
    Fixture<Integrator> integrator;
    integrator.expect("u", {});
    TestLaw law = feedback();
    law.works = false;
    integrator.instance->set_input_law(&law);
    const DoStepResult result = integrator.instance->do_step(0.0, 1.0);
    EXPECT_EQ(result.outcome, DoStepOutcome::discarded);
    EXPECT_EQ(integrator.get("x"), 1.0);
    integrator.instance->set_input_law(nullptr);
    EXPECT_EQ(integrator.instance->do_step(0.0, 1.0).outcome, DoStepOutcome::complete);
}

TEST(LawInside, is_refused_before_it_is_announced) {
    Fixture<Integrator> integrator;
    const TestLaw law = feedback();
    EXPECT_THROW(integrator.instance->set_input_law(&law), std::invalid_argument);
    EXPECT_THROW(integrator.expect("x", {}), std::invalid_argument);
    integrator.expect("u", {});
    const TestLaw with_state = oscillation();
    EXPECT_THROW(integrator.instance->set_input_law(&with_state), std::invalid_argument);
}

// After the first few: one step of seven evaluations, one more after a restart, and one where the
// step ended.
TEST(LawInside, takes_one_internal_step_in_a_short_step) {
    Fixture<Integrator> integrator;
    integrator.expect("u", {1.0});
    for (int k = 0; k < 200; ++k) {
        if (k == 100) Integrator::evaluations = 0;
        TestLaw law = oscillation();
        law.begin = {integrator.get("u")};
        integrator.instance->set_input_law(&law);
        integrator.instance->do_step(1e-3 * k, 1e-3 * (k + 1));
    }
    EXPECT_LE(Integrator::evaluations, 900);
}

TEST(HeldInputs, that_jump_cost_no_more_internal_steps) {
    Fixture<Integrator> integrator;
    const ValueReference u = integrator.reference("u");
    for (int k = 0; k < 200; ++k) {
        if (k == 100) Integrator::evaluations = 0;
        const double value = k % 2;
        integrator.instance->set(std::span(&u, 1), std::span(&value, 1));
        integrator.instance->do_step(1e-3 * k, 1e-3 * (k + 1));
    }
    EXPECT_LE(Integrator::evaluations, 900);
}

}  // namespace
