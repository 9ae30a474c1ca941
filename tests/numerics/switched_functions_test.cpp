#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/system_file.hpp"

namespace tandem {
namespace {

using test::Columns;
using test::subsystem_text;
using test::SystemFile;

/// dx/dt = u, and what u is.
std::string integrator(const std::string& kind, const std::string& expression, double stop,
                       const std::string& coupling) {
    return fmt::format("[experiment]\nstop = {}\nstep = 1\ntolerance = 1e-8\n[coupling]\n{}\n",
                       stop, coupling) +
           subsystem_text("a", "LinearOde", kind, "a = 0") +
           fmt::format("[[sources]]\ntarget = \"a.u\"\nexpression = \"{}\"\n", expression);
}

struct Known {
    const char* expression;
    double stop;
    double integral;
};

/// Closed forms. All are constant, or nearly nothing, over most of the run: a solver that looks at
/// the ends of long steps alone does not see them.
std::vector<Known> known_functions() {
    const double above = std::numbers::pi - 2.0 * std::asin(0.9);  // of sin(t) over 0.9, once
    return {{"t >= 3.3 && t < 3.345 ? 10 : 0", 10.0, 0.45},
            {"(t > 3.3) - (t > 3.300001)", 10.0, 1e-6},
            {"sin(t) > 0.9 ? 1 : 0", 10.0, 2.0 * above},
            {"t < 2 ? 1 : t <= 2.25 ? -7 : t == 4 ? 1e9 : 0", 10.0, 0.25},
            {"sign(t - 4)", 10.0, 2.0},
            {"rint(t)", 3.0, 4.5},
            {"t*t - 2*t + 1 < 1e-8 ? 100 : 0", 10.0, 0.02},
            {"atan2(sin(t), cos(t)) > 3.1 ? 1 : 0", 10.0, 2.0 * (std::numbers::pi - 3.1)},
            {"abs(sqrt(t - 1.5) - 0.9) < 0.01 ? 1 : 0", 10.0, 0.91 * 0.91 - 0.89 * 0.89},
            {"t >= 10 ? 1e9 : 1", 10.0, 10.0},
            {"t > 0 ? 1 : 1e9", 10.0, 10.0}};
}

class RelationsOfTime : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

/// Between events the right-hand side is constant, which every method integrates exactly.
TEST_P(RelationsOfTime, are_events_for_every_solver_and_no_pulse_is_stepped_over) {
    const auto& [kind, solver] = GetParam();
    for (const Known& known : known_functions()) {
        SystemFile file(integrator(kind, known.expression, known.stop,
                                   fmt::format("method = \"aggregate\"\nsolver = \"{}\"", solver)));
        EXPECT_NEAR(file.run().at("a.y").back(), known.integral, 1e-9) << known.expression;
    }
}

/// Exact for straight lines, so from second order on.
TEST_P(RelationsOfTime, and_kinks_of_min_max_and_abs_are_stops) {
    const auto& [kind, solver] = GetParam();
    if (std::string(solver) == "euler") GTEST_SKIP() << "is of first order";
    for (const Known& known : {Known{"1000 * max(0, 1 - abs(t - 3)/0.001)", 10.0, 1.0},
                               Known{"min(abs(t - 5), 1, 2)", 10.0, 9.0}}) {
        SystemFile file(integrator(kind, known.expression, known.stop,
                                   fmt::format("method = \"aggregate\"\nsolver = \"{}\"", solver)));
        EXPECT_NEAR(file.run().at("a.y").back(), known.integral, 1e-6) << known.expression;
        EXPECT_EQ(file.report.events, 0) << "nothing jumps";
    }
}

/// x = t, and b integrates a function of x that jumps: zero crossings that only the solver can
/// find. The lines are exact, so is the crossing but for the tolerance.
TEST_P(RelationsOfTime, so_are_relations_of_signals_with_their_sides_held_in_between) {
    const auto& [kind, solver] = GetParam();
    const auto end = [&](const std::string& expression) {
        SystemFile file(
            fmt::format("[experiment]\nstop = 3\nstep = 1\ntolerance = 1e-8\n[coupling]\n"
                        "method = \"aggregate\"\nsolver = \"{}\"\n",
                        solver) +
            subsystem_text("a", "LinearOde", kind, "a = 0, u = 1") +
            subsystem_text("b", "LinearOde", kind, "a = 0") +
            "[[functions]]\ntarget = \"b.u\"\nexpression = \"" + expression +
            "\"\nsignals = { x = \"a.y\" }\n");
        return file.run().at("b.y").back();
    };
    EXPECT_NEAR(end("x > 0.5 ? 1 : -1"), 2.0, 1e-7);
    EXPECT_NEAR(end("x > 0 ? 1 : 1e3"), 3.0, 1e-7);  // leaves zero at the start
    EXPECT_NEAR(end("x >= 0.5 && t < 2 ? 4 : 0"), 6.0, 1e-7);
    EXPECT_NEAR(end("x > 0.5 ? (t > 2.2 ? 3 : 1) : 0"), 1.7 + 2.4, 1e-7);
    EXPECT_NEAR(end("sign(x - 1)"), 1.0, 1e-7);
    EXPECT_NEAR(end("rint(x)"), 4.5, 1e-7);
    EXPECT_NEAR(end("x != 1 ? 1 : 1e3"), 3.0, 1e-7);
}

INSTANTIATE_TEST_SUITE_P(
    All, RelationsOfTime,
    ::testing::Combine(::testing::Values("native", "fmi1_me", "fmi2_me", "fmi3_me"),
                       ::testing::Values("cvode", "cvode_adams", "dopri5", "rk4", "euler")));

TEST(SwitchedFunctions, have_rows_on_both_sides_of_a_jump) {
    SystemFile file(integrator("native", "t >= 3.3 ? 10 : 0", 4.0, "method = \"aggregate\"") +
                    "[record]\nvariables = [\"a.u\", \"a.y\"]\n");
    const Columns columns = file.run();
    std::vector<double> sides;
    for (std::size_t k = 0; k < columns.at("time").size(); ++k)
        if (std::abs(columns.at("time")[k] - 3.3) < 1e-12) sides.push_back(columns.at("a.u")[k]);
    EXPECT_EQ(sides, (std::vector<double>{0.0, 10.0}));
}

class RelationsUnderCouplings
    : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

/// The times at which known functions of time jump are communication points; held inputs are exact
/// between them.
TEST_P(RelationsUnderCouplings, of_time_are_communication_points) {
    const auto& [kind, method] = GetParam();
    for (const Known& known : known_functions()) {
        SystemFile file(
            integrator(kind, known.expression, known.stop, fmt::format("method = \"{}\"", method)) +
            subsystem_text("other", "Oscillator", kind));
        EXPECT_NEAR(file.run().at("a.y").back(), known.integral, 1e-7) << known.expression;
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, RelationsUnderCouplings,
    ::testing::Combine(::testing::Values("native", "fmi1_cs", "fmi2_cs", "fmi3_cs", "fmi2_me"),
                       ::testing::Values("jacobi", "gauss_seidel", "iterative")));

/// The last ends at a time that no grid point has to the last bit.
TEST(SwitchedFunctions, at_grid_points_make_no_steps_of_length_zero) {
    for (const char* method : {"jacobi", "iterative"}) {
        SystemFile file("[experiment]\nstop = 1\nstep = 0.1\n[coupling]\nmethod = \"" +
                        std::string(method) + "\"\n" +
                        subsystem_text("a", "LinearOde", "native", "a = 0") +
                        subsystem_text("b", "LinearOde", "native") +
                        "[[sources]]\ntarget = \"a.u\"\n"
                        "expression = \"(t > 0.3) + (t >= 0.7) + (t > 0.1 + 0.2)\"\n");
        EXPECT_NEAR(file.run().at("a.y").back(), 1.7, 1e-9) << method;
        EXPECT_EQ(file.report.steps, 10) << method;
        EXPECT_GT(file.report.shortest, 0.09) << method;
    }
}

}  // namespace
}  // namespace tandem
