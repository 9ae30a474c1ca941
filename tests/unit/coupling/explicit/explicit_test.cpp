#include "coupling/explicit/explicit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/mock_subsystem.hpp"

namespace tandem::coupling {
namespace {

using test::MockSubsystem;
using testing::DoubleNear;
using testing::ElementsAre;

double parabola(double t) { return 1.0 + 2.0 * t + 3.0 * t * t; }

/// A clock that says parabola(t) feeds a sink that listens.
struct Pair {
    explicit Pair(ExplicitOptions options, Capabilities can = {.input_derivatives = 2})
        : coupling(std::move(options)) {
        auto owned_source = std::make_unique<MockSubsystem>(
            "source", 0, [](double t, const auto&) { return parabola(t); });
        auto owned_sink = std::make_unique<MockSubsystem>(
            "sink", 1, [](double, const auto& u) { return u[0]; }, can);
        sink = owned_sink.get();
        std::vector<std::unique_ptr<Subsystem>> subsystems;
        subsystems.push_back(std::move(owned_sink));
        subsystems.push_back(std::move(owned_source));
        // outputs: 0 the sink's, 1 the source's
        system = std::make_unique<System>(std::move(subsystems), std::vector{Link{1, 0}});
        system->outputs()[1] = parabola(0.0);
        coupling.prepare(*system, 0.0);
    }

    void run(std::initializer_list<double> times) {
        for (auto t = times.begin(); t + 1 != times.end(); ++t)
            ASSERT_TRUE(coupling.advance(*system, {*t, *(t + 1)}));
    }

    Explicit coupling;
    std::unique_ptr<System> system;
    MockSubsystem* sink = nullptr;
};

TEST(Explicit, jacobi_holds_the_outputs_of_the_last_communication_point) {
    Pair pair({});
    pair.run({0.0, 1.0, 2.0});
    EXPECT_THAT(pair.sink->courses[0].values, ElementsAre(parabola(0.0)));
    EXPECT_THAT(pair.sink->courses[1].values, ElementsAre(parabola(1.0)));
}

TEST(Explicit, gauss_seidel_steps_sources_first_and_holds_their_newest_output) {
    Pair pair({.sweep = Sweep::gauss_seidel});
    pair.run({0.0, 1.0});
    EXPECT_THAT(pair.sink->courses[0].values, ElementsAre(parabola(1.0)));
}

TEST(Explicit, the_given_sequence_beats_the_graph) {
    Pair pair({.sweep = Sweep::gauss_seidel, .sequence = {0, 1}});
    pair.run({0.0, 1.0});
    EXPECT_THAT(pair.sink->courses[0].values, ElementsAre(parabola(0.0)));
}

TEST(Explicit, order_two_extrapolates_a_parabola_exactly) {
    Pair pair({.order = 2});
    pair.run({0.0, 1.0, 1.5, 2.0});
    const auto& course = pair.sink->courses[2];
    EXPECT_THAT(course.values, ElementsAre(DoubleNear(parabola(1.5), 1e-12)));
    EXPECT_THAT(course.derivatives,
                ElementsAre(DoubleNear(2.0 + 6.0 * 1.5, 1e-12), DoubleNear(6.0, 1e-12)));
}

TEST(Explicit, gauss_seidel_of_order_two_interpolates_to_the_newest_output) {
    Pair pair({.sweep = Sweep::gauss_seidel, .order = 2});
    pair.run({0.0, 1.0, 1.5});
    const auto& course = pair.sink->courses[1];
    EXPECT_THAT(course.values, ElementsAre(DoubleNear(parabola(1.0), 1e-12)));
    EXPECT_THAT(course.derivatives,
                ElementsAre(DoubleNear(2.0 + 6.0, 1e-12), DoubleNear(6.0, 1e-12)));
}

TEST(Explicit, a_subsystem_without_derivatives_gets_the_mean_of_the_polynomial) {
    Pair pair({.order = 2}, {.input_derivatives = 0});
    pair.run({0.0, 1.0, 1.5, 2.0});
    // The mean of 1 + 2t + 3t^2 over [1.5, 2].
    const double mean = (2.0 + 4.0 + 8.0 - (1.5 + 2.25 + 3.375)) / 0.5;
    EXPECT_THAT(pair.sink->courses[2].values, ElementsAre(DoubleNear(mean, 1e-12)));
    EXPECT_TRUE(pair.sink->courses[2].derivatives.empty());
}

TEST(Explicit, smooth_inputs_go_on_from_where_they_were) {
    Pair pair({.smooth = true});
    pair.run({0.0, 1.0, 2.0, 3.0});
    const auto& courses = pair.sink->courses;
    for (std::size_t k = 1; k < courses.size(); ++k) {
        const double end_before = courses[k - 1].values[0] + courses[k - 1].derivatives[0];
        EXPECT_NEAR(courses[k].values[0], end_before, 1e-12);
        EXPECT_NEAR(courses[k].values[0] + courses[k].derivatives[0],
                    parabola(static_cast<double>(k)), 1e-12);
    }
}

TEST(Explicit, a_repeated_step_gets_the_same_inputs) {
    for (const bool smooth : {false, true}) {
        Pair pair({.order = 1, .smooth = smooth});
        pair.run({0.0, 1.0, 2.0});
        pair.system->outputs()[1] = parabola(1.0);  // as a restore would
        ASSERT_TRUE(pair.coupling.advance(*pair.system, {1.0, 2.0}));
        const auto& courses = pair.sink->courses;
        EXPECT_EQ(courses[1].values, courses[2].values);
        EXPECT_EQ(courses[1].derivatives, courses[2].derivatives);
    }
}

TEST(Explicit, a_ratio_of_three_makes_three_steps_that_end_exactly_together) {
    Pair pair({.ratios = {3, 1}});
    pair.run({0.0, 0.1});
    ASSERT_EQ(pair.sink->courses.size(), 3U);
    EXPECT_EQ(pair.sink->courses[0].interval.end, pair.sink->courses[1].interval.begin);
    EXPECT_EQ(pair.sink->courses[2].interval.end, 0.1);
    EXPECT_EQ(pair.system->outputs()[1], parabola(0.1));
}

TEST(Explicit, forgetting_an_event_falls_back_to_the_newest_value) {
    Pair pair({.order = 2});
    pair.run({0.0, 1.0, 2.0});
    pair.coupling.reset_history(coupling::Interruption::jump);
    pair.run({2.0, 3.0});
    EXPECT_THAT(pair.sink->courses[2].derivatives, ElementsAre(0.0, 0.0));
}

// As step control does it: a whole step, its halves, and a shorter one instead of them.
TEST(Explicit, a_step_that_was_repeated_in_halves_can_be_repeated_shorter) {
    for (const int order : {0, 1, 2}) {
        Pair straight({.order = order, .smooth = true});
        straight.run({0.0, 0.5, 1.0, 1.25});
        Pair repeated({.order = order, .smooth = true});
        repeated.run({0.0, 0.5, 1.0, 2.0});
        repeated.system->outputs()[1] = parabola(1.0);
        repeated.run({1.0, 1.5, 2.0});
        repeated.system->outputs()[1] = parabola(1.0);
        repeated.run({1.0, 1.25});
        EXPECT_EQ(repeated.sink->courses.back().values, straight.sink->courses.back().values);
        EXPECT_EQ(repeated.sink->courses.back().derivatives,
                  straight.sink->courses.back().derivatives);
    }
}

}  // namespace
}  // namespace tandem::coupling
