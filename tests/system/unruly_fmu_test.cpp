#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "support/unruly_system.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;
using test::expect_unruly_rows;
using test::UnrulySystem;
using test::write_small_fmu;

class UnrulyFmu : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, UnrulyFmu,
                         ::testing::Values("fmi1_cs", "fmi1_me", "fmi2_cs", "fmi2_me", "fmi3_cs",
                                           "fmi3_me"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(UnrulyFmu, that_ends_the_process_is_named_and_rows_and_record_are_kept) {
    for (const char* deed :
         {"exit_0", "exit_7", "quick_exit", "exit_at_once", "end_thread", "forget_handlers",
          "user_signal", "cpu_signal", "quit_signal", "crash_in_thread", "overwrite_heap"}) {
        UnrulySystem system(GetParam(), deed);
        const int code = system.run();
        SCOPED_TRACE(deed + (": " + system.said()));
        EXPECT_EQ(code, 1);
        EXPECT_THAT(system.said(), AllOf(AnyOf(HasSubstr("bad"), HasSubstr("Unruly_fmi")),
                                         HasSubstr("fmi"), HasSubstr("hint:")));
        EXPECT_THAT(test::read_bytes(system / "out.csv"), EndsWith("\n"));
        expect_unruly_rows(system, 5);
        EXPECT_THAT(system.temporary_folders(), IsEmpty());
        const Json record = system.record();
        EXPECT_EQ(record["outcome"], "failed");
        EXPECT_THAT(system.said(), HasSubstr(record["outcome_sentence"].get<std::string>()));
        EXPECT_EQ(record["results"][0]["rows"], system.results()["time"].size());
        EXPECT_NEAR(record["totals"]["simulated_seconds"].get<double>(), 0.4, 1e-12);
    }
}

TEST_P(UnrulyFmu, that_changes_the_process_is_named_and_the_run_goes_on_as_without_it) {
    UnrulySystem tame(GetParam(), "none");
    ASSERT_EQ(tame.run(), 0) << tame.said();
    test::Table expected = tame.results();
    expect_unruly_rows(tame, 11);
    const std::vector<std::pair<std::string, std::string>> deeds = {
        {"limit_files", "bad: the largest size of files was limited to 0 bytes, in fmi"},
        {"fork", "bad: fmi[0-9A-Za-z]+ forked the process and returned twice"},
        {"close_files", "out.csv: an FMU closed the file; the last call was fmi"},
        {"change_folder", "bad: the working folder was changed to /, in fmi"},
        {"round_upward", "bad: fmi[0-9A-Za-z]+ changed the rounding mode"},
        {"flush_to_zero", "bad: fmi[0-9A-Za-z]+ changed flush-to-zero"},
        {"trap", "bad: fmi[0-9A-Za-z]+ changed which floating-point exceptions trap"}};
    for (const auto& [deed, words] : deeds) {
        UnrulySystem system(GetParam(), deed);
        const int code = system.run("out.csv", {"--report", "page.html"});
        SCOPED_TRACE(deed + ": " + system.said());
        EXPECT_EQ(code, 0);
        EXPECT_THAT(system.said(), AllOf(ContainsRegex(words), HasSubstr("hint:")));
        test::Table table = system.results();
        expect_unruly_rows(system, 11);
        EXPECT_EQ(table["before.y"], expected["before.y"]);  // to the last bit
        EXPECT_EQ(table["after.x"], expected["after.x"]);
        EXPECT_EQ(system.record()["outcome"], "complete");
        EXPECT_TRUE(fs::exists(system / "page.html"));
        EXPECT_THAT(system.temporary_folders(), IsEmpty());
    }
}

class UnrulyFmuResults : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, UnrulyFmuResults,
                         ::testing::Values("out.csv", "out.mat", "out.h5"),
                         [](const auto& name) { return std::string(name.param + 4); });

TEST_P(UnrulyFmuResults, keep_all_rows_whatever_ends_the_run) {
    for (const char* deed : {"exit_0", "exit_at_once", "forget_handlers", "user_signal"}) {
        UnrulySystem system("fmi2_cs", deed);
        EXPECT_EQ(system.run(GetParam()), 1);
        SCOPED_TRACE(deed + (": " + system.said()));
        expect_unruly_rows(system, 5, GetParam());
        EXPECT_EQ(system.record()["results"][0]["rows"], 5);
    }
}

TEST_P(UnrulyFmuResults, are_complete_when_an_fmu_closes_their_file) {
    UnrulySystem system("fmi2_cs", "close_files");
    EXPECT_EQ(system.run(GetParam()), 0) << system.said();
    EXPECT_THAT(system.said(), HasSubstr(std::string(GetParam()) + ": an FMU closed the file"));
    expect_unruly_rows(system, 11, GetParam());
}

/// Adds a subsystem whose FMU is a file of its own around the library odd_fmi2.
void add_odd_fmu(const UnrulySystem& system, const std::string& name) {
    write_small_fmu(system / (name + ".fmu"), "odd", "odd_fmi2");
    std::ofstream(system / "system.toml", std::ios::app)
        << "[subsystems." << name << "]\nsource = \"" << name << ".fmu\"\nkind = \"cs\"\n";
}

TEST(OddFmu, that_ends_a_thread_of_ours_is_named) {
    for (const char* threads : {"1", "2"}) {
        UnrulySystem system("fmi2_cs", "none");
        add_odd_fmu(system, "ends_its_thread");
        EXPECT_EQ(system.run("out.csv", {"--threads", threads}), 1);
        EXPECT_THAT(system.said(),
                    HasSubstr("ends_its_thread: the FMU ended the process or its thread in "
                              "fmi2DoStep"));
        expect_unruly_rows(system, 1);
        EXPECT_EQ(system.record()["outcome"], "failed");
        EXPECT_THAT(system.temporary_folders(), IsEmpty());
    }
}

TEST(ThousandFmus, leave_no_folder_when_one_of_them_crashes) {
    UnrulySystem system("fmi2_cs", "forget_handlers");
    for (int k = 0; k < 1040; ++k) add_odd_fmu(system, "odd" + std::to_string(k));
    EXPECT_EQ(system.run(), 1);
    EXPECT_THAT(system.said(), HasSubstr("bad: the process ended in fmi2DoStep (SIGSEGV)"));
    expect_unruly_rows(system, 5);
    EXPECT_THAT(system.temporary_folders(), IsEmpty());
}

TEST(SupervisedRun, that_is_killed_keeps_rows_and_record_and_leaves_no_folder) {
    UnrulySystem system("fmi2_cs", "none");
    const pid_t parent = system.start_run("out.csv", {"--realtime", "0.01", "--stop", "1000"});
    pid_t child = 0;
    // The run has begun when its record is there.
    while (!fs::exists(system / "run.json")) usleep(1000);
    std::ifstream("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) +
                  "/children") >>
        child;
    ASSERT_GT(child, 0);
    kill(child, SIGKILL);
    EXPECT_EQ(test::finish_tandem(parent), 128 + SIGKILL);
    EXPECT_THAT(system.said(), HasSubstr("SIGKILL"));
    expect_unruly_rows(system, 0);
    EXPECT_EQ(system.record()["outcome"], "failed");
    EXPECT_THAT(system.temporary_folders(), IsEmpty());
}

TEST(SupervisedRun, that_is_killed_with_its_parent_still_has_a_record) {
    UnrulySystem system("fmi2_cs", "none");
    const pid_t parent = system.start_run("out.csv", {"--realtime", "0.01", "--stop", "1000"});
    while (!fs::exists(system / "run.json")) usleep(1000);
    kill(parent, SIGKILL);
    EXPECT_EQ(test::finish_tandem(parent), 128 + SIGKILL);
    const Json record = system.record();
    EXPECT_EQ(record["outcome"], "failed");
    EXPECT_THAT(record["outcome_sentence"].get<std::string>(), HasSubstr("killed"));
}

}  // namespace
}  // namespace tandem
