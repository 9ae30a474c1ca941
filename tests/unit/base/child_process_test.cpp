#include "base/child_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "base/error.hpp"

namespace tandem {
namespace {

TEST(ChildProcess, has_its_code_and_both_its_streams) {
    const ChildResult result = run_program({"sh", "-c", "echo out; echo err >&2; exit 7"});
    EXPECT_EQ(result.code, 7);
    EXPECT_EQ(result.out, "out\n");
    EXPECT_EQ(result.err, "err\n");
}

TEST(ChildProcess, may_write_more_than_a_pipe_holds_to_either_stream) {
    const ChildResult result =
        run_program({"sh", "-c", "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero"});
    EXPECT_EQ(result.out.size(), 300000U);
    EXPECT_EQ(result.err.size(), 300000U);
}

TEST(ChildProcess, gets_its_arguments_as_they_are_and_nothing_to_read) {
    EXPECT_EQ(run_program({"printf", "%s", "a b; $HOME `x` \"q\""}).out, "a b; $HOME `x` \"q\"");
    EXPECT_EQ(run_program({"cat"}).out, "");
}

TEST(ChildProcess, that_a_signal_ends_is_told_by_its_number) {
    EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}).code, 128 + SIGKILL);
}

TEST(ChildProcess, that_is_not_there_is_an_error) {
    EXPECT_THROW(run_program({"no_such_program_anywhere"}), InputError);
}

}  // namespace
}  // namespace tandem
