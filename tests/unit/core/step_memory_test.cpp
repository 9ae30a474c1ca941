#include "tandem/extend/step_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::array<double, 1> one(double value) { return {value}; }

TEST(StepMemory, has_the_values_of_the_last_steps_before_a_time) {
    StepMemory memory;
    memory.prepare(1);
    EXPECT_THAT(memory.at(0.0), IsEmpty());
    memory.keep(1.0, one(10.0));
    memory.keep(2.0, one(20.0));
    EXPECT_THAT(memory.at(2.0), ElementsAre(20.0));
    EXPECT_THAT(memory.at(2.0, 1), ElementsAre(10.0));
    EXPECT_THAT(memory.at(2.0, 2), IsEmpty());
    memory.clear();
    EXPECT_THAT(memory.at(2.0), IsEmpty());
}

TEST(StepMemory, forgets_steps_that_are_undone) {
    StepMemory memory;
    memory.prepare(1);
    memory.keep(1.0, one(10.0));
    memory.keep(2.0, one(20.0));
    memory.keep(1.5, one(15.0));
    EXPECT_THAT(memory.at(1.5), ElementsAre(15.0));
    EXPECT_THAT(memory.at(1.5, 1), ElementsAre(10.0));
    memory.keep(2.0, one(21.0));
    EXPECT_THAT(memory.at(1.0), ElementsAre(10.0));
    EXPECT_THAT(memory.at(1.0, 1), IsEmpty());
}

TEST(StepMemory, keeps_the_newest_of_many) {
    StepMemory memory;
    memory.prepare(1);
    for (int k = 1; k <= 10; ++k) memory.keep(k, one(k));
    EXPECT_THAT(memory.at(10.0, StepMemory::depth - 1), ElementsAre(11.0 - StepMemory::depth));
    EXPECT_THAT(memory.at(10.0, StepMemory::depth), IsEmpty());
}

}  // namespace
}  // namespace tandem
