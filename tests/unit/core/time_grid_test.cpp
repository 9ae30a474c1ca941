#include "core/time_grid.hpp"

#include <gtest/gtest.h>

#include "tandem/error.hpp"

namespace tandem {
namespace {

TEST(TimeGrid, ten_million_steps_end_exactly) {
    const TimeGrid grid(0.0, 1e4, 1e-3);
    ASSERT_EQ(grid.intervals(), 10'000'000U);
    EXPECT_EQ(grid.time(10'000'000), 1e4);
    EXPECT_EQ(grid.time(1234567), 1234567 * 1e-3);
    EXPECT_EQ(grid.interval(9'999'999).end, 1e4);
}

TEST(TimeGrid, neighbours_share_their_point) {
    const TimeGrid grid(0.3, 7.0, 0.1);
    for (std::size_t k = 1; k < grid.intervals(); ++k)
        EXPECT_EQ(grid.interval(k - 1).end, grid.interval(k).begin);
}

TEST(TimeGrid, last_interval_is_shorter_when_stop_is_no_multiple) {
    const TimeGrid grid(0.0, 1.0, 0.3);
    ASSERT_EQ(grid.intervals(), 4U);
    EXPECT_EQ(grid.interval(3).begin, 3 * 0.3);
    EXPECT_EQ(grid.interval(3).end, 1.0);
}

TEST(TimeGrid, rounding_makes_no_tiny_last_interval) {
    EXPECT_EQ(TimeGrid(0.0, 0.3, 0.1).intervals(), 3U);
    EXPECT_EQ(TimeGrid(0.0, 0.3 + 1e-13, 0.1).intervals(), 3U);
    EXPECT_EQ(TimeGrid(0.0, 0.3 - 1e-13, 0.1).intervals(), 3U);
    EXPECT_EQ(TimeGrid(0.0, 0.3 + 1e-13, 0.1).time(3), 0.3 + 1e-13);
}

TEST(TimeGrid, a_step_longer_than_the_run_is_one_interval) {
    const TimeGrid grid(0.0, 1.0, 5.0);
    ASSERT_EQ(grid.intervals(), 1U);
    EXPECT_EQ(grid.time(1), 1.0);
}

TEST(TimeGrid, stop_at_start_means_no_step) { EXPECT_EQ(TimeGrid(2.0, 2.0, 0.1).intervals(), 0U); }

/// Also of a grid with so many intervals that nobody counts them, and with a short last one.
TEST(TimeGrid, knows_the_interval_of_a_time) {
    for (const TimeGrid& grid : {TimeGrid(0.0, 1e6, 1e-6), TimeGrid(0.1, 2.05, 0.1)})
        for (const double part : {0.0, 0.1, 0.3, 0.999, 1.0}) {
            const double t = grid.start() + part * (grid.stop() - grid.start());
            const std::size_t k = grid.interval_at(t);
            EXPECT_LE(grid.interval(k).begin, t);
            EXPECT_TRUE(t < grid.interval(k).end || k + 1 == grid.intervals());
            EXPECT_EQ(grid.interval_at(grid.time(k)), k);
        }
}

TEST(TimeGrid, times_that_miss_a_point_by_rounding_are_moved_onto_it) {
    const TimeGrid grid(0.0, 1.0, 0.1);
    EXPECT_EQ(grid.aligned(0.3), 3 * 0.1);
    EXPECT_EQ(grid.aligned(0.35), 0.35);
    EXPECT_EQ(grid.aligned(1.0), 1.0);
    EXPECT_EQ(grid.aligned(-3.0), -3.0);
}

TEST(TimeGrid, refuses_times_that_make_no_sense) {
    EXPECT_THROW(TimeGrid(1.0, 0.0, 0.1), InputError);
    EXPECT_THROW(TimeGrid(0.0, 1.0, 0.0), InputError);
    EXPECT_THROW(TimeGrid(0.0, 1.0, -0.1), InputError);
    EXPECT_THROW(TimeGrid(0.0, 1.0, 1e-300), InputError);
    EXPECT_THROW(TimeGrid(1e20, 2e20, 1.0), InputError);
    EXPECT_THROW(TimeGrid(0.0, 1.0 / 0.0, 1.0), InputError);
}

}  // namespace
}  // namespace tandem
