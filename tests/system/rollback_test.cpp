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

TEST(CheckRollback, FindsAnFmuThatDoesNotRepeatItsStep) {
    const CommandFolder folder;
    const Said said = folder.tandem("check --rollback " + wall_clock);
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.out, HasSubstr("'WallClock_fmi3' says that it can go back, but a step that "
                                    "it repeats gives now = "));
}

TEST(CheckRollback, ConfirmsAnFmuThatDoes) {
    const CommandFolder folder;
    const Said said = folder.tandem("check --rollback fmus/LinearOde_fmi2.fmu");
    EXPECT_EQ(said.code, 0) << said.out << said.err;
    EXPECT_THAT(said.out, HasSubstr("LinearOde_fmi2 repeats a step exactly"));
}

TEST(CheckRollback, TellsAboutEachSubsystemOfASystem) {
    const CommandFolder folder;
    folder.write("s.toml",
                 "connections = [\"a.y -> b.u\", \"b.y -> a.u\"]\n[experiment]\nstop = 1\n"
                 "[subsystems.a]\nsource = \"fmus/LinearOde_fmi3.fmu\"\nkind = \"cs\"\n"
                 "[subsystems.b]\nsource = \"fmus/LinearOde_fmi1_cs.fmu\"\n");
    const Said said = folder.tandem("check --rollback s.toml");
    EXPECT_EQ(said.code, 0) << said.out << said.err;
    EXPECT_THAT(said.out, HasSubstr("a repeats a step exactly"));
    EXPECT_THAT(said.out, HasSubstr("b cannot go back"));
}

TEST(Runs, SayWhichSubsystemDoesNotRepeatItsStepWhereItHasTo) {
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
