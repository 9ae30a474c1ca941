// What every hosted ODE promises, whatever the method of its solver.

#include <gtest/gtest.h>

#include <cmath>

#include "support/allocation_counter.hpp"
#include "support/hosting.hpp"
#include "support/test_models.hpp"

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
using test::VanDerPol;

class OdeContract : public ::testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, OdeContract, ::testing::ValuesIn(test::all_methods),
                         test::method_suffix);

std::vector<double> states_of(const HostedOde& host) {
    return {host.states().begin(), host.states().end()};
}

/// States after each of some steps from `first` * 0.1 on.
std::vector<std::vector<double>> run(HostedOde& host, int first, int count) {
    std::vector<std::vector<double>> result;
    for (int k = first; k < first + count; ++k) {
        host.step({0.1 * k, 0.1 * (k + 1)});
        result.push_back(states_of(host));
    }
    return result;
}

template <class Model>
void expect_replay(Method method) {
    const auto host = hosted<Model>(method, 1e-6);
    run(*host, 0, 7);
    host->save(StateSlot::step_begin);
    run(*host, 7, 20);
    host->restore(StateSlot::step_begin);
    const auto went_on = run(*host, 7, 20);
    host->restore(StateSlot::step_begin);
    EXPECT_EQ(host->time(), 0.1 * 7);
    EXPECT_EQ(run(*host, 7, 20), went_on);
    host->restore(StateSlot::step_begin);
    EXPECT_EQ(run(*host, 7, 20), went_on);
}

TEST_P(OdeContract, runs_restored_from_one_state_repeat_bit_for_bit) {
    expect_replay<VanDerPol>(GetParam());
    expect_replay<BouncingBall>(GetParam());
    expect_replay<Stair>(GetParam());
    expect_replay<Chain>(GetParam());
}

TEST_P(OdeContract, both_slots_are_kept_apart) {
    const auto host = hosted<VanDerPol>(GetParam());
    host->save(StateSlot::step_begin);
    const auto start = states_of(*host);
    run(*host, 0, 3);
    host->save(StateSlot::trial);
    const auto later = states_of(*host);
    host->restore(StateSlot::step_begin);
    EXPECT_EQ(states_of(*host), start);
    EXPECT_EQ(host->time(), 0.0);
    host->restore(StateSlot::trial);
    EXPECT_EQ(states_of(*host), later);
}

template <class Model>
void expect_replay_from_bytes(Method method) {
    const auto original = hosted<Model>(method, 1e-6);
    run(*original, 0, 7);
    std::vector<std::byte> bytes;
    original->serialise(bytes);
    run(*original, 7, 20);
    original->deserialise(bytes);
    const auto went_on = run(*original, 7, 20);
    const auto copy = hosted<Model>(method, 1e-6);
    copy->deserialise(bytes);
    EXPECT_EQ(run(*copy, 7, 20), went_on);
}

TEST_P(OdeContract, runs_from_the_same_bytes_repeat_bit_for_bit) {
    expect_replay_from_bytes<VanDerPol>(GetParam());
    expect_replay_from_bytes<BouncingBall>(GetParam());
    expect_replay_from_bytes<Stair>(GetParam());
}

TEST_P(OdeContract, a_fixed_step_chosen_by_the_solver_survives_serialising) {
    HostedOdeOptions options = options_for(GetParam(), 1e-6);
    options.solver.fixed_step = 0.0;
    const auto original = hosted(std::make_unique<VanDerPol>(), options);
    original->step({0.0, 0.7});
    std::vector<std::byte> bytes;
    original->serialise(bytes);
    original->deserialise(bytes);
    original->step({0.7, 0.8});
    const auto copy = hosted(std::make_unique<VanDerPol>(), options);
    copy->deserialise(bytes);
    copy->step({0.7, 0.8});
    EXPECT_EQ(states_of(*copy), states_of(*original));
}

TEST_P(OdeContract, every_interval_ends_exactly_at_its_end) {
    const auto host = hosted<VanDerPol>(GetParam(), 1e-5);
    for (int k = 0; k < 100; ++k) {
        const double end = 0.03 * (k + 1);
        const StepResult result = host->step({0.03 * k, end});
        ASSERT_EQ(result.outcome, Outcome::complete);
        ASSERT_EQ(result.reached, end);
        ASSERT_EQ(host->time(), end);
    }
}

/// The same numbers as the polynomial 1 + 2 s - 3 s^2 / 2 from time 0 on.
class Parabola final : public Law {
public:
    void evaluate(const LawPoint& point, std::span<double> inputs) const override {
        const double t = point.t;
        inputs[0] = 1.0 + t * (2.0 + t / 2.0 * -3.0);
        inputs[1] = 0.0;
    }
};

TEST_P(OdeContract, a_polynomial_and_the_equal_law_give_equal_results) {
    const auto with_polynomial = hosted<Driven>(GetParam());
    const auto with_law = hosted<Driven>(GetParam());
    const double values[] = {1.0, 0.0};
    const double derivatives[] = {2.0, 0.0, -3.0, 0.0};
    const Parabola law;
    with_polynomial->set_inputs({values, derivatives, 2});
    with_law->set_inputs({.values = values, .law = &law});
    with_polynomial->step({0.0, 1.0});
    with_law->step({0.0, 1.0});
    // Equal formulas, but the differences for the Jacobian of BDF see the law, too: the tolerance.
    EXPECT_NEAR(with_law->states()[0], with_polynomial->states()[0], 1e-7);
    // x' = -x + 1 + 2t - 1.5 t^2, x(0) = 0: x = -1.5 t^2 + 5 t - 4 + 4 exp(-t).
    const double exact = -1.5 + 5.0 - 4.0 + 4.0 * std::exp(-1.0);
    EXPECT_NEAR(with_law->states()[0], exact, GetParam() == Method::euler ? 2e-3 : 1e-6);
}

/// A feedback through the law: u0 = -9 x makes dx = -10 x + 2 u1.
class Feedback final : public Law {
public:
    void evaluate(const LawPoint& point, std::span<double> inputs) const override {
        inputs[0] = -9.0 * point.states[0];
        inputs[1] = 1.0;
    }
};

TEST_P(OdeContract, a_law_sees_the_states_while_they_are_integrated) {
    const auto host = hosted<Driven>(GetParam());
    const double values[] = {0.0, 1.0};
    const Feedback law;
    host->set_inputs({.values = values, .law = &law});
    host->step({0.0, 0.3});
    const double exact = 0.2 * (1.0 - std::exp(-3.0));
    EXPECT_NEAR(host->states()[0], exact, GetParam() == Method::euler ? 1e-3 : 1e-6);
}

TEST_P(OdeContract, exact_jacobians_equal_differences) {
    const auto host = hosted<VanDerPol>(GetParam());
    host->step({0.0, 0.5});
    double a[4];
    host->jacobian(HostedOde::Block::a, a);
    const double x = host->states()[0];
    const double v = host->states()[1];
    OdeModel& model = host->model();
    for (std::size_t j = 0; j < 2; ++j) {
        double point[] = {x, v};
        double plus[2];
        double minus[2];
        const double h = 1e-5;
        point[j] += h;
        ASSERT_TRUE(model.set_point({0.5, point, {}}) && model.derivatives(plus));
        point[j] -= 2.0 * h;
        ASSERT_TRUE(model.set_point({0.5, point, {}}) && model.derivatives(minus));
        // Central differences of a cubic: h^2 = 1e-10 and rounding 1e-16 / 1e-5.
        for (std::size_t i = 0; i < 2; ++i)
            EXPECT_NEAR(a[j * 2 + i], (plus[i] - minus[i]) / (2.0 * h), 1e-8);
    }
}

TEST_P(OdeContract, events_come_in_the_order_of_time_with_both_sides) {
    std::vector<EventNotice> notices;
    HostedOdeOptions options = options_for(GetParam());
    options.on_event = [&](const EventNotice& notice) { notices.push_back(notice); };
    const auto host = hosted(std::make_unique<Relay>(), options);
    for (int k = 0; k < 10; ++k) host->step({1.0 * k, 1.0 * (k + 1)});
    // sin t = 1/2 at pi/6, 5 pi/6, 13 pi/6, 17 pi/6; the time event at 2.
    const double pi = std::acos(-1.0);
    const std::vector<double> expected = {pi / 6, 2.0, 5 * pi / 6, 13 * pi / 6, 17 * pi / 6};
    ASSERT_EQ(notices.size(), 2 * expected.size());
    for (std::size_t i = 0; i < notices.size(); ++i) {
        EXPECT_NEAR(notices[i].t, expected[i / 2], 1e-12);
        EXPECT_EQ(notices[i].after, i % 2 == 1);
        EXPECT_EQ(notices[i].time_event, i / 2 == 1);
        EXPECT_EQ(notices[i].state_event, i / 2 != 1);
    }
}

template <class Model>
long allocations_of_later_steps(Method method) {
    const auto host = hosted<Model>(method, 1e-6);
    std::vector<double> outputs(host->interface().outputs.size());
    const std::vector<double> values(host->interface().inputs.size(), 1.0);
    run(*host, 0, 5);
    host->save(StateSlot::step_begin);
    const test::AllocationCounter counter;
    for (int k = 5; k < 25; ++k) {
        host->save(StateSlot::step_begin);
        host->set_inputs({values});
        host->step({0.1 * k, 0.1 * (k + 1)});
        host->restore(StateSlot::step_begin);
        host->step({0.1 * k, 0.1 * (k + 1)});
        host->get_outputs(outputs);
    }
    return counter.count();
}

TEST_P(OdeContract, steps_events_and_rollback_allocate_nothing_after_the_first_ones) {
    EXPECT_EQ(allocations_of_later_steps<Dahlquist>(GetParam()), 0);
    EXPECT_EQ(allocations_of_later_steps<BouncingBall>(GetParam()), 0);
    EXPECT_EQ(allocations_of_later_steps<Stair>(GetParam()), 0);
    EXPECT_EQ(allocations_of_later_steps<Chain>(GetParam()), 0);
    EXPECT_EQ(allocations_of_later_steps<Relay>(GetParam()), 0);
}

}  // namespace
}  // namespace tandem::ode
