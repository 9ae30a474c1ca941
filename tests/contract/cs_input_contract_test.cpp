#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/model_kinds.hpp"
#include "tandem/error.hpp"

namespace tandem::test {
namespace {

class Inputs : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Inputs, ::testing::ValuesIn(all_kinds),
                         [](const auto& kind) { return kind.param; });

std::size_t port(const std::vector<Port>& ports, const std::string& name) {
    for (std::size_t i = 0; i < ports.size(); ++i)
        if (ports[i].name == name) return i;
    throw std::runtime_error("no port " + name);
}

/// The suspension of RaceWheel beyond the kink of its damper, where the indicator vcomp - vk is
/// positive: F = ks comp + c1 vk + c2 (vcomp - vk).
double force_beyond_kink(const Subsystem& wheel, const std::vector<double>& y) {
    constexpr double ks = 60e3, c1 = 3000.0, c2 = 1200.0, vk = 0.02;
    const std::vector<Port>& outputs = wheel.interface().outputs;
    return ks * y[port(outputs, "comp")] + c1 * vk + c2 * (y[port(outputs, "vcomp")] - vk);
}

/// All inputs at their start values.
std::vector<double> start_inputs(Subsystem& wheel) {
    std::vector<double> u(wheel.interface().inputs.size(), 0.0);
    const std::vector<Port>& inputs = wheel.interface().inputs;
    u[port(inputs, "P[3]")] = 0.4;
    // The names of elements of R differ between the versions of FMI, their order does not.
    for (const std::size_t diagonal : {0U, 4U, 8U}) u[port(inputs, "P[3]") + 1 + diagonal] = 1.0;
    u[port(inputs, "gb[3]")] = -9.81;
    u[port(inputs, "mu")] = 1.6;
    return u;
}

TEST_P(Inputs, that_jump_between_two_steps_switch_what_their_indicators_say) {
    const auto wheel = make_kind("RaceWheel", GetParam());
    wheel->enter_initialisation({0.0, 1.0, tight});
    std::vector<double> u = start_inputs(*wheel);
    wheel->set_inputs({.values = u});
    wheel->exit_initialisation();
    ASSERT_TRUE(wheel->step({0.0, 1e-3}));
    u[port(wheel->interface().inputs, "V[3]")] = -0.1;
    wheel->set_inputs({.values = u});
    ASSERT_TRUE(wheel->step({1e-3, 2e-3}));
    const std::vector<double> y = outputs_of(*wheel);
    EXPECT_NEAR(y[port(wheel->interface().outputs, "F[3]")], force_beyond_kink(*wheel, y), 1e-6);
}

/// True if the model came to the end of its second step with finite outputs, false if it refused
/// one. `model` begins with inputs of 1.
bool follows(Subsystem& model, double value, double slope) {
    const std::size_t n = model.interface().inputs.size();
    const std::vector<double> usual(n, 1.0), values(n, value), slopes(n, slope);
    try {
        model.set_inputs({.values = usual});
        if (!model.step({0.0, 0.01})) return false;
        model.set_inputs({.values = values, .derivatives = slopes, .order = 1});
        if (!model.step({0.01, 0.02})) return false;
        for (const double y : outputs_of(model)) EXPECT_TRUE(std::isfinite(y)) << y;
        return true;
    } catch (const NumericsError&) {
    } catch (const FmuError&) {
    }
    return false;
}

// LinearOde is solved by cvode, Plant by dopri5 where the FMU has the solver.
TEST_P(Inputs, that_no_solver_can_follow_are_refused) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    for (const std::string name : {"LinearOde", "Plant"}) {
        if (make_kind(name, GetParam())->interface().capabilities.input_derivatives < 1) continue;
        const auto is_followed = [&](double value, double slope) {
            const auto model = make_kind(name, GetParam());
            initialise(*model, 1.0);
            return follows(*model, value, slope);
        };
        EXPECT_TRUE(is_followed(2.0, 3.0)) << name;
        for (const double value : {0.0, 1e300, 1e308})
            for (const double slope : {1e12, -1e300, 1e305, 1e308, infinite, std::nan("")}) {
                const bool can_be = std::abs(slope) < 1e100;  // otherwise it only has to end
                EXPECT_FALSE(is_followed(value, slope) && !can_be)
                    << name << ' ' << value << ' ' << slope;
            }
        EXPECT_FALSE(is_followed(infinite, 0.0)) << name;
        EXPECT_FALSE(is_followed(std::nan(""), 0.0)) << name;
    }
}

}  // namespace
}  // namespace tandem::test
