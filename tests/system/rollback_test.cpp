#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/command_folder.hpp"

namespace tandem {
namespace {

using test::CommandFolder;
using test::Said;
using testing::HasSubstr;
using testing::Not;

/// Says the time of a clock, which does not go back.
const std::string wall_clock = std::string(TANDEM_ODD_FMUS) + "/WallClock_fmi3.fmu";

TEST(CheckRollback, finds_an_fmu_that_does_not_repeat_its_step) {
    const CommandFolder folder;
    const Said said = folder.tandem("check --rollback " + wall_clock);
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.out, HasSubstr("'WallClock_fmi3' says that it can go back, but a step that "
                                    "it repeats gives now = "));
}

TEST(CheckRollback, confirms_an_fmu_that_does) {
    const CommandFolder folder;
    const Said said = folder.tandem("check --rollback fmus/LinearOde_fmi2.fmu");
    EXPECT_EQ(said.code, 0) << said.out << said.err;
    EXPECT_THAT(said.out, HasSubstr("LinearOde_fmi2 repeats steps exactly"));
}

TEST(CheckRollback, tells_about_each_subsystem_of_a_system) {
    const CommandFolder folder;
    folder.write("s.toml",
                 "connections = [\"a.y -> b.u\", \"b.y -> a.u\"]\n[experiment]\nstop = 1\n"
                 "[subsystems.a]\nsource = \"fmus/LinearOde_fmi3.fmu\"\nkind = \"cs\"\n"
                 "[subsystems.b]\nsource = \"fmus/LinearOde_fmi1_cs.fmu\"\n");
    const Said said = folder.tandem("check --rollback s.toml");
    EXPECT_EQ(said.code, 0) << said.out << said.err;
    EXPECT_THAT(said.out, HasSubstr("a repeats steps exactly"));
    EXPECT_THAT(said.out, HasSubstr("b cannot go back"));
}

/// What is said of an integrator with that habit, and of a good one beside it.
std::string said_of(const std::string& habit, const std::string& parameters, int code) {
    const CommandFolder folder;
    const auto part = [&](const std::string& name) {
        return "[subsystems." + name +
               "]\nsource = \"" TANDEM_ODD_FMUS "/Foreign.fmu\"\nparameters = { " + parameters +
               " }\n";
    };
    folder.write("s.toml", "[experiment]\nstop = 1\nstep = 0.1\n" + part(habit) + part("good"));
    const Said said = folder.tandem("check --rollback s.toml");
    EXPECT_EQ(said.code, code) << said.out << said.err;
    EXPECT_THAT(said.out, HasSubstr(parameters == "k = 0.0" ? "good: no verdict" : "good repeats"));
    return said.out;
}

TEST(CheckRollback, survives_crashes_and_takes_errors_for_findings) {
    EXPECT_THAT(said_of("crashes_back", "k = 1.0", 2),
                HasSubstr("going back was tried and failed: crashes_back: "));
    EXPECT_THAT(said_of("keeps_no_state", "k = 1.0", 2), HasSubstr("fmi2GetFMUstate"));
}

TEST(CheckRollback, tells_solvers_that_start_afresh) {
    EXPECT_THAT(said_of("restarts", "k = 1.0", 0),
                HasSubstr("a step after going back, the first time, gives "));
}

TEST(CheckRollback, has_no_verdict_where_nothing_moves) {
    EXPECT_THAT(said_of("sleeps", "k = 0.0", 0),
                HasSubstr("sleeps: no verdict, because nothing moved"));
}

TEST(Runs, that_repeat_steps_refuse_subsystems_that_keep_no_state) {
    const CommandFolder folder;
    folder.write("s.toml",
                 "[experiment]\nstop = 1\nstep = 0.1\n[subsystems.keeps_no_state]\n"
                 "source = \"" TANDEM_ODD_FMUS
                 "/Foreign.fmu\"\n"
                 "[subsystems.good]\nsource = \"" TANDEM_ODD_FMUS "/Foreign.fmu\"\n");
    const Said said = folder.tandem("run s.toml --step-control richardson");
    EXPECT_EQ(said.code, 2) << said.err;
    EXPECT_THAT(said.err, HasSubstr("s.toml:4: subsystem 'keeps_no_state' says that it can go "
                                    "back, but cannot: "));
    EXPECT_THAT(said.err, HasSubstr("error: s.toml:4: subsystem 'keeps_no_state' cannot do what "
                                    "step control 'richardson' needs: rollback"));
}

TEST(Runs, that_repeat_steps_say_when_an_fmu_crashes_where_it_goes_back) {
    const CommandFolder folder;
    folder.write("s.toml",
                 "[experiment]\nstop = 1\nstep = 0.1\n[subsystems.crashes_back]\n"
                 "source = \"" TANDEM_ODD_FMUS
                 "/Foreign.fmu\"\n"
                 "[subsystems.good]\nsource = \"" TANDEM_ODD_FMUS "/Foreign.fmu\"\n");
    const Said said = folder.tandem("run s.toml --step-control richardson");
    EXPECT_EQ(said.code, 1);
    EXPECT_THAT(said.err, HasSubstr("crashes_back: the FMU crashed in fmi2SetFMUstate"));
    EXPECT_THAT(said.err, HasSubstr("going back, which the FMU says it can do, was tried before "
                                    "the first step: choose a coupling and a step control that "
                                    "repeat no steps"));
    EXPECT_THAT(test::read_bytes(folder / "run.json"), HasSubstr("crashed in fmi2SetFMUstate"));
    EXPECT_EQ(folder.tandem("run s.toml --coupling jacobi").code, 0);
}

TEST(Runs, say_which_subsystem_does_not_repeat_its_step_where_it_has_to) {
    const CommandFolder folder;
    folder.write("s.toml",
                 "connections = [\"clock.now -> b.u\"]\n[experiment]\nstop = 0.1\nstep = 0.1\n"
                 "[subsystems.clock]\nsource = \"" +
                     wall_clock +
                     "\"\nkind = \"cs\"\n"
                     "[subsystems.b]\nsource = \"fmus/LinearOde_fmi2.fmu\"\n"
                     "kind = \"cs\"\n");
    EXPECT_THAT(folder.tandem("run s.toml").err, Not(HasSubstr("repeats gives")));
    const Said said =
        folder.tandem("run s.toml --step-control richardson --step-option min_step=0.05");
    EXPECT_THAT(said.err, HasSubstr("s.toml:5: subsystem 'clock' says that it can go back, but a "
                                    "step that it repeats gives now = "));
}

}  // namespace
}  // namespace tandem
