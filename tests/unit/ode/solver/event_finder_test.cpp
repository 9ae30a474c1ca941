#include "ode/solver/event_finder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace tandem::ode {
namespace {

using Finding = EventFinder::Finding;

class Functions final : public IndicatorTrace {
public:
    explicit Functions(std::vector<std::function<double(double)>> functions)
        : functions_(std::move(functions)) {}
    bool indicators_at(double t, std::span<double> z) override {
        ++evaluations;
        for (std::size_t i = 0; i < z.size(); ++i) z[i] = functions_[i](t);
        return !fails;
    }
    EventFinder started_at(double t) {
        std::vector<double> z(functions_.size());
        for (std::size_t i = 0; i < z.size(); ++i) z[i] = functions_[i](t);
        EventFinder finder(static_cast<int>(z.size()));
        finder.start(z);
        return finder;
    }

    int evaluations = 0;
    bool fails = false;

private:
    std::vector<std::function<double(double)>> functions_;
};

TEST(EventFinder, finds_a_root_just_behind_it_within_the_resolution_of_time) {
    Functions cosine({[](double t) { return std::cos(t); }});
    EventFinder finder = cosine.started_at(1.0);
    ASSERT_EQ(finder.search(1.0, 3.0, cosine), Finding::root);
    const double root = std::acos(-1.0) / 2.0;
    // 2e-14 relative, and the rounding of the cosine beside its root.
    EXPECT_NEAR(finder.root(), root, 1e-13);
    EXPECT_LE(std::cos(finder.root()), 0.0);
    EXPECT_EQ(finder.changes()[0], -1);
}

TEST(EventFinder, needs_few_evaluations_for_a_smooth_indicator) {
    Functions cosine({[](double t) { return std::cos(t); }});
    EventFinder finder = cosine.started_at(1.0);
    ASSERT_EQ(finder.search(1.0, 3.0, cosine), Finding::root);
    // Bisection alone would need log2(2 / 3e-14) = 46.
    EXPECT_LE(cosine.evaluations, 25);
}

TEST(EventFinder, finds_a_jump_as_exactly_as_a_root) {
    Functions jump({[](double t) { return t < 0.3 ? 1e-12 : -1e6; }});
    EventFinder finder = jump.started_at(0.0);
    ASSERT_EQ(finder.search(0.0, 1.0, jump), Finding::root);
    EXPECT_GE(finder.root(), 0.3);
    EXPECT_NEAR(finder.root(), 0.3, 1e-14);
}

TEST(EventFinder, an_indicator_that_falls_through_an_exact_zero_is_below_it_at_the_root) {
    // Exactly zero at 0.5, which is where the secant leads.
    Functions line({[](double t) { return 0.5 - t; }});
    EventFinder finder = line.started_at(0.0);
    ASSERT_EQ(finder.search(0.0, 1.0, line), Finding::root);
    EXPECT_GT(finder.root(), 0.5);
    EXPECT_NEAR(finder.root(), 0.5, 2e-14);
    EXPECT_EQ(finder.changes()[0], -1);
}

TEST(EventFinder, returns_the_first_of_several_roots_and_names_the_simultaneous_ones) {
    const auto falling = [](double t) { return 0.5 - t; };
    const auto rising = [](double t) { return 2.0 * t - 1.0; };
    const auto later = [](double t) { return 0.75 - t; };
    Functions three({later, falling, rising});
    EventFinder finder = three.started_at(0.0);
    ASSERT_EQ(finder.search(0.0, 1.0, three), Finding::root);
    EXPECT_NEAR(finder.root(), 0.5, 1e-13);
    EXPECT_EQ(finder.changes()[0], 0);
    EXPECT_EQ(finder.changes()[1], -1);
    ASSERT_EQ(finder.search(finder.root(), 1.0, three), Finding::root);
}

TEST(EventFinder, leaving_an_exact_zero_at_the_start_is_no_event) {
    Functions throwing({[](double t) { return t * (1.0 - t); }});
    EventFinder finder = throwing.started_at(0.0);
    EXPECT_EQ(finder.search(0.0, 0.5, throwing), Finding::nothing);
    ASSERT_EQ(finder.search(0.5, 1.5, throwing), Finding::root);
    EXPECT_NEAR(finder.root(), 1.0, 1e-13);
}

TEST(EventFinder, finds_the_root_of_a_whole_arc_that_begins_at_zero) {
    Functions arc({[](double t) { return t * (1.0 - t); }});
    EventFinder finder = arc.started_at(0.0);
    ASSERT_EQ(finder.search(0.0, 5.0, arc), Finding::root);
    EXPECT_NEAR(finder.root(), 1.0, 1e-13);
}

TEST(EventFinder, an_indicator_that_rests_at_zero_is_not_positive_and_fires_when_it_rises) {
    Functions ramp({[](double t) { return std::max(0.0, t - 1.0); }});
    EventFinder finder = ramp.started_at(0.0);
    EXPECT_EQ(finder.search(0.0, 1.0, ramp), Finding::nothing);
    ASSERT_EQ(finder.search(1.0, 2.0, ramp), Finding::root);
    EXPECT_NEAR(finder.root(), 1.0, 1e-13);
    EXPECT_EQ(finder.changes()[0], +1);
}

TEST(EventFinder, falling_to_exactly_zero_at_the_end_is_an_event_there) {
    Functions ramp({[](double t) { return 1.0 - t; }});
    EventFinder finder = ramp.started_at(0.0);
    ASSERT_EQ(finder.search(0.0, 1.0, ramp), Finding::root);
    EXPECT_NEAR(finder.root(), 1.0, 3e-14);
    EXPECT_EQ(finder.changes()[0], -1);
}

TEST(EventFinder, touching_zero_from_below_is_no_event) {
    Functions touch({[](double t) { return -std::abs(t - 1.0); }});
    EventFinder finder = touch.started_at(0.0);
    EXPECT_EQ(finder.search(0.0, 1.0, touch), Finding::nothing);
    EXPECT_EQ(finder.search(1.0, 2.0, touch), Finding::nothing);
}

/// Steps of a solver over sin(t) - level, which changes its sign twice within one of them.
TEST(EventFinder, finds_two_changes_within_one_search) {
    for (const double level : {0.97, 0.999, 0.99999, 0.9999999}) {
        Functions cap({[level](double t) { return std::sin(t) - level; }});
        for (const double first : {0.1, 0.3, 0.4, 0.55, 0.7}) {
            EventFinder finder = cap.started_at(0.0);
            double begin = 0.0;
            for (double end = first; begin < std::asin(level); end += 0.6) {
                const Finding finding = finder.search(begin, end, cap);
                if (finding == Finding::root) break;
                begin = end;
            }
            // The slope there is sqrt(1 - level^2), the rounding error that of the sine.
            const double rounding = 1e-15 / std::sqrt(1.0 - level * level);
            EXPECT_NEAR(finder.root(), std::asin(level), 1e-13 + rounding) << level << first;
            EXPECT_EQ(finder.changes()[0], +1);
        }
    }
}

/// A bump of one hundredth of the step between two indicators that do not change at all.
TEST(EventFinder, finds_the_first_change_also_where_another_indicator_changes_later) {
    const auto bump = [](double t) { return 1e-4 - (t - 0.3) * (t - 0.3); };
    const auto later = [](double t) { return 0.75 - t; };
    Functions both({later, bump});
    EventFinder finder = both.started_at(0.0);
    ASSERT_EQ(finder.search(0.0, 1.0, both), Finding::root);
    EXPECT_NEAR(finder.root(), 0.29, 1e-12);
    EXPECT_EQ(finder.changes()[1], +1);
}

/// What turns around far from zero, or not at all, is not looked at: one evaluation a step.
TEST(EventFinder, looks_between_the_ends_only_where_an_indicator_may_reach_zero) {
    Functions far({[](double t) { return std::sin(t) - 3.0; }, [](double) { return 1.0; }});
    EventFinder finder = far.started_at(0.0);
    constexpr int steps = 100;
    for (int k = 0; k < steps; ++k)
        EXPECT_EQ(finder.search(0.5 * k, 0.5 * (k + 1), far), Finding::nothing);
    EXPECT_LE(far.evaluations, steps + 2);
}

/// As it comes closer than that in each period: a few evaluations where it turns around.
TEST(EventFinder, looks_a_few_times_where_an_indicator_turns_around_before_zero) {
    Functions near({[](double t) { return std::sin(t) - 1.0001; }});
    EventFinder finder = near.started_at(0.0);
    constexpr int steps = 100;
    for (int k = 0; k < steps; ++k)
        EXPECT_EQ(finder.search(0.5 * k, 0.5 * (k + 1), near), Finding::nothing);
    EXPECT_LE(near.evaluations, 2 * steps);
}

TEST(EventFinder, says_when_the_indicators_cannot_be_evaluated) {
    Functions ramp({[](double t) { return 1.0 - t; }});
    EventFinder finder = ramp.started_at(0.0);
    ramp.fails = true;
    EXPECT_EQ(finder.search(0.0, 2.0, ramp), Finding::failed);
}

}  // namespace
}  // namespace tandem::ode
