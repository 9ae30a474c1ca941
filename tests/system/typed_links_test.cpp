#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/model_kinds.hpp"
#include "support/odd_models.hpp"
#include "support/system_file.hpp"

namespace tandem {
namespace {

using test::Columns;
using test::subsystem_text;
using test::SystemFile;
using test::TextColumns;
using ::testing::Contains;
using ::testing::HasSubstr;

// The stair goes from 1 to 2 at t = 0.3; every hop then takes one step more.
const std::string experiment = "[experiment]\nstop = 0.5\nstep = 0.05\n";

std::string feedthrough(const std::string& name, const std::string& kind,
                        const std::string& values = "") {
    return subsystem_text(name, "Feedthrough", kind, values);
}

/// From one subsystem to another, with the values that the first one starts with.
struct Way {
    std::string connections;
    std::string values;
};

TextColumns run_over(const Way& way, const std::string& from, const std::string& to,
                     std::vector<std::string>* findings = nullptr) {
    SystemFile file("connections = [" + way.connections + "]\n" + experiment +
                    "[record]\nvariables = [\"*\"]\n" + feedthrough("a", from, way.values) +
                    feedthrough("b", to));
    const TextColumns columns = file.run_text();
    if (findings != nullptr) *findings = file.findings;
    return columns;
}

class TypedLinksFrom : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, TypedLinksFrom, ::testing::ValuesIn(test::all_kinds),
                         [](const auto& kind) { return kind.param; });

TEST_P(TypedLinksFrom, carry_every_type_to_subsystems_of_all_kinds) {
    const Way way{
        "\"a.int32_out -> b.int32_in\", \"a.boolean_out -> b.boolean_in\", "
        "\"a.string_out -> b.string_in\", \"a.enumeration_out -> b.enumeration_in\", "
        "\"a.sampled_out -> b.sampled_in\", \"a.float64_out -> b.float64_in\"",
        "int32_in = -7, boolean_in = true, string_in = \"over there\", "
        "enumeration_in = 3, sampled_in = 0.25, float64_in = 1.5"};
    for (const std::string& to : test::all_kinds) {
        SCOPED_TRACE("to " + to);
        const TextColumns columns = run_over(way, GetParam(), to);
        for (const std::size_t row : {std::size_t{0}, columns.at("time").size() - 1}) {
            EXPECT_EQ(columns.at("b.int32_out").at(row), "-7");
            EXPECT_EQ(columns.at("b.boolean_out").at(row), columns.at("a.boolean_out").at(row));
            EXPECT_EQ(columns.at("b.string_out").at(row), "over there");
            EXPECT_EQ(columns.at("b.enumeration_out").at(row), "3");
            EXPECT_EQ(columns.at("b.sampled_out").at(row), "0.25");
            EXPECT_EQ(columns.at("b.float64_out").at(row), "1.5");
        }
    }
}

TEST_P(TypedLinksFrom, follow_a_value_that_changes_in_the_run) {
    for (const std::string& to : test::all_kinds) {
        SCOPED_TRACE("to " + to);
        SystemFile file(
            "connections = [\"stair.count -> a.int32_in\", "
            "\"a.int32_out -> b.sampled_in\"]\n" +
            experiment + "[coupling]\nmethod = \"jacobi\"\n" +
            subsystem_text("stair", "Stair", GetParam(), "period = 0.3") +
            feedthrough("a", GetParam()) + feedthrough("b", to));
        const Columns columns = file.run();
        EXPECT_EQ(columns.at("b.sampled_out").front(), 1.0);
        EXPECT_EQ(columns.at("a.int32_out").back(), 2.0);
        EXPECT_EQ(columns.at("b.sampled_out").back(), 2.0);
        // The stair counts at 0.3 or, rounded up, at the next point, and its value goes through a
        // to b at that instant; where nobody is told of the event, at the start of the next step.
        const bool tells = !GetParam().ends_with("_cs") || GetParam() == "fmi3_cs";
        for (std::size_t k = 0; k < columns.at("time").size(); ++k) {
            const double t = columns.at("time")[k];
            const double value = columns.at("b.sampled_out")[k];
            EXPECT_TRUE(t >= 0.29 || value == 1.0) << t << ' ' << value;
            EXPECT_TRUE(t <= (tells ? 0.31 : 0.39) || value == 2.0) << t << ' ' << value;
        }
    }
}

TEST(TypedLinksInsideAGroup, carry_a_value_over_where_it_changes) {
    for (const std::string kind : {"native", "fmi1_me", "fmi2_me", "fmi3_me"}) {
        SCOPED_TRACE(kind);
        SystemFile file(
            "connections = [\"stair.count -> a.int32_in\", "
            "\"a.int32_out -> b.sampled_in\", \"b.sampled_out -> c.float64_in\"]\n" +
            experiment + "[coupling]\nmethod = \"aggregate\"\n" +
            subsystem_text("stair", "Stair", kind, "period = 0.33") + feedthrough("a", kind) +
            feedthrough("b", "native") + feedthrough("c", kind));
        const Columns columns = file.run();
        const auto& times = columns.at("time");
        int rows_at_event = 0;
        for (std::size_t k = 0; k < times.size(); ++k) {
            if (std::abs(times[k] - 0.33) < 1e-9) {
                EXPECT_EQ(columns.at("c.float64_out")[k], ++rows_at_event) << times[k];
                continue;
            }
            EXPECT_EQ(columns.at("c.float64_out")[k], times[k] < 0.33 ? 1.0 : 2.0) << times[k];
        }
        EXPECT_EQ(rows_at_event, 2);
    }
}

TEST_P(TypedLinksFrom, round_a_real_to_an_integer_and_warn) {
    std::vector<std::string> findings;
    for (const std::string& to : test::all_kinds) {
        SCOPED_TRACE("to " + to);
        const TextColumns columns = run_over(
            {"\"a.float64_out -> b.int32_in\"", "float64_in = 2.6"}, GetParam(), to, &findings);
        EXPECT_EQ(columns.at("b.int32_out").front(), "3");
        EXPECT_EQ(columns.at("b.int32_out").back(), "3");
        EXPECT_THAT(findings, Contains(HasSubstr("which may lose something")));
    }
}

// x = 3.3 t is sampled where communication steps begin: the integral of what becomes of it is the
// sum of step * round(3.3 t).
TEST(TypedLinksInsideAGroup, round_a_continuous_value_at_every_communication_point) {
    for (const std::string kind : {"native", "fmi2_me", "fmi3_me"}) {
        SystemFile file(
            "connections = [\"q.x -> f.int32_in\", \"f.int32_out -> i.u\"]\n[experiment]\nstop = "
            "1\nstep = 0.125\n[record]\nvariables = [\"*\"]\n[coupling]\nmethod = "
            "\"aggregate\"\n" +
            test::odd_text("q", "HiddenVariables", kind, "a = 0, b = 3.3, u = 1, x = 0") +
            feedthrough("f", kind) +
            test::odd_text("i", "HiddenVariables", kind, "a = 0, b = 1, x = 0"));
        double sum = 0.0;
        for (int k = 0; k < 8; ++k) sum += 0.125 * std::nearbyint(3.3 * 0.125 * k);
        EXPECT_NEAR(file.run().at("i.x").back(), sum, 1e-9) << kind;
    }
}

TEST_P(TypedLinksFrom, turn_truth_values_and_numbers_into_each_other) {
    for (const std::string& to : test::all_kinds) {
        SCOPED_TRACE("to " + to);
        const Columns columns = test::numbers_of(
            run_over({"\"a.boolean_out -> b.float64_in\", \"a.int32_out -> b.sampled_in\", "
                      "{ from = \"a.int32_out\", to = \"b.boolean_in\", factor = 1 }",
                      "boolean_in = true, int32_in = 5"},
                     GetParam(), to));
        EXPECT_EQ(columns.at("b.float64_out").front(), 1.0);
        EXPECT_EQ(columns.at("b.sampled_out").front(), 5.0);
        EXPECT_EQ(columns.at("b.boolean_out").front(), 1.0);
        EXPECT_EQ(columns.at("b.float64_out").back(), 1.0);
    }
}

TEST_P(TypedLinksFrom, map_enumeration_items_by_name) {
    if (GetParam() == "native") return;
    for (const std::string& to : test::all_kinds) {
        if (to == "native") continue;
        SCOPED_TRACE("to " + to);
        const TextColumns columns =
            run_over({"{ from = \"a.enumeration_out\", to = \"b.enumeration_in\", "
                      "map = { off = \"slow\", slow = \"fast\", fast = \"off\" } }",
                      "enumeration_in = \"slow\""},
                     GetParam(), to);
        EXPECT_EQ(columns.at("a.enumeration_out").front(), "2");
        EXPECT_EQ(columns.at("b.enumeration_out").front(), "3");
    }
}

const std::vector<std::string> kinds_with_arrays = {"native", "fmi3_cs", "fmi3_me"};

TEST(TypedLinksOfTheThirdVersion, carry_binaries_arrays_and_slices) {
    const Way way{
        "\"a.binary_out -> b.binary_in\", \"a.vector_out[2:3] -> b.matrix_in[1:2]\", "
        "\"a.matrix_out[4] -> b.vector_in[1]\", \"a.integers_out -> b.integers_in\", "
        "\"a.integers_out[3] -> b.int64_in\"",
        "vector_in = [1.5, 2.5, 3.5], integers_in = [4, 5, 6]"};
    for (const std::string& from : kinds_with_arrays)
        for (const std::string& to : kinds_with_arrays) {
            SCOPED_TRACE(from + " to " + to);
            const TextColumns text = run_over(way, from, to);
            const Columns columns = test::numbers_of(text);
            EXPECT_EQ(text.at("b.binary_out").front(), text.at("a.binary_out").front());
            EXPECT_EQ(columns.at("b.matrix_out[1]").front(), 2.5);
            EXPECT_EQ(columns.at("b.matrix_out[2]").front(), 3.5);
            EXPECT_EQ(columns.at("b.matrix_out[3]").front(), 3.0) << "its own start value";
            EXPECT_EQ(columns.at("b.vector_out[1]").front(), 4.0);
            EXPECT_EQ(columns.at("b.vector_out[2]").front(), 0.5) << "its own start value";
            EXPECT_EQ(columns.at("b.integers_out[3]").front(), 6.0);
            EXPECT_EQ(columns.at("b.int64_out").front(), 6.0);
            EXPECT_EQ(columns.at("b.matrix_out[2]").back(), 3.5);
        }
}

TEST(TypedLinksOfTheThirdVersion, carry_long_integers_bit_for_bit) {
    // 2^53 + 1 is no double.
    const Way way{"\"a.int64_out -> b.int64_in\", \"a.uint64_out -> b.uint64_in\"",
                  "int64_in = 9007199254740993, uint64_in = 9007199254740993"};
    for (const std::string& from : kinds_with_arrays)
        for (const std::string& to : kinds_with_arrays) {
            const TextColumns columns = run_over(way, from, to);
            EXPECT_EQ(columns.at("b.int64_out").back(), "9007199254740993");
            EXPECT_EQ(columns.at("b.uint64_out").back(), "9007199254740993");
        }
}

TEST(TypedLinksOfTheThirdVersion, limit_numbers_to_the_range_of_a_narrower_type) {
    const Way way{
        "\"a.int32_out -> b.int8_in\", \"a.float64_out -> b.uint16_in\", "
        "\"a.int64_out -> b.float32_in\"",
        "int32_in = 1000, float64_in = -4, int64_in = 16777217"};
    std::vector<std::string> findings;
    const TextColumns columns = run_over(way, "fmi3_cs", "fmi3_cs", &findings);
    EXPECT_EQ(columns.at("b.int8_out").back(), "127");
    EXPECT_EQ(columns.at("b.uint16_out").back(), "0");
    EXPECT_EQ(columns.at("b.float32_out").back(), "16777216") << "the nearest float";
    for (const char* type : {"int8_in", "uint16_in", "float32_in"})
        EXPECT_THAT(findings,
                    Contains(::testing::AllOf(HasSubstr(type), HasSubstr("may lose something"))));
}

TEST(TypedLinksBetweenVersions, carry_elements_of_arrays_that_older_versions_show_one_by_one) {
    for (const std::string from : {"fmi1_cs", "fmi2_cs", "fmi2_me"}) {
        SCOPED_TRACE(from);
        const Columns columns = test::numbers_of(run_over(
            {"\"a.vector_out[1] -> b.vector_in[3]\"", "\"vector_in[1]\" = 8.5"}, from, "fmi3_cs"));
        EXPECT_EQ(columns.at("b.vector_out[3]").front(), 8.5);
        EXPECT_EQ(columns.at("b.vector_out[3]").back(), 8.5);
    }
}

}  // namespace
}  // namespace tandem
