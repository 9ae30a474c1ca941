// Connections from variables that are no outputs: states, derivatives, locals.

#include <gtest/gtest.h>

#include <cmath>

#include "support/edited_fmu.hpp"
#include "support/model_kinds.hpp"
#include "support/odd_models.hpp"

namespace tandem {
namespace {

using test::Columns;
using test::odd_text;
using test::SystemFile;

/// Errors of the solver, grown over two time constants.
constexpr double solver_error = 1e-7;

const std::string experiment = "[experiment]\nstop = 2\nstep = 0.1\n";
const std::string aggregated = experiment +
                               "[record]\nvariables = [\"*\"]\n[coupling]\nmethod = \"aggregate\"\n"
                               "tolerance = 1e-10\n";

const std::vector<std::string> solved_by_us = {"native", "fmi1_me", "fmi2_me", "fmi3_me"};

/// dx/dt = a x + b u, with x hidden behind an output that says nothing.
std::string hidden(const std::string& name, const std::string& kind, double a, double b, double x) {
    return odd_text(name, "HiddenVariables", kind,
                    fmt::format("a = {:.17g}, b = {:.17g}, x = {:.17g}", a, b, x));
}

class VariableThatIsNoOutput : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, VariableThatIsNoOutput, ::testing::ValuesIn(solved_by_us),
                         [](const auto& kind) { return kind.param; });

// x = 9 exp(-t). An integrator of factor * x has the value factor * 9 (1 - exp(-t)).
TEST_P(VariableThatIsNoOutput, feeds_an_integrator_at_every_instant_in_an_aggregate) {
    const std::vector<std::pair<std::string, double>> sources = {
        {"x", 1.0}, {"der(x)", -1.0}, {"z", 1.0}, {"w[2]", -2.0}};
    for (const auto& [source, factor] : sources)
        for (const std::string& to : solved_by_us) {
            SCOPED_TRACE(source + " to " + to);
            SystemFile file("connections = [\"decay." + source + " -> sum.u\"]\n" + aggregated +
                            hidden("decay", GetParam(), -1.0, 1.0, 9.0) +
                            hidden("sum", to, 0.0, 1.0, 0.0));
            const Columns columns = file.run();
            for (std::size_t k = 0; k < columns.at("time").size(); ++k)
                ASSERT_NEAR(columns.at("sum.x")[k],
                            9.0 * factor * -std::expm1(-columns.at("time")[k]), solver_error);
        }
}

// dx1/dt = w x2, dx2/dt = -w x1 from (1, 0): x1 = cos(w t), x2 = -sin(w t).
TEST_P(VariableThatIsNoOutput, makes_an_oscillator_of_two_states_in_an_aggregate) {
    constexpr double w = 3.0;
    SystemFile file("connections = [\"one.x -> two.u\", \"two.x -> one.u\"]\n" + aggregated +
                    hidden("one", GetParam(), 0.0, w, 1.0) + hidden("two", "native", 0.0, -w, 0.0));
    const Columns columns = file.run();
    for (std::size_t k = 0; k < columns.at("time").size(); ++k) {
        const double t = columns.at("time")[k];
        EXPECT_NEAR(columns.at("one.x")[k], std::cos(w * t), solver_error);
        EXPECT_NEAR(columns.at("two.x")[k], -std::sin(w * t), solver_error);
    }
}

// z1 = x1 + z2/2, z2 = x2 + z1/2 and dx1/dt = -x1 + z2, dx2/dt = -x2 + z1: the sum of the states
// grows with exp(t), their difference falls with exp(-5/3 t).
TEST_P(VariableThatIsNoOutput, closes_an_algebraic_loop_where_it_depends_on_inputs) {
    SystemFile file("connections = [\"one.z -> two.u\", \"two.z -> one.u\"]\n" + aggregated +
                    hidden("one", GetParam(), -1.0, 1.0, 2.0) +
                    hidden("two", GetParam(), -1.0, 1.0, 1.0));
    const Columns columns = file.run();
    for (std::size_t k = 0; k < columns.at("time").size(); ++k) {
        const double sum = 3.0 * std::exp(columns.at("time")[k]);
        const double difference = std::exp(-5.0 / 3.0 * columns.at("time")[k]);
        EXPECT_NEAR(columns.at("one.x")[k], 0.5 * (sum + difference), 10.0 * solver_error);
        EXPECT_NEAR(columns.at("two.x")[k], 0.5 * (sum - difference), 10.0 * solver_error);
    }
}

// With x = exp(-t): 2 x + t dx/dt = (2 - t) exp(-t) is the derivative of 1 + (t - 1) exp(-t).
TEST_P(VariableThatIsNoOutput, is_a_signal_of_a_coupling_function) {
    SystemFile file(aggregated + hidden("decay", GetParam(), -1.0, 1.0, 1.0) +
                    hidden("sum", "native", 0.0, 1.0, 0.0) +
                    "[[functions]]\ntarget = \"sum.u\"\nexpression = \"2 * s + r * t\"\n"
                    "signals = { s = \"decay.x\", r = \"decay.der(x)\" }\n");
    const Columns columns = file.run();
    for (std::size_t k = 0; k < columns.at("time").size(); ++k) {
        const double t = columns.at("time")[k];
        EXPECT_NEAR(columns.at("sum.x")[k], 1.0 + (t - 1.0) * std::exp(-t), solver_error);
    }
}

// Dahlquist has the same equation with k = 1, and its state is an output: whatever a coupling does
// with an output it does with a state that is none.
TEST(StateThatIsNoOutput, is_exchanged_by_every_coupling_as_if_it_were_one) {
    struct Case {
        std::string coupling, kind;
    };
    std::vector<Case> cases;
    for (const char* coupling : {"aggregate", "jacobi", "gauss_seidel", "iterative", "predictor",
                                 "linear_implicit", "lti", "pre_step", "nepce"})
        for (const std::string& kind : test::all_kinds)
            if (!kind.ends_with("_cs") || std::string(coupling) == "jacobi" ||
                std::string(coupling) == "gauss_seidel" ||
                (std::string(coupling) == "iterative" && kind != "fmi1_cs"))
                cases.push_back({coupling, kind});
    for (const auto& [coupling, kind] : cases) {
        if (coupling == "iterative" && kind == "fmi1_me") continue;  // cannot go back
        SCOPED_TRACE(coupling + " " + kind);
        const std::string head =
            "connections = [\"one.x -> two.u\", { from = \"two.x\", to = \"one.u\", factor = -1 "
            "}]\n" +
            experiment + "[record]\nvariables = [\"*.x\"]\n[coupling]\nmethod = \"" + coupling +
            "\"\n";
        SystemFile with_outputs(head + test::subsystem_text("one", "Dahlquist", kind) +
                                test::subsystem_text("two", "Dahlquist", kind, "x = 0"));
        SystemFile with_states(head + hidden("one", kind, -1.0, 1.0, 1.0) +
                               hidden("two", kind, -1.0, 1.0, 0.0));
        const Columns expected = with_outputs.run(), columns = with_states.run();
        ASSERT_EQ(columns.at("time"), expected.at("time"));
        // The solvers inside have other tolerances in FMUs for Co-Simulation: 1e-6 and 1e-10.
        const double bound = kind.ends_with("_cs") ? 1e-5 : 1e-11;
        for (const char* x : {"one.x", "two.x"})
            for (std::size_t k = 0; k < columns.at("time").size(); ++k)
                ASSERT_NEAR(columns.at(x)[k], expected.at(x)[k], bound) << columns.at("time")[k];
    }
}

TEST(StateThatIsNoOutput, is_read_by_a_line_as_if_it_were_one) {
    const std::string head =
        "[experiment]\nstop = 0.5\nstep = 0.01\n[record]\nvariables = [\"*.x\"]\n"
        "[coupling]\nmethod = \"jacobi\"\n[[tlm]]\nname = \"line\"\ndomain = \"generic\"\n"
        "delay = 0.1\nimpedance = 1.0\nends = [{ flow = \"one.x\", effort = \"one.u\" }, "
        "{ flow = \"two.x\", effort = \"two.u\" }]\n";
    for (const std::string kind : {"native", "fmi1_me", "fmi2_me", "fmi3_me", "fmi2_cs"}) {
        SCOPED_TRACE(kind);
        SystemFile with_outputs(head + test::subsystem_text("one", "Dahlquist", kind) +
                                test::subsystem_text("two", "Dahlquist", kind, "x = 0"));
        SystemFile with_states(head + hidden("one", kind, -1.0, 1.0, 1.0) +
                               hidden("two", kind, -1.0, 1.0, 0.0));
        const Columns expected = with_outputs.run(), columns = with_states.run();
        const double bound = kind.ends_with("_cs") ? 1e-5 : 1e-11;  // as above
        for (const char* x : {"one.x", "two.x"})
            for (std::size_t k = 0; k < columns.at("time").size(); ++k)
                ASSERT_NEAR(columns.at(x)[k], expected.at(x)[k], bound) << columns.at("time")[k];
    }
}

TEST_P(VariableThatIsNoOutput, is_held_if_it_is_a_parameter) {
    SystemFile file("connections = [\"decay.a -> sum.u\"]\n" + aggregated +
                    hidden("decay", GetParam(), -1.5, 1.0, 9.0) +
                    hidden("sum", GetParam(), 0.0, 1.0, 0.0));
    EXPECT_NEAR(file.run().at("sum.x").back(), -3.0, solver_error);
}

// An alias is the variable it belongs to: as a source, as a target, and where both are driven.
TEST(AliasOfTheThirdVersion, is_connected_as_the_variable_itself) {
    const test::EditedFmu fmu(
        test::file_of("LinearOde", "fmi3_me"),
        {{"intermediateUpdate=\"true\" start=\"0\"/>",
          "intermediateUpdate=\"true\" start=\"0\"><Alias name=\"push\"/></Float64>"},
         {"variability=\"continuous\" initial=\"exact\" start=\"0\"/>",
          "variability=\"continuous\" initial=\"exact\" start=\"0\"><Alias "
          "name=\"memory\"/></Float64>"}});
    const auto linear = [](const std::string& name, const std::string& parameters) {
        return fmt::format(
            "[subsystems.{}]\nsource = \"linear.fmu\"\nkind = \"me\"\nparameters = {{ {} }}\n",
            name, parameters);
    };
    const std::string parts = aggregated + linear("decay", "x = 9") + linear("sum", "a = 0, b = 1");
    SystemFile file("connections = [\"decay.memory -> sum.push\"]\n" + parts);
    std::filesystem::create_directory_symlink(fmu.path(), file.in_folder("linear.fmu"));
    EXPECT_NEAR(file.run().at("sum.x").back(), 9.0 * -std::expm1(-2.0), solver_error);
    file.add("system.toml",
             "connections = [\"decay.memory -> sum.push\", \"decay.y -> sum.u\"]\n" + parts);
    EXPECT_THROW(file.run(), InputError);
}

}  // namespace
}  // namespace tandem
