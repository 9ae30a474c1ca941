#include <gtest/gtest.h>

#include "ode/host/hosted_ode.hpp"
#include "support/race_car_group.hpp"

namespace tandem::test {
namespace {

using ode::GroupWiring;

class NestedGroup : public ::testing::TestWithParam<std::string> {
protected:
    std::unique_ptr<ode::OdeModel> linear(const std::string& name, double x, double c, double d) {
        auto model = shop_.make("LinearOde", GetParam(), name);
        set_real(*model, "x", x);
        set_real(*model, "c", c);
        set_real(*model, "d", d);
        return model;
    }

    /// A reset of the state of the first member when it falls below 4, written in C++.
    static ode::GroupEvent kick(const ode::OdeModel& first) {
        const auto& list = const_cast<ode::OdeModel&>(first).variables().list();
        std::size_t x = 0;
        while (list[x].name != "x") ++x;
        ode::GroupEvent event;
        event.name = "kick";
        event.direction = ode::GroupEvent::Direction::falling;
        event.indicator = [](double, std::span<const double> s) { return s[0] - 4.0; };
        event.signals = {{0, x, 0}};
        event.actions.push_back(
            {{0, x, 0}, [](double, std::span<const double> s) { return 2.0 * s[0]; }});
        return event;
    }

    /// a.y -> b.u -> b.y -> c.u -> c.y -> a.u, all seen at once: one loop of three.
    std::unique_ptr<ode::OdeGroup> flat() {
        std::vector<std::unique_ptr<ode::OdeModel>> members;
        members.push_back(linear("a", 9.0, 1.0, -1.0));
        members.push_back(linear("b", 2.0, 0.0, 0.5));
        members.push_back(linear("c", 1.0, 0.1, 1.0));
        GroupWiring wiring{{{0, 1}, {1, 2}, {2, 0}}, {}};
        wiring.events = {kick(*members[0])};
        return std::make_unique<ode::OdeGroup>("flat", std::move(members), std::move(wiring));
    }

    /// The same, with a and b a group inside: the loop goes through its ports.
    std::unique_ptr<ode::OdeGroup> nested() {
        std::vector<std::unique_ptr<ode::OdeModel>> inside;
        inside.push_back(linear("a", 9.0, 1.0, -1.0));
        inside.push_back(linear("b", 2.0, 0.0, 0.5));
        GroupWiring wiring{{{0, 1}}, {}};
        wiring.events = {kick(*inside[0])};
        std::vector<std::unique_ptr<ode::OdeModel>> members;
        members.push_back(
            std::make_unique<ode::OdeGroup>("inner", std::move(inside), std::move(wiring)));
        members.push_back(linear("c", 1.0, 0.1, 1.0));
        return std::make_unique<ode::OdeGroup>("outer", std::move(members),
                                               GroupWiring{{{1, 1}, {2, 0}}, {}});
    }

    static std::unique_ptr<ode::HostedOde> hosted(std::unique_ptr<ode::OdeModel> model,
                                                  ode::Method method) {
        ode::HostedOdeOptions options;
        options.solver.method = method;
        options.solver.relative_tolerance = 1e-10;
        auto host = std::make_unique<ode::HostedOde>(std::move(model), options);
        host->enter_initialisation({});
        host->exit_initialisation();
        return host;
    }

    OdeShop shop_{TANDEM_FMU_DIR};
};
INSTANTIATE_TEST_SUITE_P(Kinds, NestedGroup, ::testing::Values("native", "fmi2", "fmi3"),
                         [](const auto& kind) { return kind.param; });

TEST_P(NestedGroup, moves_as_the_flat_one) {
    for (const ode::Method method : {ode::Method::dopri5, ode::Method::cvode_bdf}) {
        const auto whole = hosted(flat(), method);
        const auto parts = hosted(nested(), method);
        for (const auto* host : {&whole, &parts}) {
            ASSERT_TRUE((*host)->step({0.0, 3.0}));
            EXPECT_EQ((*host)->statistics().state_events, 2);
        }
        // Each is solved to 1e-10.
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_NEAR(whole->states()[i], parts->states()[i], 1e-7) << i;
    }
}

TEST_P(NestedGroup, has_the_jacobian_of_the_flat_one) {
    const auto whole = hosted(flat(), ode::Method::dopri5);
    const auto parts = hosted(nested(), ode::Method::dopri5);
    std::vector<double> a(9), b(9);
    whole->jacobian(ode::JacobianBlock::a, a);
    parts->jacobian(ode::JacobianBlock::a, b);
    // Linear models with exact blocks: only rounding is left.
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12) << i;
}

TEST_P(NestedGroup, calls_ports_and_states_by_all_names_on_the_way) {
    const auto outer = nested();
    const ode::OdeShape& shape = outer->shape();
    EXPECT_EQ(shape.states[1].name, "inner.b.x");
    EXPECT_EQ(shape.states[2].name, "c.x");
    EXPECT_TRUE(shape.inputs.empty());
    EXPECT_EQ(outer->indicator_name(0), "the external event 'kick'");
}

TEST_P(NestedGroup, goes_back_to_where_it_was_saved) {
    const auto host = hosted(nested(), ode::Method::dopri5);
    ASSERT_TRUE(host->step({0.0, 0.5}));
    host->save(StateSlot::step_begin);
    const auto run = [&] {
        host->restore(StateSlot::step_begin);
        EXPECT_TRUE(host->step({0.5, 3.0}));
        return std::vector<double>(host->states().begin(), host->states().end());
    };
    const auto first = run();
    EXPECT_EQ(first, run());
    // As bytes, into another one of the same kind.
    std::vector<std::byte> bytes;
    host->restore(StateSlot::step_begin);
    host->serialise(bytes);
    const auto other = hosted(nested(), ode::Method::dopri5);
    other->deserialise(bytes);
    ASSERT_TRUE(other->step({0.5, 3.0}));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(other->states()[i], first[i], 1e-9);
}

}  // namespace
}  // namespace tandem::test
