#include "assemble/choose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/edited_fmu.hpp"
#include "support/system_file.hpp"

namespace tandem::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* native_oscillator = "source = \"" TANDEM_FMU_DIR "/native/Oscillator.so\"\n";

/// An FMU of ours that offers both kinds, without a word about which.
std::string both_kinds(const std::string& model, const std::string& version) {
    return fmt::format("source = \"{}/{}_{}.fmu\"\n", TANDEM_FMU_DIR, model, version);
}

std::string ring(std::size_t size) {
    std::string text = "connections = [";
    for (std::size_t i = 0; i < size; ++i)
        text += fmt::format("\"{}.x -> {}.x_left\", \"{}.v -> {}.v_left\", ", "abcdef"[i],
                            "abcdef"[(i + 1) % size], "abcdef"[i], "abcdef"[(i + 1) % size]);
    return text + "]\n";
}

/// How a, b, c, ... with these sources are coupled.
RunRecord chosen_for(const std::vector<std::string>& sources, const std::string& connections,
                     const std::string& more = "", Diagnostics* findings = nullptr) {
    std::string text = connections + "[experiment]\nstop = 1\n" + more;
    for (std::size_t i = 0; i < sources.size(); ++i)
        text += fmt::format("[subsystems.{}]\n{}", "abcdef"[i], sources[i]);
    const SystemFile file(text);
    const run::SystemRun system(file.options());
    if (findings != nullptr) *findings = system.findings();
    return system.record();
}

/// Subsystems a, b, c of these kinds, b fed by a and, in a `ring`, back.
RunRecord chosen(const std::vector<std::string>& kinds, bool in_ring,
                 const std::string& more = "") {
    std::vector<std::string> sources;
    for (const std::string& kind : kinds) sources.push_back(source_of("LinearOde", kind));
    return chosen_for(sources,
                      in_ring ? "connections = [\"a.y -> b.u\", \"b.y -> a.u\"]\n"
                              : "connections = [\"a.y -> b.u\"]\n",
                      more);
}

std::vector<std::string> kinds_of(const RunRecord& record) {
    std::vector<std::string> kinds;
    for (const SubsystemRecord& subsystem : record.subsystems) kinds.push_back(subsystem.kind);
    return kinds;
}
const std::vector<std::string> two_exchange = {"model exchange", "model exchange"};
const std::vector<std::string> two_step = {"co-simulation", "co-simulation"};

TEST(ChosenCoupling, goes_forward_where_there_is_no_cycle) {
    const RunRecord record = chosen({"fmi1_cs", "fmi2_cs"}, false);
    EXPECT_EQ(record.coupling.method, "iterative");
    EXPECT_EQ(record.coupling.explanation,
              "chosen because the connections of real values form no cycle: sources step before "
              "sinks; next best: "
              "gauss_seidel, jacobi");
}

TEST(ChosenCoupling, iterates_where_those_that_feed_each_other_can_go_back) {
    const RunRecord record = chosen({"fmi2_cs", "fmi3_cs", "fmi1_cs"}, true);
    EXPECT_EQ(record.coupling.method, "iterative");
    EXPECT_THAT(record.coupling.explanation,
                HasSubstr("can repeat their steps until their values agree"));
}

TEST(ChosenCoupling, names_who_cannot_go_back) {
    const RunRecord record = chosen({"fmi2_cs", "fmi1_cs"}, true);
    EXPECT_EQ(record.coupling.method, "gauss_seidel");
    EXPECT_THAT(record.coupling.explanation,
                HasSubstr("a cycle goes through 'b', which cannot repeat a step"));
}

TEST(ChosenCoupling, aggregates_models_and_says_how_the_rest_is_coupled) {
    const RunRecord record = chosen({"fmi2_me", "native", "fmi1_cs"}, true);
    EXPECT_EQ(record.coupling.method, "aggregate");
    EXPECT_THAT(record.coupling.explanation,
                HasSubstr("2 models give their equations to one solver; the rest is coupled by "
                          "iterative: "));
    ASSERT_EQ(record.coupling.options.size(), 1U);
    EXPECT_EQ(record.coupling.options[0], (Setting{"outer", "iterative"}));
}

TEST(ChosenCoupling, is_the_same_when_it_is_asked_for_by_name) {
    const std::string automatic = "[coupling]\nmethod = \"auto\"\n";
    EXPECT_EQ(chosen({"fmi2_cs", "fmi1_cs"}, true, automatic).coupling.method, "gauss_seidel");
    EXPECT_EQ(chosen({"native", "native"}, true, automatic).coupling.method, "aggregate");
}

TEST(ChosenCoupling, has_the_options_that_are_given_without_a_method) {
    EXPECT_EQ(chosen({"fmi2_cs", "fmi2_cs"}, true, "[coupling]\norder = 1\n").coupling.method,
              "jacobi");
    EXPECT_EQ(
        chosen({"fmi2_cs", "fmi2_cs"}, true, "[coupling]\nmax_iterations = 9\n").coupling.method,
        "iterative");
}

TEST(ChosenCoupling, names_two_others_that_the_system_can_do) {
    EXPECT_THAT(chosen({"native", "fmi2_me"}, true).coupling.explanation,
                EndsWith("; next best: iterative, lti"));
    EXPECT_THAT(chosen({"fmi2_cs", "fmi1_cs"}, true).coupling.explanation,
                EndsWith("; next best: gauss_seidel with order = 1, predictor with interface = "
                         "identified"));
    EXPECT_THAT(chosen({"fmi2_cs", "fmi2_cs"}, true).coupling.explanation,
                EndsWith("; next best: lti, predictor"));
}

// Both kinds
class ChosenKind : public ::testing::TestWithParam<std::string> {};

TEST_P(ChosenKind, is_model_exchange_where_that_makes_one_equation_of_a_cycle) {
    const std::string fmu = both_kinds("Oscillator", GetParam());
    const RunRecord record = chosen_for({fmu, fmu}, ring(2));
    EXPECT_EQ(record.coupling.method, "aggregate");
    EXPECT_EQ(kinds_of(record), two_exchange);
    EXPECT_EQ(record.coupling.explanation,
              "chosen because with 'a' and 'b' as Model Exchange a cycle becomes one equation, in "
              "which nothing is sampled (kind = \"cs\" keeps Co-Simulation); next best (with kind "
              "= \"me\"): lti, predictor");
}

TEST_P(ChosenKind, is_model_exchange_for_all_if_none_has_to_step) {
    const std::string fmu = both_kinds("Oscillator", GetParam());
    std::string to_c = ring(2);
    to_c.insert(to_c.find(']'), "\"a.x -> c.x_left\"");
    EXPECT_EQ(kinds_of(chosen_for({fmu, fmu, fmu}, to_c)),
              (std::vector<std::string>{"model exchange", "model exchange", "model exchange"}));
}

TEST_P(ChosenKind, is_co_simulation_beside_others_that_step_unless_a_cycle_becomes_one_equation) {
    const std::string fmu = both_kinds("Oscillator", GetParam());
    std::string more = ring(2);
    more.insert(more.find(']'), "\"a.x -> c.x_left\", \"d.x -> a.x_right\"");
    const RunRecord record = chosen_for({fmu, fmu, fmu + "kind = \"cs\"\n", fmu}, more);
    EXPECT_EQ(record.coupling.method, "aggregate");
    EXPECT_EQ(kinds_of(record), (std::vector<std::string>{"model exchange", "model exchange",
                                                          "co-simulation", "co-simulation"}));
}

TEST_P(ChosenKind, makes_one_equation_with_a_native_model) {
    const RunRecord record =
        chosen_for({both_kinds("Oscillator", GetParam()), native_oscillator}, ring(2));
    EXPECT_EQ(record.coupling.method, "aggregate");
    EXPECT_EQ(kinds_of(record), (std::vector<std::string>{"model exchange", "native"}));
}

TEST_P(ChosenKind, is_co_simulation_where_the_file_says_so_or_there_is_no_cycle) {
    const std::string fmu = both_kinds("Oscillator", GetParam());
    const std::string cs = fmu + "kind = \"cs\"\n";
    EXPECT_EQ(kinds_of(chosen_for({cs, cs}, ring(2))), two_step);
    EXPECT_EQ(kinds_of(chosen_for({fmu, cs}, ring(2))), two_step);
    EXPECT_EQ(kinds_of(chosen_for({fmu, fmu}, "connections = [\"a.x -> b.x_left\"]\n")), two_step);
}

TEST_P(ChosenKind, is_co_simulation_with_a_coupling_or_options_that_sample) {
    const std::string fmu = both_kinds("Oscillator", GetParam());
    for (const char* asked : {"method = \"jacobi\"", "method = \"iterative\"", "max_iterations = 9",
                              "method = \"auto\"\nmax_iterations = 9"})
        EXPECT_EQ(kinds_of(chosen_for({fmu, fmu}, ring(2), fmt::format("[coupling]\n{}\n", asked))),
                  two_step)
            << asked;
    EXPECT_EQ(kinds_of(chosen_for({fmu, fmu + "step_ratio = 2\n"}, ring(2))), two_step);
}

INSTANTIATE_TEST_SUITE_P(Versions, ChosenKind, ::testing::Values("fmi2", "fmi3"));

TEST(ChosenKindOfFmu, is_co_simulation_where_model_exchange_needs_a_tool_or_cannot_be_loaded) {
    const std::string file = std::string(TANDEM_FMU_DIR) + "/Oscillator_fmi2.fmu";
    const std::string identifier = "<ModelExchange modelIdentifier=\"Oscillator\"";
    const EditedFmu needs_tool(file, {{identifier, identifier + " needsExecutionTool=\"true\""}});
    const EditedFmu no_binary(file, {{identifier, "<ModelExchange modelIdentifier=\"Broken\""}});
    test::write_bytes(no_binary.path() / "binaries" / "linux64" / "Broken.so", "no library");
    const auto source = [](const EditedFmu& fmu) {
        return fmt::format("source = \"{}\"\n", fmu.path().string());
    };
    const std::string other = both_kinds("Oscillator", "fmi2");
    Diagnostics findings;
    EXPECT_EQ(kinds_of(chosen_for({source(needs_tool), other}, ring(2), "", &findings)), two_step);
    const std::size_t before = findings.size();
    EXPECT_EQ(kinds_of(chosen_for({source(no_binary), other}, ring(2), "", &findings)), two_step);
    ASSERT_EQ(findings.size(), before + 1);
    EXPECT_THAT(findings.front().problem,
                StartsWith("FMUs that offer both kinds are not taken as Model Exchange, because "
                           "one cannot be: "));
}

TEST(ChosenKindOfFmu, is_co_simulation_where_only_that_can_go_back_with_others_that_step) {
    const std::string file = std::string(TANDEM_FMU_DIR) + "/Oscillator_fmi2.fmu";
    const std::string identifier = "<ModelExchange modelIdentifier=\"Oscillator\" ";
    const EditedFmu edited(file, {{identifier + "canGetAndSetFMUstate=\"true\"", identifier}});
    const std::string fmu = fmt::format("source = \"{}\"\n", edited.path().string());
    const std::string cs = both_kinds("Oscillator", "fmi2") + "kind = \"cs\"\n";
    EXPECT_EQ(kinds_of(chosen_for({fmu, fmu}, ring(2))), two_exchange);
    std::string more = ring(2);
    more.insert(more.find(']'), "\"a.x -> c.x_left\", \"c.x -> a.x_right\"");
    const RunRecord mixed = chosen_for({fmu, fmu, cs}, more);
    EXPECT_EQ(mixed.coupling.method, "iterative");
    EXPECT_EQ(kinds_of(mixed).front(), "co-simulation");
}

// Stabilised couplings
const std::string own = std::string(native_oscillator) + "solver = \"dopri5\"\n";

TEST(ChosenStabilisation, is_for_models_with_solvers_of_their_own_that_feed_each_other) {
    const RunRecord two = chosen_for({own, own}, ring(2));
    EXPECT_EQ(two.coupling.method, "lti");
    EXPECT_THAT(two.coupling.explanation, StartsWith("chosen because all subsystems give linear "
                                                     "models, which say what inputs do over a "
                                                     "step"));
    EXPECT_THAT(two.coupling.explanation, EndsWith("; next best: aggregate, predictor"));
    const RunRecord four = chosen_for({own, own, own, own}, ring(4));
    EXPECT_EQ(four.coupling.method, "predictor");
    EXPECT_THAT(four.coupling.explanation, EndsWith("; next best: aggregate, lti"));
}

TEST(ChosenStabilisation, is_not_for_signals_that_a_linear_model_does_not_know) {
    const std::string function =
        "[[functions]]\ntarget = \"a.x_right\"\nexpression = \"sin(x)\"\n"
        "signals = { x = \"b.x\" }\n";
    EXPECT_EQ(chosen_for({own, own}, ring(2), function).coupling.method, "iterative");
    const std::string source = "source = \"" TANDEM_FMU_DIR "/native/SineSource.so\"\n";
    std::string driven = ring(2);
    driven.insert(driven.find(']'), "\"c.y -> a.x_right\"");
    EXPECT_EQ(chosen_for({own, own, source}, driven).coupling.method, "iterative");
    const std::string loop = source_of("LinearOde", "native") + "solver = \"dopri5\"\n";
    EXPECT_EQ(chosen_for({loop, loop}, "connections = [\"a.y -> b.u\", \"b.y -> a.u\"]\n")
                  .coupling.method,
              "iterative");
}

TEST(ChosenStabilisation, is_for_co_simulation_that_gives_linear_models_and_cannot_go_back) {
    const std::string file = std::string(TANDEM_FMU_DIR) + "/Oscillator_fmi2.fmu";
    const EditedFmu edited(file, {{"canGetAndSetFMUstate=\"true\"", ""}});
    const std::string cs = fmt::format("source = \"{}\"\nkind = \"cs\"\n", edited.path().string());
    const RunRecord record = chosen_for({cs, cs}, ring(2));
    EXPECT_EQ(record.coupling.method, "lti");
    EXPECT_THAT(record.coupling.explanation,
                StartsWith("chosen because 'a' cannot repeat a step, but all subsystems give "
                           "linear models"));
    EXPECT_THAT(record.coupling.explanation, EndsWith("; next best: predictor, gauss_seidel"));
}

}  // namespace
}  // namespace tandem::test
