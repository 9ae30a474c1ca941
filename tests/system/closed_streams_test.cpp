// FMUs that close files which are not theirs: standard input, output and error, or all there are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "support/command_folder.hpp"
#include "support/unruly_system.hpp"

namespace tandem {
namespace {

using test::expect_unruly_rows;
using test::UnrulySystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* all_streams =
    "bad: standard input, standard output, standard error were closed or redirected, in fmi";

class ClosedStreams : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, ClosedStreams, ::testing::Values("fmi1_cs", "fmi2_me", "fmi3_cs"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(ClosedStreams, are_opened_again_with_a_warning_that_names_the_fmu) {
    UnrulySystem system(GetParam(), "close_streams");
    EXPECT_EQ(system.run(), 0) << system.said();
    EXPECT_THAT(system.said(), HasSubstr(all_streams));
    EXPECT_THAT(system.said(), HasSubstr("results   out.csv: 11 rows"));
    expect_unruly_rows(system, 11);
    EXPECT_EQ(system.record()["outcome"], "complete");
}

TEST_P(ClosedStreams, that_cannot_be_opened_again_end_the_run_and_the_parent_says_why) {
    UnrulySystem system(GetParam(), "close_everything");
    EXPECT_EQ(system.run(), 1);
    SCOPED_TRACE(system.said());
    EXPECT_THAT(system.said(), AllOf(HasSubstr(all_streams), HasSubstr("hint:")));
    expect_unruly_rows(system, 5);
    EXPECT_EQ(system.record()["outcome"], "failed");
    EXPECT_EQ(system.record()["results"][0]["rows"], system.results()["time"].size());
    EXPECT_THAT(system.record()["outcome_sentence"].get<std::string>(), HasSubstr(all_streams));
    EXPECT_THAT(system.temporary_folders(), IsEmpty());
}

TEST_P(ClosedStreams, lose_no_rows_that_go_to_standard_output) {
    // said.txt is standard output here, too.
    UnrulySystem system(GetParam(), "close_streams");
    EXPECT_EQ(system.run("-", {"--quiet"}), 0);
    EXPECT_THAT(system.said(), ContainsRegex("\n0\\.9[0-9.e-]*,"));
    EXPECT_THAT(system.said(), ContainsRegex("\n1,"));
    EXPECT_EQ(system.record()["results"][0]["rows"], 11);
    UnrulySystem lost(GetParam(), "close_everything");
    EXPECT_EQ(lost.run("-", {"--quiet"}), 1);
    EXPECT_THAT(lost.said(), AllOf(ContainsRegex("\n0\\.4[0-9.e-]*,"), HasSubstr(all_streams)));
    EXPECT_GE(lost.record()["results"][0]["rows"], 5);
}

TEST_P(ClosedStreams, are_not_touched_where_only_other_files_are_closed) {
    UnrulySystem system(GetParam(), "close_all_files");
    EXPECT_EQ(system.run(), 0) << system.said();
    EXPECT_THAT(system.said(),
                AllOf(HasSubstr("out.csv: an FMU closed the file"), Not(HasSubstr("standard"))));
    expect_unruly_rows(system, 11);
}

/// A system of one FMU of the library doomed_fmi2, and what it does.
class DoomedStreams : public test::ProgramFolder {
public:
    DoomedStreams() {
        test::write_small_fmu(*this / "doomed.fmu", "doomed", "doomed_fmi2");
        std::ofstream(*this / "system.toml")
            << "[experiment]\nstop = 1.0\nstep = 0.1\n[subsystems.bad]\nsource = 'doomed.fmu'\n";
    }
    int run(const char* doom, const std::string& file) {
        setenv("TANDEM_DOOM", doom, 1);
        const pid_t child = start({"run", file, "--step", "0.1", "--output", "out.csv"});
        unsetenv("TANDEM_DOOM");
        return test::finish_tandem(child);
    }
};

TEST(ClosedStreamsAnywhere, are_named_with_the_call) {
    for (const std::string place : {"load", "fmi2Instantiate", "fmi2DoStep", "fmi2FreeInstance"})
        for (const char* file : {"system.toml", "doomed.fmu"}) {
            DoomedStreams folder;
            EXPECT_EQ(folder.run((place + " close_streams").c_str(), file), 0);
            SCOPED_TRACE(place + " " + file + ": " + folder.said());
            const std::string call = place == "load" ? "dlopen" : place;
            EXPECT_THAT(folder.said(),
                        AllOf(ContainsRegex("(bad|doomed(\\.fmu)?): standard"),
                              HasSubstr("closed or redirected, in " + call), HasSubstr("hint:")));
        }
}

TEST(ClosedStreamsAnywhere, do_not_hide_a_crash) {
    for (const std::string place : {"fmi2Instantiate", "fmi2DoStep", "fmi2Terminate"}) {
        DoomedStreams folder;
        EXPECT_EQ(folder.run((place + " close_streams_and_crash").c_str(), "system.toml"), 1);
        EXPECT_THAT(folder.said(), HasSubstr("bad: the FMU crashed in " + place));
        EXPECT_EQ(folder.record()["outcome"], "failed");
    }
}

/// A small system, whose run is complete whoever reads what it says.
class UnreadStreams : public ::testing::Test {
protected:
    UnreadStreams() {
        folder.write("s.toml",
                     "[experiment]\nstop = 1.0\nstep = 0.5\n[subsystems.x]\nsource = "
                     "'fmus/LinearOde_fmi2.fmu'\nkind = 'cs'\n");
    }
    void expect_complete_run(const std::string& redirections) const {
        EXPECT_EQ(folder.tandem("run s.toml --output out.csv " + redirections + " #").code, 0);
        const std::string rows = test::read_bytes(folder / "out.csv");
        EXPECT_TRUE(rows.starts_with("time,x.y\n0,")) << rows;
        EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 4) << rows;
        EXPECT_THAT(test::read_bytes(folder / "run.json"), HasSubstr("\"complete\""));
    }
    const test::CommandFolder folder;
};

TEST_F(UnreadStreams, that_are_closed_from_the_start_are_no_place_for_results) {
    expect_complete_run("2>&-");
    expect_complete_run("<&- >&- 2>&-");
}

TEST_F(UnreadStreams, do_not_end_a_run_when_nobody_reads_standard_error) {
    int ends[2] = {-1, -1};
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_LT(ends[1], 10);  // as the shell has it
    close(ends[0]);
    expect_complete_run("2>&" + std::to_string(ends[1]));
    close(ends[1]);
}

TEST_F(UnreadStreams, that_cannot_be_written_are_an_error) {
    EXPECT_EQ(folder.tandem("check s.toml >/dev/full 2>said.txt #").code, 1);
    EXPECT_THAT(test::read_bytes(folder / "said.txt"),
                HasSubstr("error: standard output: cannot be written: No space left on device"));
}

}  // namespace
}  // namespace tandem
