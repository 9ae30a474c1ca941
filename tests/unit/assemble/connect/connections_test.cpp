#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/system_file.hpp"
#include "tandem/error.hpp"

namespace tandem::assemble {
namespace {

using test::subsystem_text;
using test::SystemFile;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// Conversions of temperatures round in the last places of 300.
constexpr double rounding = 1e-12;

const std::string experiment = "[experiment]\nstop = 0.2\nstep = 0.1\n";

/// A constant from a table with that header goes to `float64_in`, which is in degC.
double arrives(const std::string& header, double value, const std::string& more = "") {
    SystemFile file("connections = [{ from = \"table.T\", to = \"f.float64_in\" " + more + " }]\n" +
                    experiment + "[subsystems.table]\nsource = \"table.csv\"\n" +
                    subsystem_text("f", "Feedthrough", "fmi2_cs"));
    file.add("table.csv", fmt::format("time,{}\n0,{}\n", header, value));
    const auto column = file.run().at("f.float64_out");
    EXPECT_EQ(column.front(), column.back());
    return column.front();
}

TEST(Connections, convert_units_with_their_offsets) {
    EXPECT_NEAR(arrives("T [K]", 300.0), 26.85, rounding);
    EXPECT_NEAR(arrives("T [degF]", 212.0), 100.0, rounding);
    EXPECT_EQ(arrives("T [degC]", 20.0), 20.0);
    EXPECT_EQ(arrives("T", 20.0), 20.0) << "no unit is any unit";
}

TEST(Connections, leave_the_number_as_it_is_when_conversion_is_suppressed) {
    EXPECT_EQ(arrives("T [K]", 300.0, ", suppress_unit_conversion = true"), 300.0);
    EXPECT_EQ(arrives("T [m]", 300.0, ", suppress_unit_conversion = true"), 300.0);
}

TEST(Connections, transform_after_the_conversion) {
    EXPECT_EQ(arrives("T [degC]", 20.0, ", factor = 3, offset = -1"), 59.0);
    EXPECT_NEAR(arrives("T [K]", 300.0, ", factor = 2, offset = 1"), 2 * 26.85 + 1, rounding);
    EXPECT_EQ(arrives("T [K]", 300.0, ", factor = 2, suppress_unit_conversion = true"), 600.0);
}

TEST(Connections, parameters_and_functions_convert_units_too) {
    SystemFile file(experiment +
                    subsystem_text("a", "Feedthrough", "fmi2_cs",
                                   "float64_in = { value = 300, unit = \"K\" }") +
                    subsystem_text("b", "Feedthrough", "fmi2_cs") +
                    "[[sources]]\ntarget = \"b.float64_in\"\nexpression = \"300 + 0*t\"\n"
                    "unit = \"K\"\n");
    const auto columns = file.run();
    EXPECT_NEAR(columns.at("a.float64_out").back(), 26.85, rounding);
    EXPECT_NEAR(columns.at("b.float64_out").back(), 26.85, rounding);
}

TEST(Connections, a_function_of_time_is_sampled_where_the_step_begins_by_jacobi) {
    const std::string source = "[[sources]]\ntarget = \"{}\"\nexpression = \"1 + 10*t\"\n";
    SystemFile file(experiment + "[coupling]\nmethod = \"jacobi\"\n" +
                    subsystem_text("a", "Feedthrough", "fmi2_cs") +
                    subsystem_text("i", "LinearOde", "fmi2_cs", "a = 0.0, b = 1.0, c = 1.0") +
                    fmt::format(fmt::runtime(source), "a.float64_in") +
                    fmt::format(fmt::runtime(source), "i.u"));
    const auto columns = file.run();
    const auto& integral = columns.at("i.y");
    EXPECT_NEAR(integral.at(1), 0.1, rounding) << "held over the first step";
    EXPECT_NEAR(integral.at(2), 0.3, rounding);
    const auto& shown = columns.at("a.float64_out");
    EXPECT_EQ(shown.at(1), 2.0) << "a row has the inputs of its own time";
    EXPECT_EQ(shown.at(2), 3.0);
}

/// The sentences with which a system is refused; empty if it is accepted.
std::vector<std::string> refusals(const std::string& connections, const std::string& more = "") {
    SystemFile file("connections = [\n" + connections + "]\n" + experiment +
                    subsystem_text("a", "Feedthrough", "fmi3_cs") +
                    subsystem_text("b", "Feedthrough", "fmi3_cs") + more);
    std::vector<std::string> sentences;
    try {
        const run::SystemRun run(file.options());
    } catch (const InputErrors& errors) {
        for (const Diagnostic& finding : errors.findings())
            if (finding.severity == Severity::error)
                sentences.push_back(sentence(finding.place, finding.problem, finding.hint));
    }
    return sentences;
}

TEST(Connections, every_problem_is_reported_with_its_line) {
    const auto found = refusals(
        "\"a.int32_out -> b.int32_in\",\n"
        "\"a.flot64_out -> b.float64_in\",\n"
        "\"a.float64_in -> b.float32_in\",\n"
        "\"a.int8_out -> b.int8_out\",\n"
        "\"a.int8_out -> b.fixed_parameter\",\n"
        "\"a.int8_out -> b.n\",\n"
        "\"a.vector_out -> b.matrix_in\",\n"
        "\"a.string_out -> b.int64_in\",\n"
        "\"a.binary_out -> b.string_in\",\n"
        "\"a.vector_out[4] -> b.sampled_in\",\n");
    const auto at = [](int line, const char* text) {
        return Contains(AllOf(HasSubstr(fmt::format("system.toml:{}: ", line)), HasSubstr(text)));
    };
    EXPECT_EQ(found.size(), 9U) << ::testing::PrintToString(found);
    EXPECT_THAT(found, Not(at(2, "")));
    EXPECT_THAT(found, at(3, "float64_out"));
    EXPECT_THAT(found, at(4, "is an input and cannot be a source"));
    EXPECT_THAT(found, at(5, "is an output and cannot be connected to"));
    EXPECT_THAT(found, at(6, "is a parameter and cannot be connected to"));
    EXPECT_THAT(found, at(7, "b.n"));
    EXPECT_THAT(found, at(8, "3 values cannot become 4"));
    EXPECT_THAT(found, at(9, "String cannot become Int64"));
    EXPECT_THAT(found, at(10, "Binary cannot become String"));
    EXPECT_THAT(found, at(11, "there is no such element"));
}

TEST(Connections, a_thousand_bad_ones_are_all_reported) {
    std::string connections;
    for (int i = 0; i < 1000; ++i) connections += fmt::format("\"a.x{0} -> b.y{0}\",\n", i);
    EXPECT_EQ(refusals(connections).size(), 2000U) << "both ends of each";
}

TEST(Connections, each_that_drives_an_input_once_more_is_reported_once) {
    std::string connections;
    for (int i = 0; i < 1000; ++i) connections += "\"a.float64_out -> b.float64_in\",\n";
    const auto found = refusals(connections);
    EXPECT_EQ(found.size(), 999U);
    EXPECT_THAT(found, Contains(AllOf(HasSubstr("system.toml:3: "), HasSubstr("driven twice"),
                                      HasSubstr("system.toml:2"))));
}

TEST(Connections, units_that_do_not_fit_are_refused_with_a_hint) {
    SystemFile file("connections = [\"table.T -> f.float64_in\"]\n" + experiment +
                    "[subsystems.table]\nsource = \"table.csv\"\n" +
                    subsystem_text("f", "Feedthrough", "fmi2_cs"));
    file.add("table.csv", "time,T [m]\n0,1\n");
    try {
        file.run();
        FAIL() << "metres became degrees";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("system.toml:1: "), HasSubstr("'m'"),
                                        HasSubstr("degC"), HasSubstr("suppress")));
    }
}

TEST(Connections, a_table_of_values_needs_values_that_can_be_counted) {
    EXPECT_THAT(refusals("{ from = \"a.float64_out\", to = \"b.int32_in\", map = { 1 = 2 } },\n"),
                Contains(HasSubstr("needs a boolean, integer or enumeration")));
    EXPECT_EQ(refusals("{ from = \"a.enumeration_out\", to = \"b.enumeration_in\", "
                       "map = { slow = \"sloth\" } },\n")
                  .size(),
              1U);
}

TEST(Connections, functions_take_and_feed_real_numbers_only) {
    const auto function = [](const std::string& target, const std::string& signal) {
        return fmt::format(
            "[[functions]]\ntarget = \"{}\"\nexpression = \"2 * s\"\n"
            "signals = {{ s = \"{}\" }}\n",
            target, signal);
    };
    EXPECT_THAT(refusals("", function("b.float64_in", "a.int32_out")),
                Contains(HasSubstr("is not one real output")));
    EXPECT_THAT(refusals("", function("b.float64_in", "a.vector_out")),
                Contains(HasSubstr("is not one real output")));
    EXPECT_THAT(refusals("", function("b.string_in", "a.float64_out")),
                Contains(HasSubstr("is not one real input")));
    EXPECT_THAT(refusals("", function("b.float64_in", "a.vector_out[2]")), ::testing::IsEmpty());
    EXPECT_THAT(
        refusals("\"a.float64_out -> b.float64_in\",\n", function("b.float64_in", "a.float64_out")),
        Contains(HasSubstr("twice")));
}

TEST(Connections, inputs_that_nothing_feeds_are_one_warning_a_subsystem) {
    SystemFile file(experiment + subsystem_text("a", "LinearOde", "fmi2_cs") +
                    subsystem_text("b", "Feedthrough", "fmi2_cs") +
                    subsystem_text("given", "LinearOde", "fmi2_cs", "u = 1"));
    file.run();
    EXPECT_EQ(std::ranges::count_if(file.findings,
                                    [](const std::string& text) {
                                        return text.find("nothing feeds") != std::string::npos;
                                    }),
              2);
    EXPECT_THAT(file.findings, Contains(HasSubstr("inputs of 'a' that nothing feeds: u")));
}

}  // namespace
}  // namespace tandem::assemble
