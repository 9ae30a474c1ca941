#include <gmock/gmock.h>

#include <cmath>

#include "support/system_file.hpp"
#include "tandem/error.hpp"

namespace tandem::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string head(const std::string& more = "") {
    return "[experiment]\nstop = 1\nstep = 0.25\ntolerance = 1e-8\n[coupling]\nmethod = "
           "\"aggregate\"\n" +
           more + "[record]\nvariables = [\"*.x\", \"*.y\", \"*.u\"]\n";
}

std::string linear(const std::string& name, const std::string& parameters,
                   const std::string& kind = "native") {
    return subsystem_text(name, "LinearOde", kind, parameters);
}

std::string function(const std::string& target, const std::string& expression,
                     const std::string& signal) {
    return fmt::format(
        "[[functions]]\ntarget = \"{}\"\nexpression = \"{}\"\nsignals = {{ y = \"{}\" }}\n", target,
        expression, signal);
}

const std::string both_ways = "connections = [\"b.y -> a.u\", \"a.y -> b.u\"]\n";

std::string error_of(SystemFile& file) {
    try {
        file.run();
    } catch (const NumericsError& error) {
        return error.what();
    }
    return {};
}

TEST(AggregatedLoops, of_units_that_differ_by_many_powers_are_not_singular) {
    // y_a = x_a - 1e7 y_b, y_b = 1e-7 y_a: y_a = x_a / 2.
    SystemFile file(both_ways + head() + linear("a", "x = 1, a = -1, b = 0, c = 1, d = -1e7") +
                    linear("b", "x = 2, a = -1, b = 0, c = 0, d = 1e-7"));
    EXPECT_NEAR(file.run().at("a.y").back(), 0.5 * std::exp(-1.0), 1e-7);
}

TEST(AggregatedLoops, of_large_values_are_solved_to_their_rounding) {
    SystemFile file(both_ways + head() + linear("a", "x = 9e7, a = -1, b = 0, c = 1, d = -1") +
                    linear("b", "x = 2, a = -1, b = 0, c = 0, d = 0.5"));
    const Columns columns = file.run();
    EXPECT_NEAR(columns.at("a.y").back() / 9e7, std::exp(-1.0) / 1.5, 1e-7);
}

TEST(AggregatedLoops, that_are_singular_name_their_variables) {
    SystemFile file(both_ways + head() + linear("a", "x = 1, c = 1, d = 1") +
                    linear("b", "x = 2, c = 0, d = 1"));
    EXPECT_THAT(error_of(file), AllOf(HasSubstr("a.y, b.y is singular"), HasSubstr("hint")));
}

TEST(AggregatedLoops, without_a_solution_name_their_variables) {
    // y = x + u, u = 1 + y^2: no real y for x > -3/4.
    SystemFile file(head() + linear("a", "x = 1, a = 0, b = 0, c = 1, d = 1") +
                    function("a.u", "1 + y*y", "a.y"));
    EXPECT_THAT(error_of(file), AllOf(HasSubstr("a.y has no solution"), HasSubstr("hint")));
}

TEST(AggregatedLoops, go_on_from_the_last_solution_after_a_point_without_one) {
    // y = x + 0.2 u, u = sqrt(y + 0.3), with x falling from 10 to -0.25: the solver looks beyond
    // where the root ends, and must find its way back.
    for (const std::string solver : {"cvode", "dopri5"}) {
        SystemFile file(head("solver = \"" + solver + "\"\n") +
                        linear("a", "x = 10, a = -50, b = 0, c = 1, d = 0.2") +
                        function("a.u", "sqrt(y + 0.3)", "a.y"));
        const Columns columns = file.run();
        // At x = 0: y^2 = 0.04 (y + 0.3).
        EXPECT_NEAR(columns.at("a.y").back(), 0.02 + std::sqrt(0.0004 + 0.012), 1e-6) << solver;
    }
}

TEST(AggregatedLoops, that_yield_no_number_are_no_solution) {
    SystemFile file(head("solver = \"euler\"\nstep = 0.25\n") +
                    linear("a", "x = 10, a = -5, b = 0.1, c = 1, d = 0.2") +
                    function("a.u", "sqrt(y + 0.3)", "a.y"));
    EXPECT_THAT(error_of(file), HasSubstr("algebraic loop through a.y"));
    for (const auto& [name, values] : numbers_of(read_text_columns(file.in_folder("out.csv"))))
        for (const double value : values) EXPECT_TRUE(std::isfinite(value)) << name;
}

TEST(AggregatedLoops, that_cannot_be_differentiated_at_the_start_are_an_error) {
    // FMI 1.0 has no derivatives, and beside the first guess a number overflows.
    SystemFile file(
        "connections = [\"a.y -> b.u\"]\n" + head() +
        linear("a", "x = 0, a = -1, b = 0, c = 1, d = 1.797693134862315e308", "fmi1_me") +
        linear("b", "x = 2, a = -1, b = 0, c = 0, d = 1e-308", "fmi1_me") +
        function("a.u", "1 + y*1e-3", "b.y"));
    EXPECT_THAT(error_of(file), AllOf(HasSubstr("a.y, b.y"), Not(HasSubstr("singular"))));
}

TEST(CouplingFunctions, are_differentiated_on_one_side_where_the_other_is_no_number) {
    // h' = 0.1 - sqrt(h) from an empty tank, by a solver that needs the derivative.
    SystemFile file(head() + linear("tank", "x = 0, a = 0, b = 1, c = 1, d = 0") +
                    function("tank.u", "0.1 - sqrt(max(y, 0))", "tank.y"));
    // t = -2 sqrt(h) - 0.2 ln(1 - 10 sqrt(h)) solved for t = 1.
    const double h = file.run().at("tank.x").back();
    EXPECT_NEAR(-2.0 * std::sqrt(h) - 0.2 * std::log(1.0 - 10.0 * std::sqrt(h)), 1.0, 1e-3);
    SystemFile edge(head() + linear("tank", "x = 1e-6, a = 0, b = 1, c = 1, d = 0") +
                    function("tank.u", "0.1 - sqrt(y)", "tank.y"));
    EXPECT_NEAR(edge.run().at("tank.x").back(), h, 1e-3);
}

}  // namespace
}  // namespace tandem::test
