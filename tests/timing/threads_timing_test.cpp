#include <gtest/gtest.h>

#include <thread>

#include "support/timed_steps.hpp"

namespace tandem {
namespace {

using test::Rounds;
using test::StepTimes;
using test::TimedSystem;

/// Other programs on the machine can only make it slower: what is reached once can be reached. That
/// threads are not used while others keep the processors busy is tested with the decision.
constexpr int attempts = 20;

bool has_two_processors() { return std::thread::hardware_concurrency() >= 2; }

TEST(threads, make_two_heavy_subsystems_nearly_twice_as_fast) {
    if (!has_two_processors()) GTEST_SKIP() << "there is one processor only";
    double best = 0.0;
    for (int attempt = 0; attempt < attempts && best < 1.8; ++attempt) {
        TimedSystem serial(test::two_heavy_subsystems(), 1);
        TimedSystem parallel(test::two_heavy_subsystems(), 2, exec::Use::always);
        best = std::max(best, StepTimes(serial, parallel, {}).ratio());
    }
    EXPECT_GE(best, 1.8);
}

TEST(threads, let_a_chain_beside_a_third_take_as_long_as_the_longer_branch) {
    if (!has_two_processors()) GTEST_SKIP() << "there is one processor only";
    double best = 10.0;
    for (int attempt = 0; attempt < attempts && best > 1.1; ++attempt) {
        TimedSystem together(test::chain_of_two(true), 2, exec::Use::always);
        TimedSystem branch(test::chain_of_two(false), 1);
        best = std::min(best, StepTimes(together, branch, {}).ratio());
    }
    EXPECT_LE(best, 1.1);
}

TEST(threads, cost_nothing_where_steps_are_cheap) {
    double best = 10.0;
    for (int attempt = 0; attempt < attempts && best > 1.1; ++attempt) {
        TimedSystem allowed(test::ring_of_cheap_subsystems(100), 2);
        TimedSystem serial(test::ring_of_cheap_subsystems(100), 1);
        best = std::min(best, StepTimes(allowed, serial, {.steps = 50}).ratio());
    }
    EXPECT_LE(best, 1.1);
}

}  // namespace
}  // namespace tandem
