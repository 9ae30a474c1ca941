#include "files/xml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tandem/error.hpp"

namespace tandem {
namespace {

using testing::HasSubstr;

std::string problem_with(const std::string& text) {
    try {
        const XmlDocument document(text, "x.xml");
    } catch (const InputError& error) {
        return error.what();
    }
    return "no problem";
}

TEST(Xml, gives_elements_attributes_and_lines) {
    const XmlDocument document(
        "<?xml version=\"1.0\"?>\n<a>\n <!-- c -->\n <b k=\"1 &lt; 2\"/>"
        "text<c/>\n</a>",
        "x.xml");
    const XmlElement root = document.root();
    EXPECT_EQ(root.name(), "a");
    EXPECT_EQ(root.line(), 2);
    std::vector<std::string> names;
    for (const XmlElement child : root.children()) names.emplace_back(child.name());
    EXPECT_THAT(names, testing::ElementsAre("b", "c"));
    EXPECT_EQ(root.child("b").line(), 4);
    EXPECT_EQ(root.child("b").attribute("k"), "1 < 2");
    EXPECT_EQ(root.child("b").attribute("none"), std::nullopt);
    EXPECT_FALSE(root.child("none").child("deeper"));
}

TEST(Xml, accepts_a_byte_order_mark_and_latin1) {
    EXPECT_EQ(problem_with("\xEF\xBB\xBF<a/>"), "no problem");
    const XmlDocument document("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a k=\"\xE4\"/>",
                               "x.xml");
    EXPECT_EQ(document.root().attribute("k"), "\xC3\xA4");
}

TEST(Xml, names_the_line_of_a_syntax_error) {
    EXPECT_THAT(problem_with("<a>\n<b>\n</a>"), HasSubstr("x.xml:3: is not well-formed XML"));
    EXPECT_THAT(problem_with(""), HasSubstr("x.xml:1: is not well-formed XML"));
}

TEST(Xml, refuses_what_could_do_harm) {
    EXPECT_THAT(problem_with("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>"),
                HasSubstr("document type declaration"));
    EXPECT_THAT(problem_with("<a k=\"\xC3\"/>"), HasSubstr("not valid UTF-8"));
    EXPECT_THAT(problem_with("<a k=\"\xED\xA0\x80\"/>"), HasSubstr("not valid UTF-8"));
    EXPECT_THAT(problem_with("<a k=\"\xC0\xAF\"/>"), HasSubstr("not valid UTF-8"));
    EXPECT_THAT(problem_with(std::string("<a>\n\0</a>", 9)),
                HasSubstr("x.xml:2: contains a control"));
    EXPECT_THAT(problem_with("\xFE\xFF<a/>"), HasSubstr("UTF-16"));
    std::string deep;
    for (int i = 0; i < 10'000; ++i) deep += "<a>";
    for (int i = 0; i < 10'000; ++i) deep += "</a>";
    EXPECT_THAT(problem_with(deep), HasSubstr("deeper than 256"));
}

}  // namespace
}  // namespace tandem
