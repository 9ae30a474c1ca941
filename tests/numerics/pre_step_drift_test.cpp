// The estimate of pre_step must not make things worse: free bodies, and pairs that are not linear.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/system_file.hpp"

namespace tandem::test {
namespace {

/// Two bodies in space that spin, with a spring and a damper between points of them.
std::string bodies(const std::string& kind, double step) {
    std::string text =
        fmt::format(
            "[experiment]\nstop = 1.5\nstep = {}\ntolerance = 1e-9\n[record]\nvariables = "
            "[\"*.r\", \"*.q\"]\n",
            step) +
        subsystem_text("a", "RigidBody3D", kind,
                       "m = 2, J = [0.05, 0.08, 0.1], offset1 = [0.3, 0.1, 0], w = [2, -1, 4], "
                       "v = [0.1, 0, -0.2]") +
        "solver = \"dopri5\"\n" +
        subsystem_text("b", "RigidBody3D", kind,
                       "m = 1, J = [0.03, 0.04, 0.02], offset1 = [-0.3, 0, 0.1], r = [0.7, 0.2, "
                       "0], w = [-1, 3, 0.5]") +
        "solver = \"dopri5\"\n";
    for (const auto& [to, from] :
         std::vector<std::pair<std::string, std::string>>{{"a", "b"}, {"b", "a"}})
        for (int i = 1; i <= 3; ++i)
            text += fmt::format(
                "[[functions]]\ntarget = \"{0}.F1[{2}]\"\nexpression = \"1000*(p-q) + 2*(v-w)\"\n"
                "signals = {{ p = \"{1}.r1[{2}]\", q = \"{0}.r1[{2}]\", v = \"{1}.v1[{2}]\", w = "
                "\"{0}.v1[{2}]\" }}\n",
                to, from, i);
    return text;
}

Columns run_with(SystemFile& file, const std::string& method,
                 const std::vector<std::string>& options = {}) {
    run::SystemRunOptions run = file.options();
    run.coupling = method;
    run.options = options;
    return numbers_of(file.run_text(run));
}

double distance(const Columns& exact, const Columns& run) {
    double largest = 0.0;
    for (const auto& [name, values] : exact)
        for (std::size_t k = 0; k < values.size(); ++k)
            largest = std::max(largest, std::abs(values[k] - run.at(name)[k]));
    return largest;
}

TEST(PreStepDrift, is_none_of_two_bodies_in_space) {
    SystemFile file(bodies("native", 2.5e-3));
    const Columns exact = run_with(file, "aggregate");
    for (const std::string form : {"linear", "mean", "interpolated", "variational_linear"}) {
        const std::string inputs = "optimisation=" + form;
        const double by_default = distance(exact, run_with(file, "pre_step", {inputs}));
        const double off = distance(exact, run_with(file, "pre_step", {inputs, "error=off"}));
        EXPECT_LT(by_default, 1.5 * off) << form;
        EXPECT_LT(off, 0.2) << form << ", a motion of size 1";
    }
}

/// Masses, springs and dampers of any size, some without a spring of their own; the force between
/// them bends.
std::string random_pair(std::mt19937& random) {
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    const auto between = [&](double low, double high) {
        return low * std::pow(high / low, unit(random));
    };
    std::string text = fmt::format(
        "[experiment]\nstop = 3\nstep = {}\ntolerance = 1e-9\n[record]\nvariables = "
        "[\"*.x\", \"*.v\"]\n",
        between(2e-3, 2e-2));
    for (const std::string name : {"a", "b"})
        text +=
            subsystem_text(name, "TlmMass", "native",
                           fmt::format("m = {}, k = {}, d = {}, x = {}, v = {}", between(0.5, 2.0),
                                       unit(random) < 0.4 ? 0.0 : between(1.0, 300.0),
                                       unit(random) < 0.4 ? 0.0 : between(0.1, 3.0),
                                       unit(random) - 0.5, 2.0 * unit(random) - 1.0)) +
            "solver = \"dopri5\"\n";
    const double stiffness = between(30.0, 500.0), bend = between(0.1, 3.0);
    for (const auto& [to, from] :
         std::vector<std::pair<std::string, std::string>>{{"a", "b"}, {"b", "a"}})
        text += fmt::format(
            "[[functions]]\ntarget = \"{0}.F\"\nexpression = \"{2}*(p-q)*(1 + {3}*(p-q)^2) + "
            "tanh(v-w)\"\nsignals = {{ p = \"{1}.x\", q = \"{0}.x\", v = \"{1}.v\", w = \"{0}.v\" "
            "}}\n",
            to, from, stiffness, bend);
    return text;
}

TEST(PreStepDrift, is_none_of_random_pairs_that_are_not_linear) {
    std::mt19937 random(20261117);
    for (int i = 0; i < 12; ++i) {
        SystemFile file(random_pair(random));
        const Columns exact = run_with(file, "aggregate");
        const double by_default = distance(exact, run_with(file, "pre_step"));
        const double off = distance(exact, run_with(file, "pre_step", {"error=off"}));
        EXPECT_LT(by_default, 2.0 * off + 1e-7) << "pair " << i;
    }
}

}  // namespace
}  // namespace tandem::test
