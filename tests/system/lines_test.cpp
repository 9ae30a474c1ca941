// The commands on systems with transmission lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command_folder.hpp"

namespace tandem::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two masses of 5 g with a line of 0.4 ms between them.
std::string masses(const std::string& step, const std::string& exchange,
                   const std::string& more = "") {
    return "[experiment]\nstop = 0.2\nstep = " + step +
           "\n[coupling]\nmethod = \"jacobi\"\n[[tlm]]\nname = \"spring\"\n"
           "domain = \"mechanical\"\ndelay = 4e-4\nimpedance = 0.4\nexchange = \"" +
           exchange +
           "\"\nends = [{ flow = \"left.v3\", effort = \"left.F3\" }, "
           "{ flow = \"right.v1\", effort = \"right.F1\" }]\n"
           "[subsystems.left]\nsource = \"fmus/native/TlmLeft.so\"\n"
           "[subsystems.right]\nsource = \"fmus/native/TlmRight.so\"\n" +
           more;
}

Said said_of(const std::string& text, const std::string& command) {
    const CommandFolder folder;
    folder.write("system.toml", text);
    return folder.tandem(command);
}

TEST(Lines, are_listed_by_graph) {
    const Said said = said_of(masses("2e-4", "law"), "graph system.toml");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.out,
                AllOf(HasSubstr("1 line, "), HasSubstr("  line    between      delay   impedance\n"
                                                       "  spring  left, right  0.0004  0.4\n")));
}

TEST(Lines, are_dashed_in_dot) {
    EXPECT_THAT(said_of(masses("2e-4", "law"), "graph system.toml --format dot").out,
                HasSubstr("\"left\" -> \"right\" [label=\"spring\", dir=none, style=dashed"));
}

TEST(Lines, have_the_names_of_subsystems_that_became_one_equation) {
    std::string text = masses("2e-4", "law");
    text.replace(text.find("jacobi"), 6, "aggregate");
    const CommandFolder folder;
    folder.write("system.toml", text);
    EXPECT_THAT(folder.tandem("graph system.toml --format dot").out,
                HasSubstr("\"left\" -> \"right\" [label=\"spring\""));
    EXPECT_EQ(folder.tandem("run system.toml --stop 0.01 --output out.csv").code, 0);
    const auto record = nlohmann::json::parse(read_bytes(folder / "run.json"));
    EXPECT_EQ(record["lines"][0]["ends"][1]["subsystem"], "right");
    ASSERT_FALSE(record["groups"].empty());
    EXPECT_EQ(record["groups"][0]["members"].size(), 1U);
}

TEST(Lines, are_listed_by_check_with_the_exchange_that_was_chosen) {
    EXPECT_THAT(said_of(masses("2e-4", "auto"), "check system.toml").out,
                HasSubstr("spring: left (law) - right (law), delay 0.0004 s, impedance 0.4"));
}

TEST(Lines, keep_waves_for_steps_that_are_much_shorter_than_expected) {
    const Said said =
        said_of(masses("2e-4", "coarse"), "run system.toml --step-control predictor --stop 0.12");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.err, HasSubstr("prediction_error: "));
}

TEST(Lines, with_steps_longer_than_their_delay_are_refused_by_check) {
    EXPECT_EQ(said_of(masses("4e-4", "law"), "check system.toml").code, 0);
    const Said said = said_of(masses("5e-4", "law"), "check system.toml");
    EXPECT_NE(said.code, 0);
    EXPECT_THAT(said.out + said.err,
                AllOf(HasSubstr("tlm 'spring': steps of 0.0005 are longer than its delay, 0.0004"),
                      HasSubstr("choose a step of at most 0.0004")));
}

TEST(Lines, have_the_exchange_of_the_command_line_rather_than_that_of_the_file) {
    const CommandFolder folder;
    folder.write("law.toml", masses("2e-4", "law"));
    folder.write("held.toml", masses("2e-4", "sampled"));
    EXPECT_EQ(folder.tandem("run law.toml --output law.csv").code, 0);
    EXPECT_EQ(folder.tandem("run held.toml --output held.csv").code, 0);
    EXPECT_EQ(folder.tandem("run law.toml --exchange sampled --output given.csv").code, 0);
    EXPECT_EQ(read_bytes(folder / "given.csv"), read_bytes(folder / "held.csv"));
    EXPECT_NE(read_bytes(folder / "given.csv"), read_bytes(folder / "law.csv"));
}

TEST(Lines, are_needed_where_the_command_line_gives_an_exchange) {
    const Said none = said_of("[subsystems.left]\nsource = \"fmus/native/TlmLeft.so\"\n",
                              "run system.toml --stop 1 --exchange coarse");
    EXPECT_NE(none.code, 0);
    EXPECT_THAT(none.err, HasSubstr("--exchange: the system has no transmission lines"));
    const Said unknown = said_of(masses("2e-4", "law"), "run system.toml --exchange held");
    EXPECT_NE(unknown.code, 0);
    EXPECT_THAT(unknown.err, AllOf(HasSubstr("--exchange: 'held'"), HasSubstr("intermediate")));
}

TEST(Lines, are_not_linearised) {
    const Said said = said_of(masses("2e-4", "law"), "linearise system.toml");
    EXPECT_NE(said.code, 0);
    EXPECT_THAT(said.out, IsEmpty());
    EXPECT_THAT(said.err, AllOf(HasSubstr("the system has transmission lines, whose delays are no "
                                          "differential equations"),
                                HasSubstr("instead of the lines")));
}

TEST(Lines, that_feed_what_is_connected_already_are_refused) {
    const Said said =
        said_of(masses("2e-4", "law", "[[connections]]\nfrom = \"right.x1\"\nto = \"left.F3\"\n"),
                "check system.toml");
    EXPECT_NE(said.code, 0);
    EXPECT_THAT(said.out + said.err, AllOf(HasSubstr("'left.F3' is driven twice, here and at "),
                                           HasSubstr("remove one of them")));
}

// Waves that are held from step to step grow.
TEST(Lines, that_create_energy_are_not_credible_and_warnings_of_the_run_and_its_record) {
    const CommandFolder folder;
    folder.write("system.toml", masses("4e-4", "sampled"));
    const Said said = folder.tandem("run system.toml --output out.csv");
    EXPECT_EQ(said.code, 3);
    const std::string words = "of spurious energy";
    EXPECT_THAT(said.err, AllOf(HasSubstr("warning: tlm 'spring': the line generated up to "),
                                HasSubstr(words), HasSubstr("completed, not credible")));
    const auto record = nlohmann::json::parse(read_bytes(folder / "run.json"));
    ASSERT_EQ(record["warnings"].size(), 1U);
    EXPECT_THAT(record["warnings"][0]["problem"].get<std::string>(), HasSubstr(words));
    EXPECT_EQ(folder.tandem("run system.toml --step 1e-5 --output out.csv").code, 0);
    EXPECT_EQ(folder.tandem("run system.toml --exchange fine --output out.csv").code, 0);
}

}  // namespace
}  // namespace tandem::test
