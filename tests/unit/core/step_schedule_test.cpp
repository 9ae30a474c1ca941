#include "tandem/extend/step_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem {
namespace {

using ::testing::ElementsAre;

TEST(StepSchedule, a_task_uses_its_subsystems_and_what_they_share) {
    StepSchedule schedule;
    const int second[] = {1}, both[] = {2, 0};
    EXPECT_THAT(schedule.resources_of(second, 3, false), ElementsAre(1));
    schedule.set_shared({{0}, {}, {0, 1}});
    EXPECT_THAT(schedule.resources_of(second, 3, false), ElementsAre(1));
    EXPECT_THAT(schedule.resources_of(both, 3, false), ElementsAre(0, 2, 3, 4));
}

TEST(StepSchedule, a_task_that_carries_values_uses_their_sources) {
    StepSchedule schedule;
    schedule.set_other_flows({{0, 1}, {2, 1}});
    const int second[] = {1};
    EXPECT_THAT(schedule.resources_of(second, 3, false), ElementsAre(1));
    EXPECT_THAT(schedule.resources_of(second, 3, true), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace tandem
