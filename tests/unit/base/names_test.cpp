#include "base/names.hpp"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Names, patterns_match_with_star_and_question_mark) {
    EXPECT_TRUE(matches("*", "anything"));
    EXPECT_TRUE(matches("engine.*", "engine.torque"));
    EXPECT_TRUE(matches("*.v?", "body.v1"));
    EXPECT_TRUE(matches("a*b*c", "a..b..b..c"));
    EXPECT_FALSE(matches("a*b*c", "a..b..b.."));
    EXPECT_FALSE(matches("h", "height"));
    EXPECT_FALSE(matches("", "h"));
}

TEST(Names, brackets_in_patterns_stand_for_themselves) {
    EXPECT_TRUE(matches("x[1]", "x[1]"));
    EXPECT_FALSE(matches("x[1]", "x1"));
}

TEST(Names, the_closest_name_is_offered_only_when_it_is_similar) {
    EXPECT_EQ(closest("torqe", {"speed", "torque", "tor"}), "torque");
    EXPECT_EQ(closest("H", {"h", "v"}), "h");
    EXPECT_EQ(closest("G", {"h", "v"}), "");
    EXPECT_EQ(closest("odrer", {"smooth", "order"}), "order");
    EXPECT_EQ(closest("banana", {"speed", "torque"}), "");
    EXPECT_EQ(did_you_mean("banana", {"speed"}, "otherwise"), "otherwise");
}

}  // namespace
}  // namespace tandem
