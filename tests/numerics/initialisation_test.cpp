#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/model_kinds.hpp"
#include "support/system_file.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

using test::Columns;
using test::subsystem_text;
using test::SystemFile;

// The tolerance of the loop solver, with nominals of 1.
constexpr double solved = 1e-10;

const std::string experiment = "[experiment]\nstop = 0.1\nstep = 0.05\n";

std::string linear(const std::string& name, const std::string& kind, const std::string& values) {
    return subsystem_text(name, "LinearOde", kind, values);
}
std::string gain(const std::string& name, const std::string& kind, double factor) {
    return linear(name, kind, fmt::format("b = 0, c = 0, d = {:.17g}", factor));
}
/// y = value, for ever.
std::string constant(const std::string& name, const std::string& kind, double value) {
    return linear(name, kind, fmt::format("a = 0, b = 0, x = {:.17g}", value));
}
std::string function(const std::string& target, const std::string& expression,
                     const std::string& signals) {
    return fmt::format("[[functions]]\ntarget = \"{}\"\nexpression = \"{}\"\nsignals = {{ {} }}\n",
                       target, expression, signals);
}

struct Pair {
    std::string first, second;
};

/// A: x' = -x + u, y = x - u, x(0) = 9; B: x' = -x + u, y = u/2, x(0) = 2; each feeds the other.
/// So y_A = 9 - y_B and y_B = y_A / 2: y_A = 6, y_B = 3.
class AlgebraicLoop : public ::testing::TestWithParam<Pair> {};

TEST_P(AlgebraicLoop, is_solved_before_the_first_row) {
    SystemFile file("connections = [\"B.y -> A.u\", \"A.y -> B.u\"]\n" + experiment +
                    linear("A", GetParam().first, "x = 9, d = -1") +
                    linear("B", GetParam().second, "x = 2, c = 0, d = 0.5"));
    const Columns columns = file.run();
    EXPECT_EQ(columns.at("time").size(), 3U);
    EXPECT_NEAR(columns.at("A.y").at(0), 6.0, solved);
    EXPECT_NEAR(columns.at("B.y").at(0), 3.0, solved);
}

std::vector<Pair> all_pairs() {
    std::vector<Pair> pairs;
    for (const std::string& first : test::all_kinds)
        for (const std::string& second : test::all_kinds) pairs.push_back({first, second});
    return pairs;
}
INSTANTIATE_TEST_SUITE_P(Kinds, AlgebraicLoop, ::testing::ValuesIn(all_pairs()),
                         [](const auto& pair) {
                             return pair.param.first + "_with_" + pair.param.second;
                         });

class FirstRow : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, FirstRow, ::testing::ValuesIn(test::all_kinds),
                         [](const auto& kind) { return kind.param; });

// Listed against the flow, so that no pass in the given order could be enough.
TEST_P(FirstRow, is_right_behind_a_chain_of_gains) {
    SystemFile file(
        "connections = [\"two.y -> three.u\", \"one.y -> two.u\", "
        "\"source.y -> one.u\"]\n" +
        experiment + gain("three", GetParam(), 5.0) + gain("two", GetParam(), 3.0) +
        gain("one", GetParam(), 2.0) + constant("source", GetParam(), 7.0));
    const Columns columns = file.run();
    EXPECT_EQ(columns.at("one.y").at(0), 14.0);
    EXPECT_EQ(columns.at("two.y").at(0), 42.0);
    EXPECT_EQ(columns.at("three.y").at(0), 210.0);
}

TEST_P(FirstRow, holds_at_a_start_time_that_is_not_zero) {
    SystemFile file(
        "connections = [\"source.y -> one.u\"]\n"
        "[experiment]\nstart = 2.5\nstop = 3.0\nstep = 0.25\n" +
        gain("one", GetParam(), 2.0) + constant("source", GetParam(), 7.0));
    const Columns columns = file.run();
    EXPECT_EQ(columns.at("time").at(0), 2.5);
    EXPECT_EQ(columns.at("one.y").at(0), 14.0);
}

// y_i = x_i + y_(i-1) / 2 around a ring of n: with x_i = 1 all are 2.
TEST_P(FirstRow, solves_a_loop_through_twelve_subsystems) {
    constexpr int n = 12;
    std::string connections, subsystems;
    for (int i = 0; i < n; ++i) {
        connections += fmt::format("\"s{}.y -> s{}.u\", ", i, (i + 1) % n);
        subsystems += linear(fmt::format("s{}", i), GetParam(), "x = 1, d = 0.5");
    }
    SystemFile file("connections = [" + connections + "]\n" + experiment + subsystems);
    const Columns columns = file.run();
    for (int i = 0; i < n; ++i) EXPECT_NEAR(columns.at(fmt::format("s{}.y", i)).at(0), 2.0, solved);
}

// u = cos(y), y = u: the fixed point of cos.
TEST_P(FirstRow, solves_a_nonlinear_loop_through_a_coupling_function) {
    SystemFile file(experiment + gain("a", GetParam(), 1.0) +
                    function("a.u", "cos(y)", "y = \"a.y\""));
    EXPECT_NEAR(file.run().at("a.y").at(0), 0.7390851332151607, solved);
}

// u_a = exp(-y_b), u_b = y_a^2 + 1 with y = u: y_a = exp(-(y_a^2 + 1)). The residual of the
// result in its own equation is checked, so no figure is needed.
TEST_P(FirstRow, solves_a_nonlinear_loop_of_two) {
    SystemFile file(experiment + gain("a", GetParam(), 1.0) + gain("b", GetParam(), 1.0) +
                    function("a.u", "exp(-y)", "y = \"b.y\"") +
                    function("b.u", "y^2 + 1", "y = \"a.y\""));
    const Columns columns = file.run();
    const double a = columns.at("a.y").at(0);
    EXPECT_GT(a, 0.1);
    EXPECT_NEAR(a, std::exp(-(a * a + 1.0)), solved);
    EXPECT_NEAR(columns.at("b.y").at(0), a * a + 1.0, solved);
}

// A loop that must be solved feeds a chain; the chain feeds a second loop.
TEST_P(FirstRow, is_right_behind_a_loop) {
    SystemFile file("connections = [\"B.y -> A.u\", \"A.y -> B.u\", \"A.y -> g.u\"]\n" +
                    experiment + gain("g", GetParam(), 10.0) +
                    linear("A", GetParam(), "x = 9, d = -1") +
                    linear("B", GetParam(), "x = 2, c = 0, d = 0.5") + gain("c", GetParam(), 0.5) +
                    function("c.u", "g + y", "g = \"g.y\", y = \"c.y\""));
    const Columns columns = file.run();
    EXPECT_NEAR(columns.at("g.y").at(0), 60.0, 10.0 * solved);
    // y_c = (60 + y_c) / 2
    EXPECT_NEAR(columns.at("c.y").at(0), 60.0, 20.0 * solved);
}

TEST(InitialisationOfLoops, a_singular_loop_is_refused_by_name) {
    // y_A = 1 + y_B and y_B = y_A.
    SystemFile file("connections = [\"B.y -> A.u\", \"A.y -> B.u\"]\n" + experiment +
                    linear("A", "fmi2_cs", "x = 1, d = 1") + gain("B", "fmi3_cs", 1.0));
    try {
        file.run();
        FAIL() << "1 = 0";
    } catch (const NumericsError& error) {
        const std::string text = error.what();
        EXPECT_THAT(text, ::testing::HasSubstr("A.u"));
        EXPECT_THAT(text, ::testing::HasSubstr("B.u"));
        EXPECT_THAT(text, ::testing::HasSubstr("is singular"));
        EXPECT_THAT(text, ::testing::HasSubstr("hint:"));
    }
}

/// One output of each type goes through two Feedthroughs; the constant is what is not connected.
TEST_P(FirstRow, is_right_behind_a_chain_of_discrete_values) {
    const std::string& kind = GetParam();
    SystemFile file(
        "connections = [\"b.int32_out -> c.int32_in\", \"a.int32_out -> b.int32_in\", "
        "\"b.boolean_out -> c.boolean_in\", \"a.boolean_out -> b.boolean_in\"]\n" +
        experiment + subsystem_text("c", "Feedthrough", kind) +
        subsystem_text("b", "Feedthrough", kind) +
        subsystem_text("a", "Feedthrough", kind, "int32_in = 42, boolean_in = true"));
    const Columns columns = file.run();
    EXPECT_EQ(columns.at("c.int32_out").at(0), 42.0);
    EXPECT_EQ(columns.at("c.boolean_out").at(0), 1.0);
}

// Integers in a ring, int32 -> real -> int32: b = a, a = round(b / 2 + 4) settles at a value that
// solves its own equation.
TEST_P(FirstRow, settles_a_loop_of_discrete_values) {
    const std::string& kind = GetParam();
    SystemFile file(
        "connections = [\"a.int32_out -> b.int32_in\", "
        "{ from = \"b.int32_out\", to = \"a.int32_in\", factor = 0.5, offset = 4 }]\n" +
        experiment + subsystem_text("a", "Feedthrough", kind) +
        subsystem_text("b", "Feedthrough", kind));
    const Columns columns = file.run();
    const double a = columns.at("a.int32_out").at(0);
    EXPECT_EQ(columns.at("b.int32_out").at(0), a);
    EXPECT_EQ(a, std::nearbyint(0.5 * a + 4.0));
}

TEST(InitialisationOfLoops, a_discrete_value_reaches_the_end_of_a_long_chain) {
    constexpr int n = 30;
    std::string connections, subsystems;
    for (int i = n; i > 0; --i) {
        connections += fmt::format("\"s{}.int32_out -> s{}.int32_in\", ", i - 1, i);
        subsystems += subsystem_text(fmt::format("s{}", i), "Feedthrough", "fmi2_cs");
    }
    SystemFile file("connections = [" + connections + "]\n" + experiment + subsystems +
                    subsystem_text("s0", "Feedthrough", "fmi2_cs", "int32_in = 5"));
    EXPECT_EQ(file.run().at("s30.int32_out").at(0), 5.0);
}

TEST(InitialisationOfLoops, a_loop_of_discrete_values_that_never_settles_is_refused) {
    // b = not b.
    SystemFile file(
        "connections = [{ from = \"a.boolean_out\", to = \"a.boolean_in\", "
        "map = { true = \"false\", false = \"true\" } }]\n" +
        experiment + subsystem_text("a", "Feedthrough", "fmi2_cs"));
    try {
        file.run();
        FAIL() << "no truth value is its own opposite";
    } catch (const NumericsError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("initialisation: the discrete values"));
        EXPECT_THAT(error.what(), ::testing::HasSubstr("hint:"));
    }
}

}  // namespace
}  // namespace tandem
