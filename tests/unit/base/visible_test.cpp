#include "base/visible.hpp"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Visible, leaves_plain_text_line_breaks_and_tabs_as_they_are) {
    EXPECT_EQ(visible("a\tb\nGrüße, 力"), "a\tb\nGrüße, 力");
}

TEST(Visible, shows_control_characters_of_one_and_two_bytes_as_escapes) {
    EXPECT_EQ(visible("\x1b[31m\r\x07\x7f"), "\\x1b[31m\\x0d\\x07\\x7f");
    EXPECT_EQ(visible("\xc2\x9b"
                      "31m"),
              "\\x9b31m");  // CSI of ISO 6429 as UTF-8
    EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Visible, shows_bytes_that_are_not_utf8_as_escapes) {
    EXPECT_EQ(visible("\x9b"
                      "31m \xff \xe2\x82"),
              "\\x9b31m \\xff \\xe2\\x82");
}

TEST(Visible, shows_changes_of_direction_as_escapes) {
    EXPECT_EQ(visible("a\u202eb\u2066c"), "a\\u202eb\\u2066c");
}

}  // namespace
}  // namespace tandem
