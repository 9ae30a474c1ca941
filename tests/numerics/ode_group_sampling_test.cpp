// A sampled controller inside nested groups.

#include <gtest/gtest.h>

#include <cmath>

#include "ode/host/hosted_ode.hpp"
#include "support/race_car_group.hpp"

namespace tandem::test {
namespace {

std::size_t index_of(ode::OdeModel& model, const std::string& name) {
    const auto& list = model.variables().list();
    for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i].name == name) return i;
    throw std::runtime_error("no variable " + name);
}

TypedLink link(ode::OdeModel& from, const std::string& output, int member, ode::OdeModel& to,
               const std::string& input) {
    return {{member, index_of(from, output), 0}, {1 - member, index_of(to, input), 0}, {}, -1};
}

class SampledInNestedGroups : public ::testing::TestWithParam<std::string> {
protected:
    OdeShop shop_{TANDEM_ODD_FMUS};

    std::unique_ptr<ode::OdeModel> unit(const std::string& name, double kp, double reference) {
        auto model = shop_.make("SampledUnit", GetParam(), name);
        set_real(*model, "kp", kp);
        set_real(*model, "reference", reference);
        return model;
    }

    /// The sensor says what it sees, and the controller sees that.
    std::unique_ptr<ode::OdeModel> sensor_and_controller() {
        std::vector<std::unique_ptr<ode::OdeModel>> members;
        members.push_back(unit("controller", 2.0, 1.0));
        members.push_back(unit("sensor", -1.0, 0.0));
        ode::GroupWiring wiring;
        wiring.typed = {link(*members[1], "u", 1, *members[0], "y")};
        return std::make_unique<ode::OdeGroup>("inner", std::move(members), std::move(wiring));
    }
};
// An FMU of FMI 1.0 takes its first sample when the inner group is initialised: too early.
INSTANTIATE_TEST_SUITE_P(Kinds, SampledInNestedGroups, ::testing::Values("native", "fmi2", "fmi3"),
                         [](const auto& kind) { return kind.param; });

// dx/dt = -x + u with u_k = 2 (1 - x_k) held over the period T = 0.1:
// x_(k+1) = e x_k + (1 - e) u_k, e = exp(-T).
TEST_P(SampledInNestedGroups, sees_the_state_of_the_same_instant_through_an_inner_group) {
    std::vector<std::unique_ptr<ode::OdeModel>> members;
    members.push_back(sensor_and_controller());
    members.push_back(shop_.make("HiddenVariables", GetParam(), "plant"));
    ode::GroupWiring wiring;
    wiring.typed = {link(*members[1], "x", 1, *members[0], "sensor.y")};
    const auto& outputs = members[0]->shape().outputs;
    ASSERT_EQ(outputs.front().name, "controller.u");
    wiring.links = {{.output = 0, .input = 0}};
    ode::HostedOdeOptions options;
    options.solver.relative_tolerance = 1e-10;
    ode::HostedOde host(
        std::make_unique<ode::OdeGroup>("outer", std::move(members), std::move(wiring)), options);
    host.enter_initialisation({});
    host.exit_initialisation();
    double x = 1.0;
    for (int k = 0; k < 20; ++k) {
        ASSERT_EQ(host.step({0.1 * k, 0.1 * (k + 1)}).outcome, Outcome::complete);
        x = std::exp(-0.1) * x - std::expm1(-0.1) * 2.0 * (1.0 - x);
        ASSERT_NEAR(host.states()[0], x, 1e-8) << k;
    }
}

}  // namespace
}  // namespace tandem::test
