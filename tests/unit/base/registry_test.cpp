#include "tandem/extend/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

struct Row {
    std::string name;
    std::vector<std::string> aliases = {};
    int value = 0;
};

Registry<Row> fruits() { return {"fruit", {{"pear", {}, 2}, {"apple", {"malus"}, 1}}}; }

TEST(Registry, is_sorted_by_name_and_finds_by_name_and_alias) {
    Registry<Row> rows = fruits();
    rows.add({"fig", {}, 3}, "here");
    EXPECT_THAT(rows.names(), ElementsAre("apple", "fig", "pear"));
    EXPECT_EQ(rows.find("malus")->value, 1);
    EXPECT_EQ(rows.find("fig")->value, 3);
    EXPECT_EQ(rows.find("kiwi"), nullptr);
}

TEST(Registry, says_what_there_is_where_a_name_is_unknown) {
    Diagnostics findings;
    EXPECT_EQ(fruits().find("aple", "bowl.toml:3", findings), nullptr);
    ASSERT_THAT(findings, SizeIs(1));
    EXPECT_EQ(findings[0].place, "bowl.toml:3");
    EXPECT_EQ(findings[0].problem, "there is no fruit 'aple'");
    EXPECT_THAT(findings[0].hint, HasSubstr("did you mean 'apple'"));
}

TEST(Registry, refuses_a_name_that_is_taken) {
    Registry<Row> rows = fruits();
    EXPECT_THROW(rows.add({"pear"}, "mine.so"), InputError);
    EXPECT_THROW(rows.add({"malus"}, "mine.so"), InputError);
    EXPECT_THROW(rows.add({"plum", {"apple"}}, "mine.so"), InputError);
    EXPECT_THAT(rows.names(), SizeIs(2));
}

}  // namespace
}  // namespace tandem
