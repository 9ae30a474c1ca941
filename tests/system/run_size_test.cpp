// What is said of runs that are larger or smaller than they were meant to be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/system_run.hpp"
#include "support/command_folder.hpp"

namespace tandem::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string system_of(const std::string& experiment) {
    return "[experiment]\n" + experiment +
           "[subsystems.a]\nsource = \"fmus/Exponential_fmi2.fmu\"\nkind = \"cs\"\n";
}

TEST(RunSize, a_step_longer_than_the_run_is_a_warning) {
    const CommandFolder folder;
    folder.write("s.toml", system_of("stop = 3\nstep = 100\n"));
    const std::string sentence =
        "the step 100 is longer than the run, which becomes one step from 0 to 3";
    EXPECT_THAT(folder.tandem("run s.toml").err, HasSubstr("warning: s.toml:1: " + sentence));
    EXPECT_THAT(folder.tandem("check s.toml").out, HasSubstr("warning: s.toml:1: " + sentence));
    EXPECT_THAT(folder.tandem("run fmus/Exponential_fmi2.fmu --stop 3 --step 100").err,
                HasSubstr("warning: --step: " + sentence));
    for (const std::string times : {"--stop 3 --step 3", "--stop 0.3 --step 0.1", "--stop 0"})
        EXPECT_THAT(folder.tandem("run s.toml --step 0.1 " + times).err, Not(HasSubstr("longer")));
}

// The model ends them at once.
TEST(RunSize, a_billion_rows_are_announced_before_the_run) {
    const CommandFolder folder;
    folder.write("s.toml",
                 "[experiment]\nstop = 1\nstep = 1e-9\n[subsystems.a]\nsource = "
                 "\"fmus/IllBehaved_fmi2.fmu\"\nkind = \"cs\"\n"
                 "parameters = { fault = \"error\", at = 0 }\n");
    const std::string sentence =
        "the run takes 1e+09 steps and records 1e+09 rows of 1 columns, about 32 GB";
    EXPECT_THAT(folder.tandem("run s.toml").err, HasSubstr("warning: s.toml:1: " + sentence));
    EXPECT_THAT(folder
                    .tandem("run fmus/IllBehaved_fmi2.fmu --kind cs --set fault=error --set at=0 "
                            "--stop 1 --step 1ns")
                    .err,
                HasSubstr("warning: --step: " + sentence));
    EXPECT_THAT(folder.tandem("check s.toml").out, HasSubstr("the run takes 1e+09 steps\n"));
}

/// x' = -100 x + 100 y, y' = -100 y - 100 x, from 1, sampled: no step is short enough.
std::string crawling(const std::string& folder) {
    const std::string ode = "]\nsource = \"" + folder +
                            "/LinearOde_fmi2.fmu\"\nkind = \"cs\"\nparameters = { a = -100, b = ";
    return "[experiment]\nstop = 1000\nstep = 1\n[coupling]\nmethod = \"jacobi\"\n"
           "[step_control]\nmethod = \"predictor\"\ntolerance = 1e-12\n[subsystems.x" +
           ode + "100, x = 1 }\n[subsystems.y" + ode +
           "-100, x = 1 }\n[[connections]]\nfrom = \"x.y\"\nto = \"y.u\"\n"
           "[[connections]]\nfrom = \"y.y\"\nto = \"x.u\"\n";
}

TEST(RunSize, a_step_control_that_crawls_says_how_long_it_will_take_and_why) {
    const CommandFolder folder;
    folder.write("s.toml", crawling(TANDEM_FMU_DIR));
    run::SystemRunOptions options;
    options.file = (folder / "s.toml").string();
    options.results = false;
    const run::SystemRun* watched = nullptr;
    options.go_on = [&watched](double) { return watched->report().steps < 20'000; };
    run::SystemRun run(options);
    watched = &run;
    run.perform();
    Diagnostics found;
    for (const Diagnostic& finding : run.findings())
        if (finding.problem.find("at that pace") != std::string::npos) found.push_back(finding);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().place, "step control 'prediction_error'");
    EXPECT_THAT(found.front().problem, AllOf(HasSubstr("e+08 more of them, about "),
                                             HasSubstr("the error estimate, most of all of '"),
                                             HasSubstr(".y', allows no longer ones")));
}

TEST(RunSize, a_run_that_starts_again_says_so_at_once) {
    const CommandFolder folder;
    folder.write("s.toml",
                 "[experiment]\nstop = 1\nstep = 0.1\n[subsystems.a]\nsource = "
                 "\"fmus/IllBehaved_fmi2.fmu\"\nkind = \"cs\"\n");
    const Said said =
        folder.tandem("run s.toml --set a.fault=discard --set a.at=0.55 --output o.csv");
    EXPECT_THAT(said.err, HasSubstr("was rejected by 'a', and no state had been saved before it"));
    EXPECT_THAT(said.err, HasSubstr("the run was started again, saving states"));
}

}  // namespace
}  // namespace tandem::test
