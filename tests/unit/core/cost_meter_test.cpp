#include "tandem/extend/cost_meter.hpp"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(CostMeter, counts_all_steps_and_times_those_that_it_is_told_to) {
    CostMeter costs(2);
    const auto step = [] { return 7; };
    EXPECT_EQ(costs.count(1, step), 7);
    costs.measure(true);
    EXPECT_EQ(costs.count(1, step), 7);
    costs.measure(false);
    costs.count(0, step);
    EXPECT_EQ(costs.of(1).steps, 2);
    EXPECT_EQ(costs.of(1).timed, 1);
    EXPECT_GE(costs.of(1).seconds, 0.0);
    EXPECT_EQ(costs.of(0).steps, 1);
    EXPECT_EQ(costs.of(0).timed, 0);
}

}  // namespace
}  // namespace tandem
