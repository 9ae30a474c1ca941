#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/program.hpp"
#include "support/system_file.hpp"

namespace tandem {
namespace {

using test::subsystem_text;
using test::SystemFile;
using ::testing::HasSubstr;

struct Said {
    int code = 0;
    std::string text;
};

Said run_program(const SystemFile& file) {
    const std::string folder = file.in_folder("");
    const int code =
        test::finish_tandem(test::start_tandem(folder, {"run", "system.toml", "--quiet"}));
    return {code, read_text_file(file.in_folder("said.txt"))};
}

TEST(FailingSystem, a_singular_loop_at_the_start_is_one_sentence_and_exit_code_one) {
    // y_A = 1 + y_B and y_B = y_A.
    const Said said = run_program(
        SystemFile("connections = [\"B.y -> A.u\", \"A.y -> B.u\"]\n[experiment]\nstop = 1\n" +
                   subsystem_text("A", "LinearOde", "fmi2_cs", "x = 1, d = 1") +
                   subsystem_text("B", "LinearOde", "fmi3_cs", "c = 0, d = 1")));
    EXPECT_EQ(said.code, 1);
    EXPECT_THAT(said.text,
                HasSubstr("initialisation: the algebraic loop through A.u, B.u is singular"));
    EXPECT_THAT(said.text, HasSubstr("hint:"));
}

TEST(FailingSystem, a_loop_through_an_expression_without_a_finite_value_is_named) {
    const Said said = run_program(SystemFile(
        "[experiment]\nstop = 1\n" + subsystem_text("A", "LinearOde", "fmi2_cs", "x = 1") +
        "[[functions]]\ntarget = \"A.u\"\nexpression = \"1 / (y - y)\"\n"
        "signals = { y = \"A.y\" }\n"));
    EXPECT_EQ(said.code, 1) << said.text;
    EXPECT_THAT(said.text,
                HasSubstr("the coupling function of A.u, \"1 / (y - y)\", gives no finite number "
                          "at t = 0 with A.y = 1"));
}

}  // namespace
}  // namespace tandem
