#include "stepsize/step_length.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tandem::stepsize {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

StepLength length(double first = 0.1) { return {{.min = 1e-3, .max = 10.0, .first = first}, 2}; }

TEST(StepLength, follows_the_error_by_the_right_power) {
    StepLength pi = length();
    pi.accept(0.1, 0.25);
    EXPECT_NEAR(pi.next(), 0.1 * 0.9 * std::pow(0.25, -0.35), 1e-15) << "the error before was 1";
    const double h = pi.next();
    pi.accept(h, 0.5);
    EXPECT_NEAR(pi.next(), h * 0.9 * std::pow(0.5, -0.35) * std::pow(0.25, 0.2), 1e-15);
    pi.reject(0.1, 4.0);
    EXPECT_NEAR(pi.next(), 0.1 * 0.9 / 2.0, 1e-15);
}

TEST(StepLength, changes_by_no_more_than_it_should) {
    StepLength pi = length();
    pi.accept(0.1, 0.0);
    EXPECT_DOUBLE_EQ(pi.next(), 0.3);
    pi.reject(0.3, 1e9);
    EXPECT_DOUBLE_EQ(pi.next(), 0.06);
    pi.reject(0.06, infinity);
    EXPECT_DOUBLE_EQ(pi.next(), 0.012);
    pi.reject(0.012, std::nan(""));
    EXPECT_DOUBLE_EQ(pi.next(), 0.0024);
}

TEST(StepLength, stays_within_its_limits) {
    StepLength pi = length(5.0);
    pi.accept(5.0, 1e-6);
    EXPECT_EQ(pi.next(), 10.0);
    for (int i = 0; i < 20; ++i) pi.reject(pi.next(), 100.0);
    EXPECT_EQ(pi.next(), 1e-3);
    EXPECT_FALSE(pi.is_worth_repeating(pi.next(), 2.0));
    pi.accept_anyway(pi.next(), 2.0);
    EXPECT_EQ(pi.next(), 3e-3) << "the next one may be easier";
}

TEST(StepLength, ends_at_the_limit_without_a_sliver) {
    const StepLength pi = length();
    EXPECT_EQ(pi.end_of_step(0.0, 1.0), 0.1);
    EXPECT_EQ(pi.end_of_step(0.0, 0.1), 0.1);
    EXPECT_EQ(pi.end_of_step(0.0, 0.05), 0.05);
    EXPECT_EQ(pi.end_of_step(0.0, 0.12), 0.06) << "two even steps";
    EXPECT_EQ(pi.end_of_step(0.0, 0.1 * (1.0 + 1e-12)), 0.1 * (1.0 + 1e-12)) << "rounding";
}

TEST(StepLength, is_not_shortened_by_a_step_that_had_to_end_early) {
    StepLength pi = length();
    pi.accept(0.01, 0.9);
    EXPECT_EQ(pi.next(), 0.1);
    pi.accept(0.01, 1.5);
    EXPECT_LT(pi.next(), 0.01) << "unless its error was too large";
}

TEST(StepLength, goes_back_to_the_best_where_shorter_steps_are_worse_and_worse) {
    StepLength pi = length();
    pi.reject(0.1, 60.0);
    pi.reject(0.02, 50.0);
    for (const double error : {250.0, 1250.0}) pi.reject(pi.next(), error);
    EXPECT_NEAR(pi.next(), 1e-3, 1e-15) << "still hoping";
    EXPECT_TRUE(pi.is_worth_repeating(4e-3, 50.0));
    pi.reject(pi.next(), 6250.0);
    EXPECT_EQ(pi.next(), 0.02);
    EXPECT_FALSE(pi.is_worth_repeating(0.02, 70.0)) << "the noise is not always the same";
    EXPECT_TRUE(pi.is_worth_repeating(0.02, 200.0));
    pi.accept_anyway(0.02, 70.0);
    EXPECT_EQ(pi.next(), 0.02);
    pi.accept(0.02, 0.5);
    EXPECT_TRUE(pi.is_worth_repeating(0.02, 70.0)) << "it was not noise, or it is gone";
}

TEST(StepLength, hopes_on_at_a_jump_and_where_steps_are_too_long_to_tell) {
    StepLength jump = length();
    for (int i = 0; i < 4; ++i) jump.reject(jump.next(), 50.0);
    EXPECT_EQ(jump.next(), 1e-3);
    StepLength coarse = length();
    coarse.reject(0.1, 10.0);
    coarse.reject(0.02, 1e9);
    coarse.reject(0.004, 1e3);
    EXPECT_LT(coarse.next(), 0.004);
}

}  // namespace
}  // namespace tandem::stepsize
