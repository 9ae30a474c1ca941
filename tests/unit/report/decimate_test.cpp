#include "report/decimate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem::report {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

std::vector<double> counting(std::size_t count) {
    std::vector<double> t(count);
    for (std::size_t i = 0; i < count; ++i) t[i] = static_cast<double>(i);
    return t;
}

TEST(Decimation, keeps_short_curves_as_they_are) {
    const std::vector<double> t = {0, 1, 2}, v = {1, 2, 1};
    EXPECT_THAT(decimated_rows(t, v, 10), ElementsAre(0, 1, 2));
    EXPECT_TRUE(decimated_rows({}, {}, 10).empty());
}

TEST(Decimation, drops_the_inside_of_constant_stretches) {
    const std::vector<double> t = counting(8), v = {1, 1, 1, 1, 2, 2, 2, 2};
    EXPECT_THAT(decimated_rows(t, v, 100), ElementsAre(0, 3, 4, 7));
}

TEST(Decimation, keeps_extremes_ends_and_the_budget) {
    const std::vector<double> t = counting(100'000);
    std::vector<double> v(t.size());
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = std::sin(0.1 * t[i]);
    v[54'321] = 7.0;
    v[54'322] = -9.0;
    const auto rows = decimated_rows(t, v, 2000);
    EXPECT_LE(rows.size(), 2000U);
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    EXPECT_THAT(rows, Contains(54'321U));
    EXPECT_THAT(rows, Contains(54'322U));
    EXPECT_EQ(rows.front(), 0U);
    EXPECT_EQ(rows.back(), t.size() - 1);
}

TEST(Decimation, keeps_both_sides_of_rare_jumps) {
    std::vector<double> t = counting(50'000), v(t.size());
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = std::sin(0.37 * t[i]);
    t[20'001] = t[20'000];
    v[20'000] = 0.10;
    v[20'001] = 0.20;
    const auto rows = decimated_rows(t, v, 400);
    EXPECT_THAT(rows, Contains(20'000U));
    EXPECT_THAT(rows, Contains(20'001U));
}

TEST(Decimation, copes_with_nan_and_with_a_single_time) {
    std::vector<double> t(5000, 1.0), v = counting(5000);
    EXPECT_FALSE(decimated_rows(t, v, 100).empty());
    t = counting(5000);
    v[100] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(decimated_rows(t, v, 100), Contains(100U));
    std::fill(v.begin(), v.end(), std::numeric_limits<double>::quiet_NaN());
    EXPECT_THAT(decimated_rows(t, v, 100), ElementsAre(0U, 4999U));
}

}  // namespace
}  // namespace tandem::report
