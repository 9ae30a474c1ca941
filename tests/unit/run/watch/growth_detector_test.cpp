#include "run/watch/growth_detector.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <random>
#include <string>

namespace tandem::run {
namespace {

using Course = std::function<double(int k)>;

struct Setup {
    int steps = 2000;
    int order = 1;
    bool is_in_delayed_loop = false;
    double nominal = 1.0;
};

struct Found {
    bool is_struck = false;
    int step = 0;
    double growth = 0.0;
};

Found judge(const Course& course, const Setup& setup = {}) {
    GrowthDetector detector({{0, setup.nominal, setup.is_in_delayed_loop}},
                            {.order = setup.order, .steps = setup.steps});
    for (int k = 1; k <= setup.steps; ++k) {
        const double y = course(k);
        if (!std::isfinite(y)) break;
        if (const auto verdict = detector.add({&y, 1}, 0.1)) return {true, k, verdict->growth};
    }
    return {};
}

/// The real part of e^(z k): growth per step `factor`, `angle` between two steps.
Course mode(double factor, double angle) {
    return [=](int k) { return std::pow(factor, k) * std::cos(angle * k + 0.3); };
}

/// Small beside a solution, from step 3000 on.
Course late(const Course& course) {
    return [=](int k) { return std::sin(0.01 * k) + (k > 3000 ? 1e-9 * course(k - 3000) : 0.0); };
}

const double pi = std::acos(-1.0);

TEST(GrowthDetector, strikes_modes_that_the_step_does_not_resolve) {
    for (const double factor : {1.05, 1.2, 1.7, 3.0, 10.0})
        for (const double angle : {0.7, pi / 2, 2.0, 2.5, pi}) {
            const Found early = judge(mode(factor, angle));
            EXPECT_TRUE(early.is_struck) << factor << " " << angle;
            // The phase changes what a block of four steps shows by a factor of two, over 16 steps
            // at least, or 4 if it explodes.
            EXPECT_NEAR(early.growth, factor, (factor < 5.0 ? 0.1 : 0.2) * factor) << angle;
            EXPECT_TRUE(judge(late(mode(factor, angle)), {.steps = 6000}).is_struck)
                << factor << " " << angle;
        }
}

TEST(GrowthDetector, strikes_before_five_decades_of_growth_from_the_start_are_over) {
    for (const double factor : {1.05, 1.2, 1.7})
        EXPECT_LT(std::pow(factor, judge(mode(factor, pi)).step), 1e5 * std::pow(factor, 8));
}

TEST(GrowthDetector, strikes_explosions_in_short_runs) {
    for (const double angle : {1.47, 2.0, pi}) {
        EXPECT_TRUE(judge(mode(10.0, angle), {.steps = 18}).is_struck) << angle;
        EXPECT_TRUE(judge(mode(90.0, angle), {.steps = 16}).is_struck) << angle;
    }
}

TEST(GrowthDetector, sees_what_begins_between_its_looks) {
    const Found found = judge(late(mode(10.0, pi)), {.steps = 100000});
    // 1e-9 comes to ten times the solution after ten steps, which is checked in every fourth step;
    // then three values for differences, the first block, and four blocks of a decade each.
    EXPECT_LE(found.step, 3000 + 10 + 4 + 3 + 5 * 4);
}

TEST(GrowthDetector, lets_exponentials_pass_that_the_step_resolves) {
    for (const double rate : {0.001, 0.01, 0.1, 0.2})
        for (const double first : {1e-12, 1.0, 1e6}) {
            const int steps = static_cast<int>(80.0 / rate);
            const Course course = [=](int k) { return first * std::exp(rate * k); };
            EXPECT_FALSE(judge(course, {.steps = steps}).is_struck) << rate << " from " << first;
        }
}

// The coupling of order 1 makes up to |z|^2 of growth itself; here the model's is twice that.
TEST(GrowthDetector, lets_oscillations_pass_whose_growth_the_step_resolves) {
    for (const double angle : {0.02, 0.05, 0.1, 0.2}) {
        const double rate = 2.0 * angle * angle;
        const int steps = static_cast<int>(40.0 / rate);
        EXPECT_FALSE(judge(mode(std::exp(rate), angle), {.steps = steps}).is_struck) << angle;
    }
    EXPECT_FALSE(judge(mode(std::exp(0.005), 0.1), {.steps = 6000, .order = 2}).is_struck);
}

// Held inputs turn an undamped oscillation into growth by sqrt(1 + angle^2) per step.
TEST(GrowthDetector, strikes_growth_that_the_error_of_the_coupling_explains) {
    for (const double angle : {0.05, 0.1, 0.3}) {
        const double factor = std::sqrt(1.0 + angle * angle);
        const int steps = static_cast<int>(std::log(1e8) / std::log(factor));
        const Found found = judge(mode(factor, angle), {.steps = steps});
        EXPECT_TRUE(found.is_struck) << angle;
        EXPECT_NEAR(std::log(found.growth), std::log(factor), 0.4 * std::log(factor)) << angle;
        // From 1e-3 of the nominal value it takes four decades, known to a pause between two looks.
        const Found small =
            judge([&](int k) { return 1e-3 * mode(factor, angle)(k); }, {.steps = steps});
        EXPECT_LT(std::pow(factor, small.step), 1e6) << angle;
    }
}

TEST(GrowthDetector, lets_polynomials_and_resonance_pass) {
    for (int power = 1; power <= 8; ++power) {
        const Course course = [=](int k) { return 1e-3 * std::pow(k, power); };
        EXPECT_FALSE(judge(course, {.steps = 50000}).is_struck) << power;
    }
    for (const double angle : {0.01, 0.1, 0.3, 0.6, 1.5, 3.0})
        for (const int power : {1, 2}) {
            const Course course = [=](int k) { return std::pow(k, power) * std::sin(angle * k); };
            EXPECT_FALSE(judge(course, {.steps = 50000}).is_struck) << angle << " " << power;
        }
}

/// Rounding errors until step 1000.
Course starting(const Course& course) {
    return [=](int k) { return k < 1000 ? 1e-17 * ((k * 7919) % 13) : course(k - 1000); };
}

TEST(GrowthDetector, lets_starts_from_zero_pass) {
    for (const double rate : {0.01, 0.2, 1.1, 5.0})
        for (const double size : {1e-6, 1.0, 1e7}) {
            const Course step = [=](int k) { return size * -std::expm1(-rate * k); };
            EXPECT_FALSE(judge(starting(step)).is_struck) << rate << " " << size;
            const Course ringing = [=](int k) {
                return size * (1.0 - std::exp(-0.1 * rate * k) * std::cos(rate * k));
            };
            EXPECT_FALSE(judge(starting(ringing)).is_struck) << rate << " " << size;
        }
    const Course smooth = [](int k) { return k > 0 ? std::exp(-100.0 / k) : 0.0; };
    EXPECT_FALSE(judge(starting(smooth)).is_struck);
}

TEST(GrowthDetector, lets_noise_and_switching_pass) {
    std::mt19937 random(1);
    std::normal_distribution<> normal;
    EXPECT_FALSE(judge([&](int) { return normal(random); }, {.steps = 100000}).is_struck);
    double walk = 0.0;
    EXPECT_FALSE(judge([&](int) { return walk += normal(random); }, {.steps = 100000}).is_struck);
    EXPECT_FALSE(judge([](int k) { return k < 500 ? 0.0 : k / 3 % 2; }).is_struck);
    // The noise of a solver, in proportion to a value that grows slowly.
    const Course noisy = [&](int k) { return std::exp(1e-3 * k) * (1.0 + 1e-6 * normal(random)); };
    EXPECT_FALSE(judge(noisy, {.steps = 20000}).is_struck);
}

TEST(GrowthDetector, lets_growth_pass_that_stays_invisible) {
    const Course hidden = [](int k) { return 1.0 + 1e-16 * mode(1.1, pi)(std::min(k, 250)); };
    EXPECT_FALSE(judge(hidden).is_struck);
}

TEST(GrowthDetector, strikes_loops_whose_gain_passes_one) {
    double y = 1.0;
    const Course falling = [&](int k) { return y = 1.0 - (0.5 + 0.002 * k) * y; };
    EXPECT_TRUE(judge(falling).is_struck);
    y = 1.0;
    const Course rising = [&](int k) { return y = 1.0 + (0.5 + 0.001 * k) * y; };
    EXPECT_TRUE(judge(rising, {.is_in_delayed_loop = true}).is_struck);
    for (const double gain : {1.02, 1.1, 1.3, 2.0}) {
        const int steps = static_cast<int>(std::log(1e14) / std::log(gain)) + 20;
        EXPECT_TRUE(judge(mode(gain, 0.0), {.steps = steps, .is_in_delayed_loop = true}).is_struck)
            << gain;
    }
}

TEST(GrowthDetector, compares_steps_of_equal_length_only) {
    // y = t^2 in steps that double.
    GrowthDetector detector({{0, 1.0, false}}, {});
    double t = 1e-9, length = 1e-9;
    for (int k = 0; k < 100; ++k, length *= 2.0) {
        t += length;
        const double y = t * t;
        EXPECT_FALSE(detector.add({&y, 1}, length).has_value());
    }
}

TEST(GrowthDetector, names_the_signal_that_grows) {
    GrowthDetector detector({{2, 1.0, false}, {0, 1.0, false}}, {});
    std::optional<GrowthDetector::Verdict> verdict;
    for (int k = 1; k < 100 && !verdict; ++k) {
        const double values[] = {mode(2.0, pi)(k), std::numeric_limits<double>::quiet_NaN(),
                                 std::sin(0.1 * k)};
        verdict = detector.add(values, 0.1);
    }
    ASSERT_TRUE(verdict.has_value());
    EXPECT_EQ(verdict->signal, 1U);
}

/// How much it grew per step if that is found at the end and not before.
std::optional<double> growth_at_end(const Course& course, int steps, int order = 1,
                                    bool is_in_delayed_loop = false) {
    GrowthDetector detector({{0, 1.0, is_in_delayed_loop}}, {.order = order, .steps = steps});
    for (int k = 1; k <= steps; ++k) {
        const double y = course(k);
        EXPECT_FALSE(detector.add({&y, 1}, 0.1)) << "at step " << k;
    }
    const auto verdict = detector.growing();
    return verdict ? std::optional(verdict->growth) : std::nullopt;
}

int steps_to(double factor, double rate) { return static_cast<int>(std::log(factor) / rate); }

// Held inputs make an undamped oscillation of `angle` per step grow by exp(angle^2 / 2) per step.
// A rise by a factor of 1.4 is known to a pause of 240 steps.
TEST(GrowthDetector, finds_oscillations_at_the_end_that_grew_fifteenfold) {
    for (const double angle : {0.02, 0.1, 0.2}) {
        const double rate = 0.5 * angle * angle;
        const Course centred = mode(std::exp(rate), angle);
        const Course moving = [&](int k) { return 20.0 + 1e-3 * k + centred(k); };
        for (const Course& course : {centred, moving}) {
            const auto growth = growth_at_end(course, steps_to(15.0, rate));
            ASSERT_TRUE(growth) << angle;
            EXPECT_NEAR(std::log(*growth), rate, 0.15 * rate) << angle;
            EXPECT_FALSE(growth_at_end(course, steps_to(3.0, rate))) << "too little";
            EXPECT_TRUE(judge(course, {.steps = steps_to(2000.0, rate)}).is_struck) << angle;
        }
        EXPECT_FALSE(growth_at_end(centred, steps_to(15.0, rate), 3)) << "a higher order";
        EXPECT_FALSE(growth_at_end(mode(std::exp(3.0 * rate), angle), steps_to(1e3, 3.0 * rate)))
            << "the model";
    }
}

TEST(GrowthDetector, finds_explosions_in_delayed_loops_of_very_short_runs) {
    const Course explosion = [](int k) { return std::pow(-5e4, k); };
    const auto growth = growth_at_end(explosion, 5, 1, true);
    ASSERT_TRUE(growth);
    EXPECT_GT(*growth, 1e3);
    EXPECT_FALSE(growth_at_end(explosion, 5)) << "no loop";
    EXPECT_FALSE(growth_at_end(explosion, 2, 1, true)) << "too little";
    EXPECT_FALSE(growth_at_end([](int k) { return 1e12 * k; }, 5, 1, true))
        << "large from the start";
}

TEST(GrowthDetector, finds_no_growth_in_forced_oscillations) {
    const Course resonance = [](int k) { return 1.0 + 0.01 * k * std::sin(0.1 * k); };
    const Course beat = [](int k) { return std::sin(0.1 * k) - std::sin(0.1005 * k); };
    // The amplitude of x'' + 0.02 x' + x = sin(w t), w from 0.2 to 2.
    const Course sweep = [](int k) {
        const double w = 0.2 + 1.8 * k / 20000.0;
        return std::sin(0.1 * (0.2 + 0.9 * k / 20000.0) * k) / std::hypot(1.0 - w * w, 0.02 * w);
    };
    const Course ramp = [](int k) { return std::min(1.0, k / 5000.0) * std::sin(0.1 * k); };
    const Course steps = [](int k) {
        return (k / 500) * std::exp(-0.02 * (k % 500)) * std::sin(0.1 * (k % 500));
    };
    for (const Course& course : {resonance, beat, sweep, ramp, steps})
        for (const int end : {300, 1000, 2000, 5000, 8000, 20000})
            EXPECT_FALSE(growth_at_end(course, end)) << end;
}

}  // namespace
}  // namespace tandem::run
