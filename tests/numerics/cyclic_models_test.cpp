#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "kit/native_ode.hpp"
#include "support/stepped_system.hpp"

namespace tandem {
namespace {

using test::SteppedSystem;
using Parameters = std::map<std::string, double>;

const std::vector<std::string> stepping_kinds = {"native", "fmi1_cs", "fmi2_cs", "fmi3_cs"};

/// The outputs of a model without memory for these inputs.
double output(const std::string& model, const std::string& kind, const Parameters& parameters,
              const std::vector<double>& u) {
    const auto subsystem = test::make_kind(model, kind);
    for (const auto& [name, value] : parameters) test::write(*subsystem, name, {{value}, {}, {}});
    test::initialise(*subsystem, 1.0);
    subsystem->set_inputs({u});
    EXPECT_TRUE(subsystem->step({0.0, 0.25}));
    return test::read(*subsystem, "y").reals[0];
}

TEST(CyclicModels, without_memory_are_functions_of_their_inputs_and_of_time) {
    for (const std::string& kind : test::all_kinds) {
        EXPECT_DOUBLE_EQ(
            output("Polynomial", kind, {{"c0", 1.0}, {"c1", 2.0}, {"c2", -0.25}, {"c11", 0.5}},
                   {3.0, 8.0}),
            1.0 + 6.0 - 2.0 + 4.5)
            << kind;
        EXPECT_DOUBLE_EQ(output("Exponential", kind, {{"gain", 3.0}}, {0.5}), 3.0 * std::exp(-0.5))
            << kind;
        EXPECT_DOUBLE_EQ(
            output("SineSource", kind,
                   {{"offset", 1.0}, {"amplitude", 2.0}, {"omega", 4.0}, {"phase", 0.5}}, {}),
            1.0 + 2.0 * std::sin(1.5))
            << kind;
    }
}

// z = 1, 0, -2 and a tiny and a huge one, where one term alone decides.
TEST(CyclicModels, solve_the_cubic_equation_to_rounding) {
    for (const auto& [u, z] :
         {std::pair{2.0, 1.0}, {0.0, 0.0}, {-10.0, -2.0}, {1e-9, 1e-9}, {1e30, 1e10}})
        EXPECT_NEAR(output("CubicRoot", "native", {}, {u}), z, 4e-16 * std::abs(z)) << u;
}

/// Derivatives and outputs at the time 0.3, states and inputs together in `point`.
std::vector<double> evaluate(kit::NativeOde& ode, const std::vector<double>& point) {
    const std::size_t n = ode.shape().states.size();
    std::vector<double> values(n + ode.shape().outputs.size());
    const std::span<const double> all(point);
    EXPECT_TRUE(ode.set_point({0.3, all.first(n), all.subspan(n)}));
    EXPECT_TRUE(ode.derivatives(std::span(values).first(n)));
    EXPECT_TRUE(ode.outputs(std::span(values).subspan(n)));
    return values;
}

// Central differences with h = 1e-5 err by h^2 and by rounding: 1e-16/h of values up to 1000.
TEST(CyclicModels, know_their_exact_jacobians) {
    for (const std::string model :
         {"Polynomial", "Exponential", "CubicRoot", "FirstOrder", "BspK6Node", "BspK6Branch"}) {
        kit::NativeOde ode(test::library_of(model).model_class(), model);
        ode.enter_initialisation({0.0, 1.0, 1e-8});
        ode.exit_initialisation();
        const std::size_t n = ode.shape().states.size();
        const std::vector<double> point(n + ode.shape().inputs.size(), 0.7);
        for (std::size_t k = 0; k < point.size(); ++k) {
            std::vector<double> plus = point, minus = point, seed(point.size(), 0.0);
            plus[k] += 1e-5;
            minus[k] -= 1e-5;
            seed[k] = 1.0;
            const std::vector<double> high = evaluate(ode, plus), low = evaluate(ode, minus);
            std::vector<double> exact = evaluate(ode, point);
            const std::span<double> all(exact);
            ASSERT_TRUE(ode.jacobian_times(std::span(seed).first(n), std::span(seed).subspan(n),
                                           all.first(n), all.subspan(n)));
            for (std::size_t i = 0; i < exact.size(); ++i)
                EXPECT_NEAR(exact[i], (high[i] - low[i]) / 2e-5, 1e-8 * (1.0 + std::abs(exact[i])))
                    << model << i << k;
        }
    }
}

TEST(CyclicModels, of_first_order_give_the_step_of_implicit_euler_that_is_computed_by_hand) {
    for (const std::string& kind : stepping_kinds) {
        const auto model = test::make_kind("FirstOrderEuler", kind);
        test::write(*model, "x", {{2.0}, {}, {}});
        test::write(*model, "a", {{-3.0}, {}, {}});
        test::write(*model, "b2", {{-4.0}, {}, {}});
        test::initialise(*model, 1.0);
        EXPECT_EQ(test::read(*model, "y").reals[0], 2.0) << kind;
        const std::vector<double> u = {5.0, 0.5};
        model->set_inputs({u});
        ASSERT_TRUE(model->step({0.0, 0.1}));
        // x + h (5 - 2) over 1 + 3 h
        EXPECT_NEAR(test::read(*model, "x").reals[0], 2.3 / 1.3, 1e-15) << kind;
        EXPECT_EQ(test::read(*model, "y"), test::read(*model, "x")) << kind;
    }
}

// Also after another step was tried in between. A solver that goes on with its history, instead of
// being put back to the same point, agrees within its tolerance only: so all steps are repeated.
TEST(CyclicModels, repeat_a_step_bit_for_bit_from_a_saved_state) {
    for (const std::string model :
         {"FirstOrderEuler", "FirstOrder", "BspK6NodeEuler", "BspK6BranchEuler", "BspK6Node",
          "BspK6Branch", "Polynomial", "CubicRoot", "Exponential", "SineSource"})
        for (const std::string kind : {"native", "fmi2_cs", "fmi3_cs"}) {
            const auto subsystem = test::make_kind(model, kind);
            test::initialise(*subsystem, 1.0);
            const std::size_t inputs = subsystem->interface().inputs.size();
            const std::vector<double> u(inputs, 0.3), other(inputs, -2.0);
            const auto outputs_after = [&](const std::vector<double>& given, double end) {
                subsystem->set_inputs({given});
                EXPECT_TRUE(subsystem->step({0.1, end}));
                return test::outputs_of(*subsystem);
            };
            subsystem->set_inputs({u});
            ASSERT_TRUE(subsystem->step({0.0, 0.1}));
            subsystem->save(StateSlot::step_begin);
            subsystem->restore(StateSlot::step_begin);
            const std::vector<double> first = outputs_after(u, 0.2);
            subsystem->restore(StateSlot::step_begin);
            EXPECT_NE(outputs_after(other, 0.15), first) << model << kind;
            subsystem->restore(StateSlot::step_begin);
            EXPECT_EQ(outputs_after(u, 0.2), first) << model << kind;
        }
}

/// With the exchanged values solved to 1e-13, errors of G and rounding over 500 steps stay below
/// 1e-12.
constexpr double exchanged = 1e-13, discrete = 1e-12;

void advance(SteppedSystem& system, int from, int to, double h) {
    for (int k = from; k < to; ++k) system.step({k * h, (k + 1) * h}, exchanged);
}

TEST(CyclicModels, make_the_chain_of_the_documented_values) {
    SteppedSystem system;
    const auto a = system.add("SineSource", "native", {{"omega", 2.0}});
    const auto b = system.add("FirstOrderEuler", "native");
    const auto c = system.add("Polynomial", "native", {{"c0", 1.0}, {"c1", 2.0}});
    const auto d = system.add("Polynomial", "native", {{"c1", 0.0}, {"c11", 1.0}});
    const auto e = system.add("FirstOrderEuler", "native", {{"x", 0.5}, {"a", 0.0}, {"b2", -1.0}});
    system.connect(a, "y", b, "u1");
    system.connect(b, "y", c, "u1");
    system.connect(b, "y", d, "u1");
    system.connect(c, "y", e, "u1");
    system.connect(d, "y", e, "u2");
    system.start();
    advance(system, 0, 100, 0.01);
    EXPECT_NEAR(system.value(b, "y"), 0.4958652507097253, discrete);
    EXPECT_NEAR(system.value(e, "y"), 1.8603096248611488, discrete);
    advance(system, 100, 200, 0.01);
    EXPECT_NEAR(system.value(b, "y"), 0.16044408592089315, discrete);
    EXPECT_NEAR(system.value(e, "y"), 3.539445103912058, discrete);
}

// The documented values were iterated to 1e-12 in each of 500 steps, and are that inexact.
TEST(CyclicModels, make_the_one_cycle_of_the_documented_values) {
    SteppedSystem system;
    const auto s1 = system.add("FirstOrderEuler", "fmi2_cs", {{"x", 1.0}, {"a", 0.0}});
    const auto s2 = system.add("FirstOrderEuler", "fmi3_cs", {{"a", -0.4}, {"b1", -4.0}});
    system.connect(s1, "y", s2, "u1");
    system.connect(s2, "y", s1, "u1");
    system.start();
    advance(system, 0, 100, 0.01);
    EXPECT_NEAR(system.value(s1, "x"), -0.2498364553458646, discrete);
    EXPECT_NEAR(system.value(s2, "x"), -1.4769436478267282, discrete);
    advance(system, 100, 500, 0.01);
    EXPECT_NEAR(system.value(s1, "x"), -0.30838984500064215, 1e-11);
    EXPECT_NEAR(system.value(s2, "x"), 0.3238681022402602, 1e-11);
}

TEST(CyclicModels, make_the_two_cycles_of_the_documented_values) {
    SteppedSystem system;
    const auto p = system.add("SineSource", "native", {{"offset", 1.0}, {"amplitude", 0.0}});
    const auto q = system.add("Polynomial", "native", {{"c2", 0.5}});
    const auto r = system.add("FirstOrderEuler", "native");
    const auto s = system.add("Polynomial", "native", {{"c2", -0.25}});
    const auto t = system.add("FirstOrderEuler", "native");
    const auto u = system.add("FirstOrderEuler", "native", {{"a", 0.0}});
    const auto w = system.add("Polynomial", "native", {{"c0", 1.0}, {"c1", 0.3}});
    system.connect(p, "y", q, "u1");
    system.connect(r, "y", q, "u2");
    system.connect(q, "y", r, "u1");
    system.connect(q, "y", s, "u1");
    system.connect(t, "y", s, "u2");
    system.connect(s, "y", t, "u1");
    system.connect(t, "y", u, "u1");
    system.connect(w, "y", w, "u1");
    system.start();
    advance(system, 0, 100, 0.01);
    EXPECT_NEAR(system.value(r, "x"), 0.7854264476577836, discrete);
    EXPECT_NEAR(system.value(t, "x"), 0.7132887629777248, discrete);
    EXPECT_NEAR(system.value(u, "x"), 0.4010278314915991, discrete);
    EXPECT_NEAR(system.value(w, "y"), 1.4285714285714286, discrete);
    advance(system, 100, 400, 0.01);
    EXPECT_NEAR(system.value(r, "x"), 1.7279772084833191, discrete);
    EXPECT_NEAR(system.value(t, "x"), 1.416798128573145, discrete);
    EXPECT_NEAR(system.value(u, "x"), 3.8841797303548855, discrete);
}

TEST(CyclicModels, make_the_dae_of_the_documented_values) {
    SteppedSystem system;
    const auto s1 = system.add("FirstOrderEuler", "native", {{"x", 2.0}});
    const auto s2 = system.add("CubicRoot", "native");
    system.connect(s1, "y", s2, "u");
    system.connect(s2, "y", s1, "u1");
    system.start();
    advance(system, 0, 100, 0.01);
    EXPECT_NEAR(system.value(s1, "x"), 1.2888858021690341, discrete);
    EXPECT_NEAR(system.value(s2, "y"), 0.7920321715480578, discrete);
    advance(system, 100, 500, 0.01);
    EXPECT_NEAR(system.value(s1, "x"), 0.49041917447811156, discrete);
    EXPECT_NEAR(system.value(s2, "y"), 0.4175960678584203, discrete);
}

/// y_i = b_i - the other two times their coefficients in row i of a matrix with unit diagonal.
std::vector<double> solution_of_ring(const std::vector<std::vector<double>>& rows) {
    SteppedSystem system;
    for (std::size_t i = 0; i < 3; ++i)
        system.add("Polynomial", "native",
                   {{"c0", static_cast<double>(i + 1)},
                    {"c1", -rows[i][i == 0 ? 1 : 0]},
                    {"c2", -rows[i][i == 2 ? 1 : 2]}});
    for (std::size_t i = 0; i < 3; ++i) {
        system.connect(i == 0 ? 1 : 0, "y", i, "u1");
        system.connect(i == 2 ? 1 : 2, "y", i, "u2");
    }
    system.start();
    EXPECT_LE(system.step({0.0, 0.1}, exchanged), 3);
    return {system.value(0, "y"), system.value(1, "y"), system.value(2, "y")};
}

void expect_near(const std::vector<double>& seen, const std::vector<double>& expected) {
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(seen[i], expected[i], discrete) << i;
}

TEST(CyclicModels, make_both_rings_in_which_the_order_matters) {
    expect_near(solution_of_ring({{1.0, 0.8, 0.8}, {0.8, 1.0, 0.8}, {0.8, 0.8, 1.0}}),
                {-4.2307692307692335, 0.7692307692307695, 5.769230769230772});
    expect_near(solution_of_ring({{1.0, 2.0, -2.0}, {1.0, 1.0, 1.0}, {2.0, 2.0, 1.0}}),
                {-1.0, 2.0, 1.0});
}

// Five Newton steps are documented, from (1, 1): the sixth residual confirms.
TEST(CyclicModels, make_the_nonlinear_pair) {
    SteppedSystem system;
    const auto s1 = system.add("Exponential", "native", {{"gain", 3.0}});
    const auto s2 = system.add("Polynomial", "native", {{"c1", 0.0}, {"c11", 0.5}});
    system.connect(s2, "y", s1, "u");
    system.connect(s1, "y", s2, "u1");
    system.start(Eigen::Vector2d(1.0, 1.0));
    EXPECT_LE(system.step({0.0, 0.1}, 1e-12), 6);
    EXPECT_NEAR(system.value(s1, "y"), 1.2957686598253555, discrete);
    EXPECT_NEAR(system.value(s2, "y"), 0.839508209892799, discrete);
}

/// Of s2.x at t = 5 in the example one_cycle, with solvers inside.
double error_of_one_cycle(SteppedSystem::Inputs inputs, double h) {
    SteppedSystem system(inputs);
    const auto s1 = system.add("FirstOrder", "native", {{"x", 1.0}, {"a", 0.0}});
    const auto s2 = system.add("FirstOrder", "native", {{"a", -0.4}, {"b1", -4.0}});
    system.connect(s1, "y", s2, "u1");
    system.connect(s2, "y", s1, "u1");
    system.start(Eigen::Vector2d(1.0, 0.0));
    const int steps = static_cast<int>(std::lround(5.0 / h));
    for (int k = 0; k < steps; ++k) system.step({k * h, (k + 1) * h}, 1e-10);
    return std::abs(system.value(s2, "x") - 0.3706914139692117);
}

// The next term of the error is smaller by about the step times the frequency, 0.04.
TEST(CyclicModels, with_solvers_inside_err_by_the_step_or_with_linear_inputs_by_its_square) {
    const auto ratio = [](SteppedSystem::Inputs inputs) {
        return error_of_one_cycle(inputs, 0.02) / error_of_one_cycle(inputs, 0.01);
    };
    EXPECT_NEAR(ratio(SteppedSystem::Inputs::constant), 2.0, 0.1);
    EXPECT_NEAR(ratio(SteppedSystem::Inputs::linear), 4.0, 0.2);
}

}  // namespace
}  // namespace tandem
