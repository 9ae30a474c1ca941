#include "numerics/polynomial.hpp"

#include <gtest/gtest.h>

#include <array>

namespace tandem::numerics {
namespace {

double parabola(double t) { return 3.0 - 2.0 * t + 0.5 * t * t; }

History history_of(int order, std::initializer_list<double> times) {
    History history;
    history.prepare(1, order, 1);
    for (const double t : times) history.add(t, std::array{parabola(t)});
    return history;
}

TEST(History, order_two_reproduces_a_parabola_on_uneven_steps) {
    const History history = history_of(2, {-7.0, 0.0, 1.0, 1.5});
    std::array<double, 2> derivatives{};
    history.derivatives(derivatives);
    EXPECT_NEAR(history.value()[0], parabola(1.5), 1e-15);
    EXPECT_NEAR(derivatives[0], -2.0 + 1.5, 1e-14);
    EXPECT_NEAR(derivatives[1], 1.0, 1e-14);
}

TEST(History, the_order_grows_with_the_samples) {
    std::array<double, 2> derivatives{};
    history_of(2, {1.0}).derivatives(derivatives);
    EXPECT_EQ(derivatives, (std::array{0.0, 0.0}));
    history_of(2, {0.0, 1.0}).derivatives(derivatives);
    EXPECT_NEAR(derivatives[0], parabola(1.0) - parabola(0.0), 1e-15);
    EXPECT_EQ(derivatives[1], 0.0);
}

TEST(History, a_known_first_slope_stands_in_for_the_past) {
    History history = history_of(2, {0.0});
    history.set_first_slope(std::array{-2.0});
    std::array<double, 2> derivatives{};
    history.derivatives(derivatives);
    EXPECT_EQ(derivatives, (std::array{-2.0, 0.0}));
    history.add(1.0, std::array{parabola(1.0)});
    history.derivatives(derivatives);
    EXPECT_NEAR(derivatives[0], parabola(1.0) - parabola(0.0), 1e-15);
}

TEST(History, a_rejected_step_is_forgotten_without_losing_the_past_before_it) {
    History history = history_of(2, {-1.0, 0.0, 1.0, 2.0});
    history.truncate(1.0);
    std::array<double, 2> derivatives{};
    history.derivatives(derivatives);
    EXPECT_NEAR(derivatives[0], -2.0 + 1.0, 1e-14);
    EXPECT_NEAR(derivatives[1], 1.0, 1e-14);
}

TEST(LowerOrder, keeps_the_mean_over_the_step) {
    // p(tau) = 1 + 2 tau + 3 tau^2 / 2 has the mean 1 + h + h^2 / 2.
    const double h = 0.5;
    for (const int to : {0, 1}) {
        std::array value{1.0};
        std::array derivatives{2.0, 3.0};
        lower_order(value, derivatives, 2, to, h);
        const double mean = value[0] + (to == 1 ? derivatives[0] * h / 2.0 : 0.0);
        EXPECT_NEAR(mean, 1.0 + h + h * h / 2.0, 1e-15) << "to order " << to;
    }
}

}  // namespace
}  // namespace tandem::numerics
