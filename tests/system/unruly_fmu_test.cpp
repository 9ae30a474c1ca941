#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.hpp"
#include "base/zip.hpp"
#include "support/program.hpp"
#include "support/result_files.hpp"
#include "support/zip_surgery.hpp"

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

const std::vector<std::string> columns = {"time", "before.y", "bad.x", "after.x"};

/// Of the library odd_fmi2.
constexpr const char* odd_description = R"xml(<?xml version="1.0"?>
<fmiModelDescription fmiVersion="2.0" modelName="odd" guid="odd" numberOfEventIndicators="0">
  <CoSimulation modelIdentifier="odd" canHandleVariableCommunicationStepSize="true"/>
  <ModelVariables>
    <ScalarVariable name="spring" valueReference="1" causality="output"><Real/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="1"/></Outputs></ModelStructure>
</fmiModelDescription>)xml";

/// A system with an unruly FMU between two that behave, in a folder where temporary folders go,
/// too.
class UnrulySystem {
public:
    /// `kind` is one of fmi1_cs, fmi1_me, fmi2_cs, ...
    UnrulySystem(const std::string& kind, const std::string& deed) {
        fs::create_directory(folder_.path() / "tmp");
        const std::string version = kind.starts_with("fmi1") ? kind : kind.substr(0, 4);
        const std::string fmu = TANDEM_ODD_FMUS "/Unruly_" + version + ".fmu";
        std::ofstream(folder_.path() / "system.toml")
            << "[experiment]\nstop = 1.0\nstep = 0.1\n"
            << "[subsystems.before]\nsource = \"" TANDEM_FMU_DIR "/LinearOde_fmi2.fmu\"\n"
            << "kind = \"cs\"\nparameters = { a = -1, x = 0.7, u = 0 }\n"
            << "[subsystems.bad]\nsource = \"" << fmu << "\"\nkind = \"" << kind.substr(5)
            << "\"\nparameters = { deed = \"" << deed << "\" }\n"
            << "[subsystems.after]\nsource = \"" << fmu << "\"\nkind = \"" << kind.substr(5)
            << "\"\nparameters = { deed = \"divide\", at = 0.65 }\n";
    }

    int run(const std::string& results = "out.csv", const std::vector<std::string>& more = {}) {
        return testing::finish_tandem(start(results, more));
    }
    pid_t start(const std::string& results, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments = {"run", "system.toml", "--output", results};
        arguments.insert(arguments.end(), more.begin(), more.end());
        setenv("TMPDIR", "tmp", 1);
        const pid_t child = testing::start_tandem(folder_.path(), arguments);
        unsetenv("TMPDIR");
        return child;
    }

    fs::path operator/(const std::string& name) const { return folder_.path() / name; }
    std::string said() const { return test::read_bytes(folder_.path() / "said.txt"); }
    Json record() const { return Json::parse(test::read_bytes(folder_.path() / "run.json")); }
    test::Table results(const std::string& name = "out.csv") const {
        return test::read_results(folder_.path() / name, columns);
    }
    std::vector<std::string> temporary_folders() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder_.path() / "tmp"))
            names.push_back(entry.path().filename());
        return names;
    }

private:
    TemporaryFolder folder_;
};

/// The rows at 0, 0.1, ..., and x = t of the unruly FMU. The deed is in the step from 0.4 to 0.5.
void expect_rows(test::Table table, std::size_t least) {
    ASSERT_GE(table.size(), columns.size());
    const std::vector<double>& time = table["time"];
    ASSERT_GE(time.size(), least);
    for (const std::string& name : columns) ASSERT_EQ(table[name].size(), time.size()) << name;
    for (std::size_t k = 0; k < time.size(); ++k) {
        ASSERT_NEAR(time[k], 0.1 * static_cast<double>(k), 1e-12);
        ASSERT_NEAR(table["bad.x"][k], time[k], 1e-9);  // every solver is exact, but for rounding
    }
}

class UnrulyFmu : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, UnrulyFmu,
                         ::testing::Values("fmi1_cs", "fmi1_me", "fmi2_cs", "fmi2_me", "fmi3_cs",
                                           "fmi3_me"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(UnrulyFmu, ThatEndsTheProcessIsNamedAndRowsAndRecordAreKept) {
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
        expect_rows(system.results(), 5);
        EXPECT_THAT(system.temporary_folders(), IsEmpty());
        const Json record = system.record();
        EXPECT_EQ(record["outcome"], "failed");
        EXPECT_THAT(system.said(), HasSubstr(record["outcome_sentence"].get<std::string>()));
        EXPECT_EQ(record["results"][0]["rows"], system.results()["time"].size());
        EXPECT_NEAR(record["totals"]["simulated_seconds"].get<double>(), 0.4, 1e-12);
    }
}

TEST_P(UnrulyFmu, ThatChangesTheProcessIsNamedAndTheRunGoesOnAsWithoutIt) {
    UnrulySystem tame(GetParam(), "none");
    ASSERT_EQ(tame.run(), 0) << tame.said();
    test::Table expected = tame.results();
    expect_rows(expected, 11);
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
        expect_rows(table, 11);
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

TEST_P(UnrulyFmuResults, KeepAllRowsWhateverEndsTheRun) {
    for (const char* deed : {"exit_0", "exit_at_once", "forget_handlers", "user_signal"}) {
        UnrulySystem system("fmi2_cs", deed);
        EXPECT_EQ(system.run(GetParam()), 1);
        SCOPED_TRACE(deed + (": " + system.said()));
        expect_rows(system.results(GetParam()), 5);
        EXPECT_EQ(system.record()["results"][0]["rows"], 5);
    }
}

TEST_P(UnrulyFmuResults, AreCompleteWhenAnFmuClosesTheirFile) {
    UnrulySystem system("fmi2_cs", "close_files");
    EXPECT_EQ(system.run(GetParam()), 0) << system.said();
    EXPECT_THAT(system.said(), HasSubstr(std::string(GetParam()) + ": an FMU closed the file"));
    expect_rows(system.results(GetParam()), 11);
}

/// Adds a subsystem whose FMU is a file of its own around the library odd_fmi2.
void add_odd_fmu(const UnrulySystem& system, const std::string& name) {
    write_zip(system / (name + ".fmu"),
              {{"modelDescription.xml", odd_description, {}},
               {"binaries/linux64/odd.so", test::read_bytes(TANDEM_ODD_FMUS "/odd_fmi2.so"), {}}});
    std::ofstream(system / "system.toml", std::ios::app)
        << "[subsystems." << name << "]\nsource = \"" << name << ".fmu\"\nkind = \"cs\"\n";
}

TEST(OddFmu, ThatEndsAThreadOfOursIsNamed) {
    for (const char* threads : {"1", "2"}) {
        UnrulySystem system("fmi2_cs", "none");
        add_odd_fmu(system, "ends_its_thread");
        EXPECT_EQ(system.run("out.csv", {"--threads", threads}), 1);
        EXPECT_THAT(system.said(),
                    HasSubstr("ends_its_thread: the FMU ended the process or its thread in "
                              "fmi2DoStep"));
        expect_rows(system.results(), 1);
        EXPECT_EQ(system.record()["outcome"], "failed");
        EXPECT_THAT(system.temporary_folders(), IsEmpty());
    }
}

TEST(ThousandFmus, LeaveNoFolderWhenOneOfThemCrashes) {
    UnrulySystem system("fmi2_cs", "forget_handlers");
    for (int k = 0; k < 1040; ++k) add_odd_fmu(system, "odd" + std::to_string(k));
    EXPECT_EQ(system.run(), 1);
    EXPECT_THAT(system.said(), HasSubstr("bad: the process ended in fmi2DoStep (SIGSEGV)"));
    expect_rows(system.results(), 5);
    EXPECT_THAT(system.temporary_folders(), IsEmpty());
}

TEST(SupervisedRun, ThatIsKilledKeepsRowsAndRecordAndLeavesNoFolder) {
    UnrulySystem system("fmi2_cs", "none");
    const pid_t parent = system.start("out.csv", {"--realtime", "0.01", "--stop", "1000"});
    pid_t child = 0;
    // The run has begun when its record is there.
    while (!fs::exists(system / "run.json")) usleep(1000);
    std::ifstream("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) +
                  "/children") >>
        child;
    ASSERT_GT(child, 0);
    kill(child, SIGKILL);
    EXPECT_EQ(testing::finish_tandem(parent), 128 + SIGKILL);
    EXPECT_THAT(system.said(), HasSubstr("SIGKILL"));
    expect_rows(system.results(), 0);
    EXPECT_EQ(system.record()["outcome"], "failed");
    EXPECT_THAT(system.temporary_folders(), IsEmpty());
}

TEST(SupervisedRun, ThatIsKilledWithItsParentStillHasARecord) {
    UnrulySystem system("fmi2_cs", "none");
    const pid_t parent = system.start("out.csv", {"--realtime", "0.01", "--stop", "1000"});
    while (!fs::exists(system / "run.json")) usleep(1000);
    kill(parent, SIGKILL);
    EXPECT_EQ(testing::finish_tandem(parent), 128 + SIGKILL);
    const Json record = system.record();
    EXPECT_EQ(record["outcome"], "failed");
    EXPECT_THAT(record["outcome_sentence"].get<std::string>(), HasSubstr("killed"));
}

}  // namespace
}  // namespace tandem
