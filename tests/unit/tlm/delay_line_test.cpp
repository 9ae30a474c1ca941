#include "tlm/delay_line.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tandem {
namespace {

using Interpolation = tlm::DelayLine::Interpolation;

tlm::DelayLine& prepared(tlm::DelayLine& line, Interpolation interpolation = Interpolation::linear,
                         std::uint32_t capacity = 8) {
    line.prepare(
        {.width = 1, .capacity = capacity, .same_time = 1e-12, .interpolation = interpolation});
    return line;
}

void add(tlm::DelayLine& line, double t, double value) { line.add(t, std::vector{value}); }

double at(const tlm::DelayLine& line, double t) {
    std::vector<double> row(1);
    EXPECT_EQ(line.read(t, row), tlm::DelayLine::Read::good) << t;
    return row[0];
}

tlm::DelayLine::Read result_at(const tlm::DelayLine& line, double t) {
    std::vector<double> row(1);
    return line.read(t, row);
}

TEST(DelayLine, is_constant_before_its_start) {
    tlm::DelayLine line;
    prepared(line).start(2.0, std::vector{7.0});
    EXPECT_EQ(at(line, -100.0), 7.0);
    EXPECT_EQ(at(line, 2.0), 7.0);
}

TEST(DelayLine, is_straight_between_rows_and_exact_at_them) {
    tlm::DelayLine line;
    prepared(line).start(0.0, std::vector{0.0});
    add(line, 0.1, 1.0);
    add(line, 0.3, 5.0);
    EXPECT_EQ(at(line, 0.1), 1.0);
    EXPECT_EQ(at(line, 0.1 + 1e-13), 1.0) << "equal but for rounding";
    EXPECT_EQ(at(line, 0.1 - 1e-13), 1.0);
    EXPECT_DOUBLE_EQ(at(line, 0.2), 3.0);
    EXPECT_EQ(at(line, 0.3 + 1e-13), 5.0);
}

TEST(DelayLine, says_when_a_time_has_not_come_yet) {
    tlm::DelayLine line;
    prepared(line).start(0.0, std::vector{0.0});
    add(line, 0.1, 1.0);
    EXPECT_EQ(line.newest(), 0.1);
    EXPECT_EQ(result_at(line, 0.1001), tlm::DelayLine::Read::too_late);
}

TEST(DelayLine, jumps_where_two_rows_have_one_time) {
    tlm::DelayLine line;
    prepared(line).start(0.0, std::vector{0.0});
    add(line, 1.0, 2.0);
    add(line, 1.0, 4.0);
    add(line, 2.0, 6.0);
    EXPECT_DOUBLE_EQ(at(line, 0.5), 1.0);
    EXPECT_EQ(at(line, 1.0), 4.0) << "behind the jump";
    EXPECT_DOUBLE_EQ(at(line, 1.5), 5.0);
    double row[1];
    EXPECT_EQ(line.read(1.0, row, tlm::DelayLine::Side::before), tlm::DelayLine::Read::at_jump);
    EXPECT_EQ(row[0], 2.0);
    EXPECT_EQ(line.read(2.0, row, tlm::DelayLine::Side::before), tlm::DelayLine::Read::good);
    EXPECT_EQ(row[0], 6.0);
}

TEST(DelayLine, shows_both_rows_of_a_jump_or_none) {
    tlm::DelayLine line;
    prepared(line).start(0.0, std::vector{0.0});
    for (const double value : {2.0, 4.0}) {
        line.next_row()[0] = value;
        line.add_next(1.0);
        EXPECT_EQ(result_at(line, 1.0), tlm::DelayLine::Read::too_late);
    }
    line.publish();
    EXPECT_EQ(at(line, 1.0), 4.0);
}

TEST(DelayLine, forgets_the_oldest_rows_and_says_so) {
    tlm::DelayLine line;
    prepared(line, Interpolation::linear, 4).start(0.0, std::vector{0.0});
    for (int k = 1; k <= 100; ++k) add(line, k, 10.0 * k);
    EXPECT_DOUBLE_EQ(at(line, 97.5), 975.0);
    EXPECT_EQ(result_at(line, 96.5), tlm::DelayLine::Read::forgotten);
    EXPECT_EQ(result_at(line, 0.0), tlm::DelayLine::Read::forgotten);
}

TEST(DelayLine, takes_rows_back) {
    tlm::DelayLine line;
    prepared(line).start(0.0, std::vector{0.0});
    add(line, 1.0, 1.0);
    const std::size_t then = line.count();
    add(line, 1.0, 5.0);
    add(line, 2.0, 8.0);
    line.truncate(then);
    EXPECT_EQ(line.newest(), 1.0);
    EXPECT_EQ(at(line, 1.0), 1.0);
    add(line, 1.5, 3.0);
    EXPECT_DOUBLE_EQ(at(line, 1.25), 2.0);
}

TEST(DelayLine, says_that_it_has_forgotten_what_is_taken_back_too_far) {
    tlm::DelayLine line;
    prepared(line, Interpolation::linear, 4).start(0.0, std::vector{0.0});
    const std::size_t then = line.count();
    for (int k = 1; k <= 20; ++k) add(line, k, k);
    line.truncate(then);
    EXPECT_EQ(result_at(line, 0.0), tlm::DelayLine::Read::forgotten);
}

// Grids of time are computed in one order, delays are taken off in another.
TEST(DelayLine, takes_times_for_equal_that_differ_by_rounding) {
    tlm::DelayLine line;
    prepared(line).start(0.0, std::vector{0.0});
    const double t = 1e6, next = std::nextafter(t, 2.0 * t);
    add(line, t, 1.0);
    add(line, t, 2.0);
    double row[1];
    EXPECT_EQ(line.read(next, row, tlm::DelayLine::Side::before), tlm::DelayLine::Read::at_jump);
    EXPECT_EQ(row[0], 1.0);
}

// Slopes of a parabola are found exactly from its third row on.
TEST(DelayLine, follows_parabolas_exactly_by_hermite_interpolation) {
    tlm::DelayLine line;
    const auto parabola = [](double t) { return 3.0 * t * t - 2.0 * t + 1.0; };
    prepared(line, Interpolation::hermite).start(0.0, std::vector{parabola(0.0)});
    for (const double t : {0.3, 0.5, 1.1, 1.2, 2.0}) add(line, t, parabola(t));
    for (const double t : {0.6, 1.0, 1.15, 1.7}) EXPECT_NEAR(at(line, t), parabola(t), 1e-12);
}

TEST(DelayLine, knows_no_slope_of_before_a_jump_by_hermite_interpolation) {
    tlm::DelayLine line;
    prepared(line, Interpolation::hermite).start(0.0, std::vector{0.0});
    add(line, 1.0, -5.0);
    add(line, 1.0, 7.0);
    add(line, 2.0, 9.0);
    EXPECT_DOUBLE_EQ(at(line, 1.5), 8.0);
}

TEST(DelayLine, keeps_what_is_needed_where_room_is_made) {
    tlm::DelayLine line, small;
    for (tlm::DelayLine* each : {&line, &small}) prepared(*each).start(0.0, std::vector{0.0});
    for (int k = 1; k <= 100; ++k) {
        line.make_room(1, 0.5);
        for (tlm::DelayLine* each : {&line, &small}) add(*each, 1.0 + 0.01 * k, 3.0 * k);
    }
    EXPECT_EQ(result_at(small, 1.5), tlm::DelayLine::Read::forgotten);
    EXPECT_DOUBLE_EQ(at(line, 0.5), 3.0 * 0.5 / 1.01);
    EXPECT_NEAR(at(line, 1.505), 151.5, 1e-9);
    EXPECT_DOUBLE_EQ(at(line, 2.0), 300.0);
}

// By then its oldest rows have been replaced, and the newest begin anew in its memory.
TEST(DelayLine, keeps_the_newest_rows_where_room_is_made_late) {
    tlm::DelayLine line;
    prepared(line, Interpolation::hermite).start(0.0, std::vector{0.0});
    for (int k = 1; k <= 21; ++k) add(line, k, k * k);
    line.make_room(4, 17.0);
    const std::size_t count = line.count();
    for (int k = 22; k <= 40; ++k) add(line, k, k * k);
    EXPECT_NEAR(at(line, 17.5), 17.5 * 17.5, 1e-12);
    EXPECT_NEAR(at(line, 39.5), 39.5 * 39.5, 1e-12);
    line.truncate(count);
    EXPECT_EQ(line.newest(), 21.0);
    EXPECT_NEAR(at(line, 20.5), 20.5 * 20.5, 1e-12);
}

TEST(DelayLine, is_of_third_order_by_hermite_interpolation) {
    const auto largest_error = [](int rows) {
        tlm::DelayLine line;
        prepared(line, Interpolation::hermite, 1000).start(0.0, std::vector{0.0});
        for (int k = 1; k <= rows; ++k) add(line, 2.0 * k / rows, std::sin(2.0 * k / rows));
        double error = 0.0;
        for (double t = 1.0; t < 2.0; t += 1e-3)
            error = std::max(error, std::abs(at(line, t) - std::sin(t)));
        return error;
    };
    EXPECT_NEAR(std::log2(largest_error(40) / largest_error(80)), 3.0, 0.15);
}

}  // namespace
}  // namespace tandem
