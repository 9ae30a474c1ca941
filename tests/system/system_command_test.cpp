#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command_folder.hpp"
#include "support/example_folder.hpp"

namespace tandem {
namespace {

using nlohmann::json;
using test::CommandFolder;
using test::Said;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* two = R"(
connections = ["A.y -> B.u"]
[experiment]
stop = 1
step = 0.1
[subsystems.A]
source = "fmus/LinearOde_fmi2.fmu"
parameters = { x = 2 }
[subsystems.B]
source = "fmus/LinearOde_fmi3.fmu"
)";

/// Two subsystems in system.toml.
class SystemCommand : public ::testing::Test {
protected:
    SystemCommand() { folder_.write("system.toml", two); }
    json record() const { return json::parse(test::read_bytes(folder_ / "run.json")); }

    CommandFolder folder_;
};

TEST_F(SystemCommand, results_never_overwrite_what_the_system_is_made_of) {
    const std::string table = "time,y\n0,0\n1,1\n";
    const std::string system =
        "connections = [\"s.y -> A.u\"]\n[experiment]\nstop = 1\n"
        "[subsystems.s]\nsource = \"jump.csv\"\n[subsystems.A]\n"
        "source = \"fmus/LinearOde_fmi2.fmu\"\n";
    folder_.write("jump.csv", table);
    folder_.write("jump.toml", system);
    const Said refused = folder_.tandem("run jump.toml");
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("would overwrite 'jump.csv'"), HasSubstr("--output")));
    EXPECT_EQ(folder_.tandem("run jump.toml --output o.csv --report jump.csv").code, 2);
    EXPECT_EQ(folder_.tandem("run jump.toml --output o.csv --report o.csv").code, 2);
    EXPECT_EQ(test::read_bytes(folder_ / "jump.csv"), table);
    EXPECT_EQ(test::read_bytes(folder_ / "jump.toml"), system);
    EXPECT_EQ(folder_.tandem("run jump.toml --output o.csv").code, 0);
}

TEST_F(SystemCommand, a_coupling_that_is_chosen_is_explained_with_the_next_best_everywhere) {
    folder_.write("ring.toml", "connections = [\"A.y -> B.u\", \"B.y -> A.u\"]\n" +
                                   std::string(two).substr(std::string(two).find("[experiment]")));
    const std::string sentence =
        "chosen because with 'A' and 'B' as Model Exchange a cycle becomes one equation, in which "
        "nothing is sampled (kind = \"cs\" keeps Co-Simulation); next best (with kind = \"me\"): "
        "iterative, lti";
    EXPECT_THAT(folder_.tandem("check ring.toml").out,
                AllOf(HasSubstr("coupling         aggregate: " + sentence),
                      HasSubstr("subsystems       2 (2 model exchange)")));
    const Said said = folder_.tandem("run ring.toml --output o.csv --report o.html");
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.err, HasSubstr("coupling  aggregate " + sentence));
    EXPECT_EQ(record()["coupling"]["explanation"], sentence);
    EXPECT_THAT(test::read_bytes(folder_ / "o.html"),
                HasSubstr("as Model Exchange a cycle becomes one equation"));
}

TEST_F(SystemCommand, the_record_holds_what_is_needed_to_repeat_the_run) {
    const Said said = folder_.tandem(
        "run system.toml --quiet --set A.x=3 --set B.x=4 --retry --realtime 1e6 --record 'A.*' "
        "--threads 2 "
        "--coupling gauss_seidel --option sequence=B,A --option order=1 --output o.csv");
    ASSERT_EQ(said.code, 0) << said.err;
    const json run = record();
    EXPECT_EQ(run["command_line"][1], "run");
    EXPECT_EQ(run["command_line"].back(), "o.csv");
    const json& options = run["options"];
    EXPECT_EQ(options["set A.x"], "3");
    EXPECT_EQ(options["set B.x"], "4");
    EXPECT_EQ(options["retry"], "true");
    EXPECT_EQ(options["realtime"], "1000000");
    EXPECT_EQ(options["record"], "A.*");
    EXPECT_EQ(options["threads"], "2");
    EXPECT_EQ(options["coupling"], "gauss_seidel");
    EXPECT_EQ(options["option sequence"], "B,A");
    EXPECT_EQ(options["option order"], "1");
    EXPECT_EQ(run["subsystems"][0]["parameters"]["x"], "3");
    double parts = 0.0;
    for (const json& subsystem : run["subsystems"])
        parts += subsystem["parts"][0].value("seconds", 0.0);
    // The estimates are scaled to the measured sum, up to rounding.
    EXPECT_LE(parts, run["totals"]["parts"][2].value("seconds", 0.0) * (1.0 + 1e-12));
}

TEST_F(SystemCommand, the_record_names_nested_files_and_their_parameters) {
    const test::ExampleFolder examples;
    const std::string example = examples.in_folder("examples/nested_ssp/system.toml");
    const Said said = folder_.tandem("run " + example + " --quiet --stop 0.01 --output o.csv");
    ASSERT_EQ(said.code, 0) << said.err;
    const json run = record();
    std::string files;
    for (const json& file : run["files"]) {
        files += file.value("role", "") + ":" + file.value("path", "") + "\n";
        EXPECT_EQ(file.value("sha256", "").size(), 64U);
    }
    EXPECT_THAT(files, AllOf(HasSubstr("corner.toml"), HasSubstr("parameters:"),
                             HasSubstr("rear.ssv"), HasSubstr("fmu:")));
    std::size_t parameters = 0;
    for (const json& subsystem : run["subsystems"]) parameters += subsystem["parameters"].size();
    EXPECT_GT(parameters, 0U);
}

TEST_F(SystemCommand, the_report_shows_plots_and_the_error_also_of_a_package) {
    ASSERT_EQ(folder_.tandem("run system.toml --quiet --record '*.y' --output r.csv").code, 0);
    folder_.write("system.toml", std::string(two) + R"(
[record]
variables = ["*.y", "*.x"]
[[plots]]
title = "phase"
x = "A.y"
y = ["B.y"]
[report]
reference = "r.csv"
)");
    ASSERT_EQ(folder_.tandem("export system.toml -o s.ssp").code, 0);
    for (const std::string file : {"system.toml", "s.ssp"}) {
        const Said said = folder_.tandem("run " + file + " --quiet --output o.csv --report p.html");
        ASSERT_EQ(said.code, 0) << said.err;
        const std::string page = test::read_bytes(folder_ / "p.html");
        EXPECT_THAT(page,
                    AllOf(HasSubstr("Error against r.csv"), HasSubstr("\"title\":\"phase\"")));
        EXPECT_EQ(record()["plots"][0]["x"], "A.y");
        EXPECT_EQ(record()["files"].back()["role"], "reference");
        EXPECT_NE(record()["files"].back()["sha256"], "");
        // The package is unpacked no more.
        ASSERT_EQ(folder_.tandem("report run.json -o q.html").code, 0);
        EXPECT_THAT(test::read_bytes(folder_ / "q.html"), HasSubstr("Error against r.csv"));
    }
    const Said own = folder_.tandem("run system.toml --output r.csv");
    EXPECT_EQ(own.code, 2);
    EXPECT_THAT(own.err, HasSubstr("would overwrite 'r.csv'"));
    const Said other = folder_.tandem("run system.toml --record A.x --output o.csv");
    EXPECT_EQ(other.code, 0);
    EXPECT_THAT(other.err, AllOf(HasSubstr("plot 'phase': 'B.y' is not recorded"),
                                 HasSubstr("'r.csv' has no column that is recorded")));
}

TEST_F(SystemCommand, the_report_of_a_failed_run_shows_its_rows) {
    folder_.write("ill.toml",
                  "[experiment]\nstop = 1\nstep = 0.01\n[subsystems.A]\n"
                  "source = \"fmus/IllBehaved_fmi2.fmu\"\nkind = \"cs\"\n"
                  "parameters = { at = 0.55 }\n");
    const Said said =
        folder_.tandem("run ill.toml --set A.fault=error --output o.csv --report r.html");
    EXPECT_EQ(said.code, 1) << said.err;
    EXPECT_EQ(record()["outcome"], "failed");
    EXPECT_THAT(test::read_bytes(folder_ / "r.html"), HasSubstr("\"rows\":5"));
}

TEST_F(SystemCommand, a_run_that_dies_leaves_its_own_record_and_none_of_an_earlier_one) {
    folder_.write("ill.toml",
                  "[experiment]\nstop = 1\nstep = 0.01\n[subsystems.A]\n"
                  "source = \"fmus/IllBehaved_fmi2.fmu\"\nkind = \"cs\"\n"
                  "parameters = { at = 0.55 }\n");
    folder_.write("run.json", "{}");
    folder_.write("r.html", "old");
    const Said said =
        folder_.tandem("run ill.toml --set A.fault=crash --output o.csv --report r.html");
    EXPECT_NE(said.code, 0);
    EXPECT_EQ(record()["outcome"], "failed");
    EXPECT_EQ(record()["outcome_sentence"],
              "A: the FMU crashed in fmi2DoStep (segmentation fault)");
    EXPECT_EQ(record()["results"][0]["rows"], 55) << said.err;  // at 0, 0.01, ..., 0.54
    EXPECT_FALSE(folder_.content().contains("r.html"));
    EXPECT_EQ(folder_.tandem("report run.json -o r.html").code, 0);
}

TEST_F(SystemCommand, a_file_that_cannot_be_read_is_one_error_only) {
    folder_.write("empty.toml", "");
    folder_.write("broken.ssd", "<a>");
    for (const char* file : {"nosuch.toml", "empty.toml", "broken.ssd"}) {
        const Said said = folder_.tandem(std::string("run ") + file);
        EXPECT_EQ(said.code, 2);
        EXPECT_THAT(said.err, Not(HasSubstr("stop time"))) << file;
    }
}

TEST_F(SystemCommand, only_csv_is_compared_and_plotted) {
    for (const char* file : {"o.mat", "o.h5"}) {
        const std::string name = file;
        ASSERT_EQ(folder_.tandem("run system.toml --quiet --output " + name).code, 0);
        const Said compared = folder_.tandem("compare " + name + " " + name);
        EXPECT_EQ(compared.code, 2);
        EXPECT_THAT(compared.err, AllOf(HasSubstr("is not a CSV file"), HasSubstr("--output")));
        EXPECT_THAT(folder_.tandem("plot " + name).err, HasSubstr("is not a CSV file"));
        EXPECT_THAT(folder_.tandem("report run.json").err, HasSubstr("only results in CSV"));
    }
}

TEST_F(SystemCommand, clocks_cannot_be_connected) {
    folder_.write("clocks.toml",
                  "connections = [\"A.carry -> B.tick\", \"F.boolean_out -> C.tick\"]\n"
                  "[experiment]\nstop = 1\n[subsystems.A]\n"
                  "source = \"fmus/native/ClockedCounter.so\"\n[subsystems.B]\n"
                  "source = \"fmus/native/ClockedCounter.so\"\n[subsystems.C]\n"
                  "source = \"fmus/native/ClockedCounter.so\"\n[subsystems.F]\n"
                  "source = \"fmus/native/Feedthrough.so\"\n");
    const Said said = folder_.tandem("run clocks.toml");
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.err, AllOf(HasSubstr("A.carry -> B.tick: Clock cannot become Clock"),
                                HasSubstr("Boolean cannot become Clock")));
}

TEST_F(SystemCommand, connectors_that_contradict_the_fmu_are_warnings) {
    folder_.write("c.toml", std::string(two) +
                                "[subsystems.B.connectors]\n"
                                "u = { kind = \"input\", type = \"String\" }\n"
                                "gone = { kind = \"input\" }\n"
                                "a = { kind = \"parameter\", type = \"Float64\", unit = \"m\" }\n");
    const Said said = folder_.tandem("run c.toml --output o.csv");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.err, HasSubstr("c.toml:12: connector 'u' of 'B': declared as String, but the "
                                    "subsystem says Float64"));
    EXPECT_THAT(said.err, HasSubstr("connector 'gone' of 'B': the subsystem has no such variable"));
    EXPECT_THAT(said.err, HasSubstr("declared in 'm', but the subsystem says '1/s'"));
}

TEST_F(SystemCommand, options_of_the_default_coupling_need_no_method) {
    folder_.write("c.toml", std::string(two) + "[coupling]\norder = 2\n");
    const Said said = folder_.tandem("run c.toml --output o.csv");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(record()["coupling"]["method"], "jacobi");
    EXPECT_EQ(record()["coupling"]["options"]["order"], "2");
}

TEST_F(SystemCommand, the_summary_says_on_how_many_threads_it_ran) {
    EXPECT_THAT(folder_.tandem("run system.toml --threads 1 --output o.csv").err,
                HasSubstr("threads   1: one thread was asked for"));
    EXPECT_EQ(record()["threads"]["count"], 1);
    EXPECT_EQ(folder_.tandem("run system.toml --threads -1").code, 2);
}

TEST_F(SystemCommand, a_pace_that_cannot_be_kept_is_a_warning) {
    const Said zero = folder_.tandem("run system.toml --realtime 0");
    EXPECT_EQ(zero.code, 2);
    EXPECT_THAT(zero.err, HasSubstr("--realtime: must be a number greater than 0, not 0"));
    // 1e7 simulated seconds in one: 1e5 steps in a hundredth of a second.
    const Said fast =
        folder_.tandem("run system.toml --stop 1e5 --step 1 --realtime 1e7 --output o.csv");
    EXPECT_EQ(fast.code, 0) << fast.err;
    EXPECT_THAT(fast.err, HasSubstr("the pace was not kept"));
    EXPECT_THAT(record()["warnings"].dump(), HasSubstr("the pace was not kept"));
    EXPECT_THAT(folder_.tandem("run system.toml --realtime 10 --output o.csv").err,
                Not(HasSubstr("pace")));
}

}  // namespace
}  // namespace tandem
