#include <gtest/gtest.h>

#include <chrono>

#include "support/system_file.hpp"

namespace tandem {
namespace {

/// How long 0.2 s of a simulation take.
double seconds_at(double factor) {
    test::SystemFile file("[experiment]\nstop = 0.2\nstep = 0.01\n" +
                          test::subsystem_text("s", "LinearOde", "fmi2_cs", "x = 1"));
    run::SystemRunOptions options = file.options();
    options.realtime = factor;
    run::SystemRun run(std::move(options));
    const auto begin = std::chrono::steady_clock::now();
    run.perform();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// At most: a busy machine may wake us late in each of the 20 steps, and a late step is made up for.
TEST(RealTime, a_simulated_second_takes_as_long_as_it_is_told) {
    const double plain = seconds_at(1.0);
    EXPECT_GE(plain, 0.2);
    EXPECT_LT(plain, 1.2);
    const double half = seconds_at(0.5);
    EXPECT_GE(half, 0.4);
    EXPECT_LT(half, 1.4);
    EXPECT_GE(seconds_at(4.0), 0.05);
}

TEST(RealTime, without_pacing_nothing_waits) { EXPECT_LT(seconds_at(0.0), 0.2); }

}  // namespace
}  // namespace tandem
