#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace tandem {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::size_t begin = 0;
    for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
        lines.push_back(text.substr(begin, end - begin));
    return lines;
}

std::string fmu(const std::string& name) { return std::string(TANDEM_FMU_DIR) + "/" + name; }

struct Outcome {
    int code = -1;  ///< 128 + signal when it died of one
    std::string out, err;
};

/// Runs the real binary in a folder of its own, where temporary files go as well.
class CommandLine : public testing::Test {
protected:
    CommandLine() {
        std::string pattern = (fs::temp_directory_path() / "tandem_cli_XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
        folder_ = pattern;
        fs::create_directory(folder_ / "tmp");
    }
    ~CommandLine() override { fs::remove_all(folder_); }

    pid_t start(const std::vector<std::string>& arguments) {
        const pid_t child = fork();
        if (child != 0) return child;
        std::vector<const char*> argv{TANDEM_EXE};
        for (const std::string& argument : arguments) argv.push_back(argument.c_str());
        argv.push_back(nullptr);
        const bool ready = chdir(folder_.c_str()) == 0 && setenv("TMPDIR", "tmp", 1) == 0 &&
                           redirect("out.txt", STDOUT_FILENO) && redirect("err.txt", STDERR_FILENO);
        if (ready) execv(TANDEM_EXE, const_cast<char* const*>(argv.data()));
        _exit(127);
    }
    Outcome finish(pid_t child) {
        int status = 0;
        waitpid(child, &status, 0);
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        return {code, read(folder_ / "out.txt"), read(folder_ / "err.txt")};
    }
    Outcome tandem(const std::vector<std::string>& arguments) { return finish(start(arguments)); }

    /// Runs an ill-behaved FMU to its fault, results to out.csv.
    Outcome ill(const std::string& file, const std::string& fault,
                std::vector<std::string> more = {}) {
        std::vector<std::string> arguments{"run",   fmu(file), "--set",    "fault=" + fault,
                                           "--set", "at=0.55", "--output", "out.csv"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return tandem(arguments);
    }
    std::vector<std::string> rows(const std::string& file = "out.csv") {
        return lines_of(read(folder_ / file));
    }
    bool left_nothing_behind() const { return fs::is_empty(folder_ / "tmp"); }
    void write(const std::string& file, const std::string& text) {
        std::ofstream(folder_ / file) << text;
    }
    /// Waits until the process has written `count` rows.
    void wait_for_rows(std::size_t count) {
        while (rows().size() < count) std::this_thread::yield();
    }
    fs::path folder_;

private:
    static bool redirect(const char* file, int to) {
        const int opened = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        return opened >= 0 && dup2(opened, to) >= 0;
    }
};

TEST_F(CommandLine, help_and_version_are_complete) {
    const Outcome help = tandem({"--help"});
    EXPECT_EQ(help.code, 0);
    for (const char* word : {"info", "check", "run", "Examples", "Exit codes"})
        EXPECT_THAT(help.out, HasSubstr(word));
    for (const char* verb : {"info", "check", "run"}) {
        const Outcome one = tandem({verb, "--help"});
        EXPECT_EQ(one.code, 0);
        EXPECT_THAT(one.out, HasSubstr("Example"));
    }
    EXPECT_THAT(tandem({"--version"}).out, StartsWith("tandem "));
}

TEST_F(CommandLine, what_it_does_not_understand_is_wrong_input) {
    EXPECT_EQ(tandem({}).code, 2);
    EXPECT_EQ(tandem({"fly"}).code, 2);
    EXPECT_EQ(tandem({"run"}).code, 2);
    EXPECT_EQ(tandem({"run", fmu("BouncingBall_fmi2.fmu"), "--fast"}).code, 2);
    EXPECT_EQ(tandem({"run", fmu("BouncingBall_fmi2.fmu"), "--stop", "soon"}).code, 2);
    EXPECT_EQ(tandem({"run", fmu("BouncingBall_fmi2.fmu"), "--kind", "xy"}).code, 2);
    EXPECT_EQ(tandem({"run", fmu("BouncingBall_fmi2.fmu"), "--solver", "magic"}).code, 2);
    EXPECT_EQ(tandem({"run", fmu("BouncingBall_fmi2.fmu"), "--step", "0"}).code, 2);
    for (const char* verb : {"info", "check", "run"}) {
        const Outcome outcome = tandem({verb, "missing.fmu"});
        EXPECT_EQ(outcome.code, 2);
        EXPECT_THAT(outcome.out + outcome.err, HasSubstr("missing.fmu: does not exist"));
    }
}

// 3 * 0.1 is a rounding error behind 30 * 0.01: the event has one row on each side, at the point.
TEST_F(CommandLine, an_event_a_rounding_error_behind_a_point_is_at_that_point) {
    EXPECT_EQ(
        tandem({"run", fmu("StepSource_fmi2.fmu"), "--kind", "me", "--set",
                "on=0.30000000000000004", "--step", "0.01", "--stop", "0.4", "--output", "out.csv"})
            .code,
        0);
    const std::vector<std::string> lines = rows();
    ASSERT_EQ(lines.size(), 43U);  // the names, 41 points, and one more for the event
    EXPECT_EQ(lines[31], "0.3,0");
    EXPECT_EQ(lines[32], "0.3,100");
    EXPECT_EQ(lines[33], "0.31,100");
}

TEST_F(CommandLine, info_shows_the_model) {
    const Outcome outcome = tandem({"info", fmu("BouncingBall_fmi2.fmu")});
    EXPECT_EQ(outcome.code, 0);
    for (const char* word : {"BouncingBall", "Co-Simulation", "Model Exchange", "Outputs",
                             "Default experiment", "m/s", "9.81"})
        EXPECT_THAT(outcome.out, HasSubstr(word));
    EXPECT_THAT(outcome.out, Not(HasSubstr("\033[")));
    EXPECT_TRUE(left_nothing_behind());
}

TEST_F(CommandLine, info_writes_json) {
    const Outcome outcome = tandem({"info", fmu("Feedthrough_fmi3.fmu"), "--json"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.out, StartsWith("{\n"));
    EXPECT_THAT(outcome.out, HasSubstr("\"fmi_version\": \"3.0"));
    EXPECT_THAT(outcome.out, HasSubstr("\"modelStructure\""));
}

TEST_F(CommandLine, check_finds_our_own_fmus_in_order) {
    for (const char* name : {"BouncingBall_fmi1_cs.fmu", "BouncingBall_fmi1_me.fmu",
                             "BouncingBall_fmi2.fmu", "Feedthrough_fmi3.fmu"}) {
        const Outcome outcome = tandem({"check", fmu(name)});
        EXPECT_EQ(outcome.code, 0) << outcome.out;
        EXPECT_THAT(outcome.out, HasSubstr("in order, 0 errors, 0 warnings")) << outcome.out;
    }
}

TEST_F(CommandLine, run_writes_rows_and_a_summary) {
    for (const char* name : {"BouncingBall_fmi1_cs.fmu", "BouncingBall_fmi1_me.fmu",
                             "BouncingBall_fmi2.fmu", "BouncingBall_fmi3.fmu"}) {
        const Outcome outcome = tandem({"run", fmu(name), "--stop", "0.4", "--step", "0.1",
                                        "--record", "h", "--output", "out.csv"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        EXPECT_THAT(outcome.err, HasSubstr("results   out.csv: 5 rows, 1 column"));
        const auto table = rows();
        ASSERT_EQ(table.size(), 6U) << name;
        EXPECT_EQ(table[0], "time,h");
        EXPECT_THAT(table[5], StartsWith("0.4,"));
        // h(0.4) = 1 - 9.81 * 0.4^2 / 2; the tolerances of the FMUs are 1e-4 or better.
        EXPECT_NEAR(std::stod(table[5].substr(4)), 1.0 - 0.5 * 9.81 * 0.16, 1e-3) << name;
        EXPECT_TRUE(left_nothing_behind()) << name;
    }
}

TEST_F(CommandLine, defaults_come_from_the_fmu) {
    const Outcome outcome = tandem({"run", fmu("IllBehaved_fmi2.fmu")});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto table = rows("IllBehaved_fmi2.csv");
    ASSERT_EQ(table.size(), 12U);  // stop 1, step 0.1
    EXPECT_THAT(table[11], StartsWith("1,"));
}

TEST_F(CommandLine, standard_output_stays_clean) {
    const Outcome outcome = tandem({"run", fmu("IllBehaved_fmi3.fmu"), "--output", "-", "--units"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(lines_of(outcome.out).size(), 12U);
    EXPECT_THAT(outcome.out, StartsWith("time [s],x"));
    EXPECT_THAT(outcome.err, HasSubstr("standard output"));
    EXPECT_EQ(tandem({"run", fmu("IllBehaved_fmi3.fmu"), "--output", "-", "--quiet"}).err, "");
}

TEST_F(CommandLine, both_sides_of_an_event_are_recorded) {
    const Outcome outcome =
        tandem({"run", fmu("BouncingBall_fmi2.fmu"), "--kind", "me", "--stop", "0.5", "--step",
                "0.1", "--tolerance", "1e-8", "--record", "v", "--output", "out.csv"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("1 state event"));
    const auto table = rows();
    ASSERT_EQ(table.size(), 9U);
    const std::string before = table[6], after = table[7];
    EXPECT_EQ(before.substr(0, before.find(',')), after.substr(0, after.find(',')));
    EXPECT_NEAR(std::stod(before), 0.451523640986, 1e-7);
    EXPECT_LT(std::stod(before.substr(before.find(',') + 1)), 0.0);
    EXPECT_GT(std::stod(after.substr(after.find(',') + 1)), 0.0);
}

TEST_F(CommandLine, set_changes_parameters_and_explains_mistakes) {
    const std::string ball = fmu("BouncingBall_fmi2.fmu");
    const Outcome set = tandem({"run", ball, "--set", "g=0", "--stop", "0.1", "--step", "0.1",
                                "--record", "h", "--output", "-", "--quiet"});
    EXPECT_EQ(set.out, "time,h\n0,1\n0.1,1\n") << set.err;
    const Outcome unknown = tandem({"run", ball, "--set", "gg=1"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_THAT(unknown.err, HasSubstr("did you mean 'g'?"));
    const Outcome wrong = tandem({"run", ball, "--set", "g=heavy"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_THAT(wrong.err, HasSubstr("'heavy' is not a value of 'g'"));
    const Outcome pattern = tandem({"run", ball, "--record", "nothing*"});
    EXPECT_EQ(pattern.code, 2);
    EXPECT_THAT(pattern.err, HasSubstr("no variable matches 'nothing*'"));
}

TEST_F(CommandLine, inputs_of_every_type_are_followed_and_jumps_have_two_sides) {
    write("in.csv",
          "time,float64_in [degC],int32_in,boolean_in,enumeration_in\n"
          "0,0,1,false,slow\n0.25,2.5,1,true,slow\n0.5,5,1,true,fast\n0.5,7,2,true,fast\n"
          "1,12,2,true,fast\n");
    for (const char* file : {"Feedthrough_fmi2.fmu", "Feedthrough_fmi3.fmu"})
        for (const char* kind : {"cs", "me"}) {
            const Outcome outcome = tandem(
                {"run",      fmu(file),   "--kind",   kind,          "--input",  "in.csv",
                 "--stop",   "1",         "--step",   "0.25",        "--record", "float64_out",
                 "--record", "int32_out", "--record", "boolean_out", "--record", "enumeration_out",
                 "--output", "-"});
            EXPECT_EQ(outcome.code, 0) << outcome.err;
            EXPECT_EQ(outcome.out,
                      "time,float64_out,int32_out,boolean_out,enumeration_out\n"
                      "0,0,1,0,2\n0.25,2.5,1,0,2\n0.25,2.5,1,1,2\n0.5,5,1,1,2\n0.5,7,2,1,3\n"
                      "0.75,9.5,2,1,3\n1,12,2,1,3\n")
                << file << " " << kind << "\n"
                << outcome.err;
        }
}

TEST_F(CommandLine, structural_parameters_decide_the_size_of_arrays) {
    const Outcome outcome =
        tandem({"run", fmu("Feedthrough_fmi3.fmu"), "--set", "n=2", "--set", "vector_in=4,5",
                "--stop", "0", "--record", "vector_out", "--output", "-"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "time,vector_out[1],vector_out[2]\n0,4,5\n");
}

TEST_F(CommandLine, a_mistake_in_the_input_file_names_its_line) {
    write("in.csv", "time,nothing\n0,1\n");
    const Outcome outcome =
        tandem({"run", fmu("BouncingBall_fmi2.fmu"), "--input", "in.csv", "--output", "out.csv"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("in.csv:1: there is no input 'nothing'"));
    EXPECT_FALSE(fs::exists(folder_ / "out.csv"));
}

TEST_F(CommandLine, a_fault_of_the_fmu_is_one_sentence_and_keeps_the_rows) {
    for (const char* file : {"IllBehaved_fmi2.fmu", "IllBehaved_fmi3.fmu"})
        for (const char* kind : {"cs", "me"})
            for (const char* fault : {"discard", "error", "fatal", "not_a_number", "crash"}) {
                const Outcome outcome = ill(file, fault, {"--kind", kind});
                SCOPED_TRACE(std::string(file) + " " + kind + " " + fault + ": " + outcome.err);
                EXPECT_EQ(outcome.code, 1);
                EXPECT_THAT(outcome.err, HasSubstr("IllBehaved_fmi"));
                EXPECT_EQ(outcome.out, "");
                ASSERT_GE(rows().size(), 7U);
                EXPECT_THAT(rows()[6], StartsWith("0.5,"));
                EXPECT_TRUE(left_nothing_behind());
            }
}

TEST_F(CommandLine, an_fmu_may_end_the_run) {
    const Outcome outcome = ill("IllBehaved_fmi2.fmu", "end", {"--kind", "me"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("the FMU ended the run"));
    EXPECT_LT(rows().size(), 12U);
}

TEST_F(CommandLine, a_hang_ends_with_the_time_out) {
    const Outcome outcome = ill("IllBehaved_fmi2.fmu", "hang", {"--call-timeout", "0.2"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("has not returned for 0.2 s"));
    ASSERT_EQ(rows().size(), 7U);
    EXPECT_TRUE(left_nothing_behind());
}

TEST_F(CommandLine, a_signal_keeps_rows_and_leaves_no_folder) {
    const pid_t child = start({"run", fmu("VanDerPol_fmi2.fmu"), "--stop", "1e9", "--step", "1e-3",
                               "--output", "out.csv"});
    wait_for_rows(100);
    kill(child, SIGTERM);
    const Outcome outcome = finish(child);
    EXPECT_EQ(outcome.code, 130);
    EXPECT_THAT(outcome.err, HasSubstr("interrupted at"));
    EXPECT_THAT(read(folder_ / "out.csv"), testing::EndsWith("\n"));
    EXPECT_TRUE(left_nothing_behind());
}

TEST_F(CommandLine, a_second_signal_ends_a_hanging_fmu) {
    const pid_t child =
        start({"run", fmu("IllBehaved_fmi2.fmu"), "--set", "fault=hang", "--output", "out.csv"});
    wait_for_rows(6);  // up to 0.4; the step to 0.5 hangs, and rows do not wait for it
    kill(child, SIGINT);
    while (read(folder_ / "err.txt").find("interrupt again") == std::string::npos)
        std::this_thread::yield();
    kill(child, SIGINT);
    const Outcome outcome = finish(child);
    EXPECT_EQ(outcome.code, 130);
    EXPECT_EQ(rows().size(), 6U);
    EXPECT_TRUE(left_nothing_behind());
}

TEST_F(CommandLine, one_signal_is_enough_for_a_hanging_fmu) {
    const pid_t child =
        start({"run", fmu("IllBehaved_fmi2.fmu"), "--set", "fault=hang", "--output", "out.csv"});
    wait_for_rows(6);
    kill(child, SIGTERM);
    const Outcome outcome = finish(child);
    EXPECT_EQ(outcome.code, 130);
    EXPECT_THAT(outcome.err, HasSubstr("interrupted while fmi2DoStep did not return"));
    EXPECT_EQ(rows().size(), 6U);
    EXPECT_TRUE(left_nothing_behind());
}

TEST_F(CommandLine, a_killed_run_keeps_its_rows) {
    const pid_t child = start({"run", fmu("VanDerPol_fmi2.fmu"), "--stop", "1e9", "--step", "1e-3",
                               "--output", "out.csv"});
    wait_for_rows(1000);
    kill(child, SIGKILL);
    EXPECT_EQ(finish(child).code, 128 + SIGKILL);
    EXPECT_GE(rows().size(), 1000U);
}

TEST_F(CommandLine, every_fmi_call_can_be_logged) {
    const Outcome outcome =
        tandem({"run", fmu("IllBehaved_fmi2.fmu"), "--log-fmi=calls.txt", "--output", "out.csv"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const std::string calls = read(folder_ / "calls.txt");
    for (const char* step : {"Instantiate", "DoStep(", "Terminate"})
        EXPECT_THAT(calls, HasSubstr(step));
    EXPECT_THAT(tandem({"run", fmu("IllBehaved_fmi2.fmu"), "--log-fmi"}).err, HasSubstr("DoStep("));
}

TEST_F(CommandLine, a_full_disk_is_said) {
    fs::create_symlink("/dev/full", folder_ / "full.csv");
    const Outcome outcome = tandem({"run", fmu("IllBehaved_fmi2.fmu"), "--output", "full.csv"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("full.csv: results cannot be written"));
}

}  // namespace
}  // namespace tandem
