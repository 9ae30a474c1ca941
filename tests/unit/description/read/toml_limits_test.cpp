#include "description/read/toml_limits.hpp"

#include <gtest/gtest.h>

#include "tandem/error.hpp"

namespace tandem::description {
namespace {

std::string repeated(const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
}

/// "line: problem" or nothing.
std::string refusal(const std::string& text) {
    try {
        check_toml_limits(text, {"s.toml", 1});
    } catch (const InputError& error) {
        return error.place() + ": " + error.problem();
    }
    return {};
}

const std::string too_deep = ": nests tables and lists deeper than 256 levels";

TEST(TomlLimits, count_the_parts_of_keys_and_headers_and_the_brackets_together) {
    EXPECT_EQ(refusal(repeated("a.", 255) + "a = 1\n"), "");
    EXPECT_EQ(refusal(repeated("a.", 256) + "a = 1\n"), "s.toml:1" + too_deep);
    EXPECT_EQ(refusal("[" + repeated("a.", 199) + "a]\n" + repeated("b.", 49) + "b = 1\n"), "");
    EXPECT_EQ(refusal("[[" + repeated("a.", 199) + "a]]\n" + repeated("b.", 60) + "b = 1\n"),
              "s.toml:2" + too_deep);
    EXPECT_EQ(refusal("a = " + repeated("{b.c.d = ", 63) + "1" + repeated("}", 63)), "");
    EXPECT_EQ(refusal("a = " + repeated("{b.c.d = ", 64) + "1" + repeated("}", 64)),
              "s.toml:1" + too_deep);
}

TEST(TomlLimits, end_with_what_they_count) {
    EXPECT_EQ(refusal(repeated(repeated("a.", 200) + "a = [1.5, 2.5]\n", 3)), "");
    EXPECT_EQ(refusal("a = [" + repeated("{b.c = 1.5}, ", 1000) + "]\n"), "");
    EXPECT_EQ(refusal("[" + repeated("a.", 200) + "a]\n[b]\n" + repeated("c.", 200) + "c = 1\n"),
              "");
}

TEST(TomlLimits, do_not_look_into_texts_and_comments) {
    const std::string dots = repeated("a.", 1000);
    EXPECT_EQ(refusal("a = \"" + dots + "\\\"" + dots + "\" # " + dots + "\n"), "");
    EXPECT_EQ(refusal("a = '''\n" + dots + "\n'''\n"), "");
    EXPECT_EQ(refusal("\"" + dots + "\".b = 1\n"), "");
}

TEST(TomlLimits, are_not_misled_by_quotes_before_closing_quotes) {
    const std::string deep = repeated("b.", 1000) + "b = 1\n";
    EXPECT_EQ(refusal("a = [\"\"\"x\"\"\"\", \"\"\"y\"\"\"\"\"]\n" + deep), "s.toml:2" + too_deep);
    EXPECT_EQ(refusal("a = ''''x'''''\n" + deep), "s.toml:2" + too_deep);
}

TEST(TomlLimits, refuse_very_many_values) {
    EXPECT_EQ(refusal("a = [" + repeated("1,", 5'000'001) + "]\n"),
              "s.toml:1: holds more than 5000000 values");
}

}  // namespace
}  // namespace tandem::description
