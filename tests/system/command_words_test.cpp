// Words on the command line that are not understood: what they are, and what was meant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command_folder.hpp"
#include "support/result_files.hpp"

namespace tandem::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

void expect_complaint(const Said& said, const std::string& problem, const std::string& hint) {
    EXPECT_EQ(said.code, 2) << said.err;
    EXPECT_EQ(said.err, "error: " + problem + "\n  hint: " + hint + "\n");
}

TEST(CommandWords, unknown_verbs_are_answered_with_the_nearest) {
    const CommandFolder folder;
    expect_complaint(folder.tandem("rum x.fmu --stop 1"), "tandem: there is no verb 'rum'",
                     "did you mean 'run'?");
    expect_complaint(folder.tandem("linearize x.fmu"), "tandem: there is no verb 'linearize'",
                     "did you mean 'linearise'?");
    EXPECT_THAT(folder.tandem("xyzzy").err, HasSubstr("hint: verbs are info, check, "));
    expect_complaint(folder.tandem("fmus/Exponential_fmi2.fmu"),
                     "tandem: there is no verb 'fmus/Exponential_fmi2.fmu'",
                     "write 'tandem run fmus/Exponential_fmi2.fmu' to run it");
}

TEST(CommandWords, unknown_options_are_answered_with_the_nearest) {
    const CommandFolder folder;
    const std::string fmu = "fmus/Exponential_fmi2.fmu ";
    for (const std::string& words :
         {"run " + fmu + "--stpe 0.1", "run --stpe 0.1 " + fmu, "run --stpe=0.1 " + fmu})
        expect_complaint(folder.tandem(words), "tandem run: there is no option '--stpe'",
                         "did you mean '--step'?");
    expect_complaint(folder.tandem("plot --varz x r.csv"),
                     "tandem plot: there is no option '--varz'", "did you mean '--vars'?");
    expect_complaint(folder.tandem("--versoin"), "tandem: there is no option '--versoin'",
                     "did you mean '--version'?");
    expect_complaint(folder.tandem("run " + fmu + "--quickly"),
                     "tandem run: there is no option '--quickly'",
                     "'tandem run --help' lists what it takes");
    expect_complaint(folder.tandem("run " + fmu + "y.fmu"),
                     "tandem run: does not take 'y.fmu' as well",
                     "'tandem run --help' lists what it takes");
    EXPECT_THAT(folder.tandem("run " + fmu + "--kind mee").err,
                HasSubstr("--kind: 'mee' is none of cs, me; did you mean 'me'?"));
}

TEST(CommandWords, times_may_have_units) {
    const CommandFolder folder;
    const auto rows = [&](const std::string& times) {
        const Said said =
            folder.tandem("run fmus/Exponential_fmi2.fmu --output o.csv --quiet " + times);
        EXPECT_EQ(said.code, 0) << times << said.err;
        return read_csv_results(folder / "o.csv")["time"];
    };
    EXPECT_EQ(rows("--stop 10ms --step 1ms"), rows("--stop 0.01 --step 0.001"));
    EXPECT_EQ(rows("--stop 100us --step 10us"), rows("--stop 1e-4 --step 1e-5"));
    EXPECT_EQ(rows("--stop '0.1 min' --step 1s").back(), 6.0);
    EXPECT_EQ(rows("--start -1ms --stop 1ms --step 1ms").front(), -0.001);
}

TEST(CommandWords, times_that_are_none_are_explained) {
    const CommandFolder folder;
    const std::string run = "run fmus/Exponential_fmi2.fmu ";
    const std::string hint = "; write seconds, or a number with s, ms, us, min or h";
    EXPECT_THAT(folder.tandem(run + "--step 1kg").err,
                HasSubstr("error: --step: 'kg' is no unit of time" + hint));
    EXPECT_THAT(folder.tandem(run + "--stop soon").err,
                HasSubstr("error: --stop: 'soon' is no time" + hint));
    EXPECT_EQ(folder.tandem(run + "--stop soon").code, 2);
}

TEST(CommandWords, an_option_with_a_list_leaves_the_file_alone) {
    const CommandFolder folder;
    folder.write("r.csv", "time,x,y\n0,1,2\n1,3,4\n");
    for (const std::string words :
         {"--vars x r.csv", "r.csv --vars x", "--vars x -o plot.svg r.csv", "--vars=x r.csv"})
        EXPECT_THAT(folder.tandem("plot " + words).out, HasSubstr("plot.svg: 1 variable, 2 rows"))
            << words;
    EXPECT_THAT(folder.tandem("plot --vars x y r.csv").out, HasSubstr("2 variables"));
    EXPECT_EQ(folder.tandem("compare --vars x r.csv r.csv").code, 0);
}

TEST(CommandWords, a_missing_folder_is_found_before_the_run) {
    const CommandFolder folder;
    folder.write("s.toml",
                 "[experiment]\nstop = 1\n[subsystems.a]\nsource = "
                 "\"fmus/Exponential_fmi2.fmu\"\nparameters = { u = 0 }\n");
    const Said report = folder.tandem("run s.toml --output o.csv --report none/r.html");
    expect_complaint(report, "none/r.html: cannot be written: there is no folder 'none'",
                     "make the folder, or choose another file with --report");
    for (const std::string model : {"s.toml", "fmus/Exponential_fmi2.fmu"}) {
        const Said results = folder.tandem("run " + model + " --output none/o.csv");
        EXPECT_EQ(results.code, 2);
        EXPECT_THAT(results.err,
                    AllOf(HasSubstr("none/o.csv: cannot be written"), Not(HasSubstr("rows"))));
    }
}

TEST(CommandWords, a_file_that_is_neither_fmu_nor_system_is_told_what_these_are) {
    const CommandFolder folder;
    folder.write("my.txt", "a system\n");
    folder.write("OspSystemStructure.xml", "<OspSystemStructure/>");
    for (const std::string verb : {"run", "check", "info", "linearise"}) {
        expect_complaint(folder.tandem(verb + " my.txt"),
                         "my.txt: is neither an FMU nor a system file",
                         "FMUs end in .fmu; a system file names FMUs and how they are connected, "
                         "and ends in .toml (docs/system_file.md), .ssd or .ssp");
        EXPECT_THAT(folder.tandem(verb + " OspSystemStructure.xml").err,
                    HasSubstr("hint: 'tandem import' makes a system file"));
    }
}

}  // namespace
}  // namespace tandem::test
