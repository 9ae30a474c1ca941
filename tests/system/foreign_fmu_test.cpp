#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/command_folder.hpp"
#include "support/result_files.hpp"

// FMUs with the habits of other tools (support/fmus/foreign_fmi2.cpp): dx/dt = k u, y = x, u = 1.
namespace tandem::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string foreign = TANDEM_ODD_FMUS "/Foreign.fmu";

/// The FMU of that habit, and a source y = t, dx/dt = 1, that feeds it if `is_fed`.
std::string system_of(const std::string& habit, const std::string& coupling, bool is_fed) {
    return "[experiment]\nstop = 1\nstep = 0.1\n[coupling]\nmethod = " + coupling +
           "\n[subsystems." + habit + "]\nsource = \"" + foreign +
           "\"\nparameters = { k = 2.0 }\n[subsystems.ramp]\nsource = "
           "\"fmus/LinearOde_fmi2.fmu\"\nkind = \"cs\"\nparameters = { a = 0, b = 1, u = 1 }\n" +
           (is_fed ? "[[connections]]\nfrom = \"ramp.y\"\nto = \"" + habit + ".u\"\n" : "");
}

/// Runs it; y at the end.
double last_y(const std::string& text, const std::string& habit, Said& said) {
    const CommandFolder folder;
    folder.write("s.toml", text);
    said = folder.tandem("run s.toml --output o.csv");
    EXPECT_EQ(said.code, 0) << habit << ": " << said.err;
    if (said.code != 0) return 0.0;
    const std::string column = habit + ".y";
    return read_csv_results(folder / "o.csv")[column].back();
}

TEST(ForeignFmus, LoseNoParametersThatAreSetBeforeTheExperimentIs) {
    Said said;
    EXPECT_DOUBLE_EQ(last_y(system_of("forgets", "\"jacobi\"", false), "forgets", said), 2.0);
    EXPECT_THAT(said.err, Not(HasSubstr("did not keep")));
    const CommandFolder folder;
    const Said alone = folder.tandem("run " + foreign + " --stop 1 --set k=7 --output o.csv");
    EXPECT_EQ(alone.code, 0) << alone.err;
}

TEST(ForeignFmus, ThatChangeWhatWasSetAreNamedWithBothValues) {
    const CommandFolder folder;
    folder.write("s.toml", system_of("limits", "\"jacobi\"", false));
    const Said said = folder.tandem("run s.toml --set limits.k=7 --output o.csv");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.err, AllOf(HasSubstr("limits: the FMU did not keep start values"),
                                HasSubstr("k was set to 7 and reads 5")));
}

// y = 2 (integral of t) = 1 with lines; NaN as a slope before the first step would end the run.
TEST(ForeignFmus, AreNotAskedForSlopesBeforeTheFirstStep) {
    for (const std::string coupling :
         {"\"jacobi\"\norder = 1", "\"gauss_seidel\"\norder = 1", "\"jacobi\"\norder = 2",
          "\"nepce\"", "\"predictor\"", "\"linear_implicit\"", "\"iterative\""}) {
        Said said;
        EXPECT_NEAR(last_y(system_of("plain", coupling, true), "plain", said), 1.0, 0.11)
            << coupling;
        EXPECT_THAT(said.err, Not(HasSubstr("output derivatives"))) << coupling;
    }
}

TEST(ForeignFmus, WhoseSlopesCannotBeUsedGoOnWithPastOutputs) {
    for (const std::string habit : {"tells_no_slopes", "tells_wrong_slopes"}) {
        const CommandFolder folder;
        folder.write("s.toml",
                     "[experiment]\nstop = 1\nstep = 0.1\n[coupling]\nmethod = "
                     "\"jacobi\"\norder = 1\nslopes = \"told\"\n[subsystems." +
                         habit + "]\nsource = \"" + foreign +
                         "\"\n[subsystems.b]\nsource = \"fmus/LinearOde_fmi2.fmu\"\nkind "
                         "= \"cs\"\nparameters = { a = 0, b = 1 }\n[[connections]]\nfrom = "
                         "\"" +
                         habit + ".y\"\nto = \"b.u\"\n");
        const Said said = folder.tandem("run s.toml --output o.csv");
        EXPECT_EQ(said.code, 0) << said.err;
        EXPECT_THAT(said.err, HasSubstr(habit + ": the FMU gives no output derivatives"));
        // Integral of t; the first step holds y = 0, the others follow a line.
        EXPECT_NEAR(read_csv_results(folder / "o.csv")["b.y"].back(), 0.495, 1e-6);
    }
}

TEST(ForeignFmus, ThatTakeNoSlopesHoldTheirInputs) {
    Said said;
    // 2 (0.0 + 0.1 + ... + 0.9) 0.1
    EXPECT_NEAR(
        last_y(system_of("refuses_slopes", "\"jacobi\"\norder = 1", true), "refuses_slopes", said),
        0.9, 1e-9);
    EXPECT_THAT(said.err, HasSubstr("refuses_slopes: the FMU takes no input derivatives"));
}

// States are saved at the start of each step, none from before it.
TEST(ForeignFmus, AreToldThatNothingBeforeTheStepIsRestored) {
    for (const std::string coupling : {"\"iterative\"", "\"jacobi\"", "\"auto\""}) {
        Said said;
        EXPECT_NEAR(last_y(system_of("stands_still", coupling, true), "stands_still", said), 1.0,
                    0.11)
            << coupling;
    }
}

TEST(ForeignFmus, GetTheStepItselfNotDifferencesOfTimes) {
    Said said;
    EXPECT_NEAR(last_y(system_of("counts", "\"jacobi\"", false), "counts", said), 2.0, 1e-12);
}

TEST(ForeignFmus, MayCallTheirStateNull) {
    Said said;
    EXPECT_NEAR(last_y(system_of("null_state", "\"iterative\"", true), "null_state", said), 1.0,
                1e-9);
}

TEST(ForeignFmus, ThatDiscardAStepTellHowFarTheyCame) {
    Said said;
    EXPECT_NEAR(last_y(system_of("discards", "\"jacobi\"", false), "discards", said), 2.0, 1e-12);
    EXPECT_THAT(said.err, HasSubstr("1 retried"));
}

TEST(ForeignFmus, GetNoCallbackForStepsThatCannotBePending) {
    Said said;
    last_y(system_of("dislikes_callbacks", "\"jacobi\"", false), "dislikes_callbacks", said);
    EXPECT_THAT(said.err, Not(HasSubstr("stepFinished")));
}

// What was set last counts.
TEST(ForeignFmus, WhoseInputsCannotBeReadRunAllTheSame) {
    for (const std::string coupling : {"\"jacobi\"", "\"iterative\"", "\"predictor\""}) {
        Said said;
        EXPECT_NEAR(last_y(system_of("hides_inputs", coupling, true), "hides_inputs", said), 1.0,
                    0.11)
            << coupling;
    }
}

}  // namespace
}  // namespace tandem::test
