// Variables that cannot be read are not recorded, and a line says which.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/command_folder.hpp"
#include "support/result_files.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

/// The names in the first line.
std::string header(const CommandFolder& folder) {
    const std::string text = read_bytes(folder / "o.csv");
    return text.substr(0, text.find('\n'));
}

TEST(Unreadable, VariablesAreLeftOutOfTheResultsOfAnFmu) {
    for (const auto& [habit, kept] : {std::pair{"hides_state", "time,u,y,k,g,z"},
                                      std::pair{"hides_inputs", "time,y,k,x,g,z"}}) {
        const CommandFolder folder;
        const std::string fmu = std::string(habit) + ".fmu";
        std::filesystem::copy_file(TANDEM_ODD_FMUS "/Foreign.fmu", folder / fmu);
        const Said said = folder.tandem("run " + fmu + " --record '*' --stop 1 --output o.csv");
        EXPECT_EQ(said.code, 0) << said.err;
        EXPECT_EQ(header(folder), kept);
        const std::string name = habit == std::string("hides_state") ? "x" : "u";
        EXPECT_THAT(said.err, HasSubstr("warning: not recorded, because the FMU does not let it be "
                                        "read: " +
                                        name + "\n"));
        // The sum of 500 increments.
        EXPECT_NEAR(read_csv_results(folder / "o.csv")["y"].back(), 1.0, 1e-12);
    }
}

TEST(Unreadable, VariablesAreLeftOutOfTheResultsOfASystem) {
    const CommandFolder folder;
    folder.write("s.toml",
                 "[experiment]\nstop = 1\nstep = 0.1\n[subsystems.hides_state]\nsource = "
                 "\"" TANDEM_ODD_FMUS
                 "/Foreign.fmu\"\n[subsystems.b]\nsource = \"fmus/LinearOde_fmi2.fmu\"\n"
                 "[[connections]]\nfrom = \"hides_state.y\"\nto = \"b.u\"\n");
    for (const std::string format : {"csv", "mat", "h5"}) {
        const Said said = folder.tandem("run s.toml --record '*' --output o." + format);
        EXPECT_EQ(said.code, 0) << said.err;
        EXPECT_THAT(said.err, HasSubstr("does not let it be read: hides_state.x\n"));
    }
    EXPECT_THAT(header(folder), HasSubstr("time,hides_state.u,hides_state.y,hides_state.k,"
                                          "hides_state.g,hides_state.z,b."));
}

TEST(Unreadable, ClocksAreNotRecorded) {
    const CommandFolder folder;
    for (const std::string kind : {"cs", "me"}) {
        const Said alone = folder.tandem("run fmus/ClockedCounter_fmi3.fmu --record '*' --kind " +
                                         kind + " --output o.csv");
        EXPECT_EQ(alone.code, 0) << alone.err;
        EXPECT_THAT(alone.err, HasSubstr("--record: not recorded, because clocks can be read in "
                                         "event mode only: tick, carry\n"));
        EXPECT_EQ(header(folder), "time,count,tens");
        EXPECT_EQ(read_csv_results(folder / "o.csv")["tens"].back(), 3.0);
    }
    folder.write("s.toml",
                 "[experiment]\nstop = 1\n[subsystems.a]\nsource = "
                 "\"fmus/ClockedCounter_fmi3.fmu\"\n");
    const Said said = folder.tandem("run s.toml --record '*' --output o.csv");
    EXPECT_THAT(said.err, HasSubstr("event mode only: a.tick, a.carry\n"));
    EXPECT_EQ(header(folder), "time,a.count,a.tens");
    EXPECT_THAT(folder.tandem("run s.toml --output o.csv").err,
                ::testing::Not(HasSubstr("clocks")));
}

}  // namespace
}  // namespace tandem::test
