#include "process/child_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tandem/error.hpp"

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

// Whoever has the end of the pipe that is written to lives: a grandchild, too, would be waited for.
TEST(ChildProcess, that_does_not_end_in_time_is_ended_with_all_that_it_started) {
    const ChildResult result =
        run_program({"sh", "-c", "echo begun; tail -f /dev/null & tail -f /dev/null"},
                    ChildLimits{.seconds = 0.2, .bytes = std::uint64_t{1} << 30U});
    EXPECT_TRUE(result.took_too_long);
    EXPECT_EQ(result.code, 128 + SIGKILL);
    const ChildResult quick =
        run_program({"echo", "done"}, ChildLimits{.seconds = 3600.0, .bytes = 1U << 30U});
    EXPECT_FALSE(quick.took_too_long);
    EXPECT_EQ(quick.out, "done\n");
}

// A limit that comes after the start would be seen or not.
TEST(ChildProcess, has_its_limits_from_the_start) {
    for (int repetition = 0; repetition < 20; ++repetition)
        EXPECT_EQ(run_program({"sh", "-c", "ulimit -v"},
                              ChildLimits{.seconds = 3600.0, .bytes = std::uint64_t{100} << 20U})
                      .out,
                  "102400\n");
}

TEST(ChildProcess, gets_no_more_memory_than_it_may_have) {
    const ChildResult result =
        run_program({"sh", "-c", "head -c 1000000000 /dev/zero | tail -c 999999999 | wc -c"},
                    ChildLimits{.seconds = 3600.0, .bytes = std::uint64_t{100} << 20U});
    EXPECT_FALSE(result.took_too_long);
    EXPECT_EQ(result.out, "0\n");
}

TEST(ChildProcess, that_is_not_there_is_an_error) {
    EXPECT_THROW(run_program({"no_such_program_anywhere"}), InputError);
}

}  // namespace
}  // namespace tandem
