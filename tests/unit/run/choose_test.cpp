#include "run/choose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/system_file.hpp"

namespace tandem::testing {
namespace {

using ::testing::HasSubstr;

/// How subsystems a, b, c of these kinds are coupled, b to a and, in a `ring`, back.
RunRecord chosen(const std::vector<std::string>& kinds, bool ring, const std::string& more = "") {
    std::string text = "connections = [\"a.y -> b.u\"";
    if (ring) text += ", \"b.y -> a.u\"";
    text += "]\n[experiment]\nstop = 1\n" + more;
    for (std::size_t i = 0; i < kinds.size(); ++i)
        text += subsystem_text(std::string(1, "abc"[i]), "LinearOde", kinds[i]);
    const SystemFile file(text);
    run::SystemRun system(file.options());
    return system.record();
}

TEST(ChosenCoupling, GoesForwardWhereNothingGoesRound) {
    const RunRecord record = chosen({"fmi1_cs", "fmi2_cs"}, false);
    EXPECT_EQ(record.coupling.method, "iterative");
    EXPECT_EQ(record.coupling.explanation,
              "chosen because the connections of real values form no cycle: sources step before "
              "sinks");
}

TEST(ChosenCoupling, IteratesWhereThoseThatFeedEachOtherCanGoBack) {
    const RunRecord record = chosen({"fmi2_cs", "fmi3_cs", "fmi1_cs"}, true);
    EXPECT_EQ(record.coupling.method, "iterative");
    EXPECT_THAT(record.coupling.explanation, HasSubstr("can repeat their steps until they agree"));
}

TEST(ChosenCoupling, NamesWhoCannotGoBack) {
    const RunRecord record = chosen({"fmi2_cs", "fmi1_cs"}, true);
    EXPECT_EQ(record.coupling.method, "gauss_seidel");
    EXPECT_THAT(record.coupling.explanation,
                HasSubstr("values go round through 'b', which cannot repeat a step"));
}

TEST(ChosenCoupling, AggregatesModelsAndSaysHowTheRestIsCoupled) {
    const RunRecord record = chosen({"fmi2_me", "native", "fmi1_cs"}, true);
    EXPECT_EQ(record.coupling.method, "aggregate");
    EXPECT_THAT(record.coupling.explanation,
                HasSubstr("2 models give their equations to one solver; the rest is coupled by "
                          "iterative: "));
    ASSERT_EQ(record.coupling.options.size(), 1U);
    EXPECT_EQ(record.coupling.options[0], (Setting{"outer", "iterative"}));
}

TEST(ChosenCoupling, IsTheSameWhenItIsAskedForByName) {
    const std::string automatic = "[coupling]\nmethod = \"auto\"\n";
    EXPECT_EQ(chosen({"fmi2_cs", "fmi1_cs"}, true, automatic).coupling.method, "gauss_seidel");
    EXPECT_EQ(chosen({"native", "native"}, true, automatic).coupling.method, "aggregate");
}

TEST(ChosenCoupling, HasTheOptionsThatAreGivenWithoutAMethod) {
    EXPECT_EQ(chosen({"fmi2_cs", "fmi2_cs"}, true, "[coupling]\norder = 1\n").coupling.method,
              "jacobi");
    EXPECT_EQ(
        chosen({"fmi2_cs", "fmi2_cs"}, true, "[coupling]\nmax_iterations = 9\n").coupling.method,
        "iterative");
}

}  // namespace
}  // namespace tandem::testing
