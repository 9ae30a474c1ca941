#include "stepsize/step_length.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

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

using Error = std::function<double(double t, double h)>;

struct Count {
    long accepted = 0, rejected = 0;
    int times_noisy = 0;
};

/// Ten seconds with rows every 0.1, as a run does them; it may give up after `most` steps.
Count steps_of(const Error& error_of, bool rejects, long most = 100000) {
    StepLength steps({.min = 1e-7, .max = infinity, .first = rejects ? 0.1 : 1e-4}, 2);
    Count count;
    double t = 0.0;
    while (t < 10.0 - 1e-9 && count.accepted + count.rejected < most) {
        const double row = 0.1 * (std::floor(t / 0.1 + 1e-9) + 1.0);
        double h = steps.end_of_step(t, row) - t;
        double error = error_of(t, h);
        for (; rejects && error > 1.0 && steps.is_worth_repeating(h, error);
             error = error_of(t, h)) {
            ++count.rejected;
            steps.reject(h, error);
            h = steps.next();
        }
        if (error <= 1.0 || !rejects)
            steps.accept(h, error);
        else
            steps.accept_anyway(h, error);
        t += h;
        ++count.accepted;
    }
    count.times_noisy = steps.times_noisy();
    return count;
}

// A coupling of order 2 whose own error would be met by steps of 0.01, so a thousand of them; five
// times as many are bearable. The
// noise of each step is normally distributed, and by what is allowed goes with h^slope.
TEST(StepLength, stays_sensible_under_noise_of_any_size) {
    for (const bool rejects : {true, false})
        for (const double size : {3.0, 30.0, 3000.0})
            for (const double slope : {-1.0, -0.5, 0.0}) {
                std::mt19937 random(1);
                std::normal_distribution<> normal;
                const Count count = steps_of(
                    [&](double, double h) {
                        return 1e4 * h * h +
                               size * std::pow(h / 1e-2, slope) * std::abs(normal(random));
                    },
                    rejects);
                EXPECT_LT(count.accepted + count.rejected, 5000) << size << " " << slope;
                EXPECT_GT(count.times_noisy, 0) << size << " " << slope;
            }
}

TEST(StepLength, takes_no_error_that_falls_with_the_step_for_noise) {
    for (const bool rejects : {true, false}) {
        // Smooth; with a jump every 0.37; with a fast part after a jump; of a lower order.
        const Error smooth = [](double t, double h) {
            return 1e5 * h * h * (1.0 + 0.9 * std::sin(5.0 * t));
        };
        const Error jumping = [](double t, double h) {
            return 1e4 * h * h + (std::fmod(t, 0.37) + h > 0.37 ? 500.0 : 0.0);
        };
        const Error fast = [](double t, double h) {
            return (t >= 3.0 && t < 3.01 ? 1e10 : 1e4) * h * h +
                   (t < 3.0 && t + h > 3.0 ? 500.0 : 0.0);
        };
        const Error low = [](double, double h) { return 1e3 * h; };
        for (const Error& error : {smooth, jumping, fast, low}) {
            const Count count = steps_of(error, rejects);
            EXPECT_EQ(count.times_noisy, 0);
            EXPECT_LT(count.accepted, 100000);
        }
    }
}

}  // namespace
}  // namespace tandem::stepsize
