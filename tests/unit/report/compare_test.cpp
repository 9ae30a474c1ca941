#include "report/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tandem/error.hpp"

namespace tandem::report {
namespace {

using ::testing::ElementsAre;

Comparison compare_texts(const std::string& a, const std::string& b) {
    return compare(parse_results(a, "a"), parse_results(b, "b"));
}

TEST(Comparison, of_a_file_with_itself_finds_no_difference) {
    const std::string text = "time,x,y\n0,1,5\n1,2,5\n1,-3,5\n2,0,nan\n";
    const Comparison c = compare_texts(text, text);
    ASSERT_EQ(c.differences.size(), 2U);
    for (const Difference& d : c.differences) EXPECT_EQ(d.greatest, 0.0);
    EXPECT_TRUE(c.within(0.0));
}

TEST(Comparison, interpolates_the_second_file_on_the_times_of_the_first) {
    // b is linear through (0, 0) and (2, 2), so 1 at t = 1; the range of a is 2.
    const Comparison c = compare_texts("time,x\n0,0\n1,1.5\n2,2\n", "time,x\n0,0\n2,2\n");
    EXPECT_DOUBLE_EQ(c.differences[0].greatest, 0.5);
    EXPECT_DOUBLE_EQ(c.differences[0].at, 1.0);
    EXPECT_DOUBLE_EQ(c.differences[0].relative_greatest(), 0.25);
    EXPECT_DOUBLE_EQ(c.differences[0].root_mean_square, std::sqrt(0.25 / 3.0));
    EXPECT_TRUE(c.within(0.25));
    EXPECT_FALSE(c.within(0.24));
}

TEST(Comparison, compares_both_sides_of_an_event) {
    const std::string a = "time,x\n0,0\n1,1\n1,-1\n2,0\n";
    EXPECT_EQ(compare_texts(a, "time,x\n0,0\n1,1\n1,-1\n2,0\n").differences[0].greatest, 0.0);
    EXPECT_EQ(compare_texts(a, "time,x\n0,0\n1,1\n1,-0.5\n2,0\n").differences[0].greatest, 0.5);
    EXPECT_EQ(compare_texts(a, "time,x\n0,0\n1,0.75\n1,-1\n2,0\n").differences[0].greatest, 0.25);
}

TEST(Comparison, takes_the_nearer_side_where_only_the_second_file_has_an_event) {
    const Comparison c = compare_texts("time,x\n0,0\n1,-1\n2,0\n", "time,x\n0,0\n1,1\n1,-1\n2,0\n");
    EXPECT_EQ(c.differences[0].greatest, 0.0);
}

TEST(Comparison, lists_the_worst_variable_first) {
    const Comparison c =
        compare_texts("time,a,b\n0,0,0\n1,1,100\n", "time,b,a\n0,0,0\n1,101,1.5\n");
    ASSERT_EQ(c.differences.size(), 2U);
    EXPECT_EQ(c.differences[0].name, "a");
    EXPECT_DOUBLE_EQ(c.differences[1].relative_greatest(), 0.01);
}

TEST(Comparison, names_missing_and_extra_columns) {
    const Comparison c = compare_texts("time,a,b\n0,1,2\n1,1,2\n", "time,b,c\n0,2,3\n1,2,3\n");
    EXPECT_THAT(c.missing, ElementsAre("a"));
    EXPECT_THAT(c.extra, ElementsAre("c"));
    EXPECT_FALSE(c.within(1.0));
    EXPECT_TRUE(compare_texts("time,b\n0,2\n1,2\n", "time,b,c\n0,2,3\n1,2,3\n").within(0.0));
}

TEST(Comparison, notices_that_the_second_file_ends_early) {
    const Comparison c = compare_texts("time,x\n0,1\n1,1\n2,1\n", "time,x\n0,1\n1,1\n");
    EXPECT_FALSE(c.covers_all);
    EXPECT_EQ(c.end, 1.0);
    EXPECT_FALSE(c.within(1.0));
}

TEST(Comparison, finds_nan_infinitely_far_from_a_number) {
    const Comparison c = compare_texts("time,x\n0,1\n1,2\n", "time,x\n0,1\n1,nan\n");
    EXPECT_TRUE(std::isinf(c.differences[0].relative_greatest()));
    EXPECT_FALSE(c.within(1e300));
}

TEST(Comparison, gives_the_course_of_a_difference_with_its_sign) {
    const Results a = parse_results("time,x\n0,0\n1,1\n1,-1\n2,0\n3,7\n", "a");
    const Results b = parse_results("time,x\n0,0.5\n1,1.5\n1,-1.25\n2,0\n", "b");
    const DifferenceCourse course = difference_course(a, *a.find("x"), b, *b.find("x"));
    EXPECT_THAT(course.time, ElementsAre(0.0, 1.0, 1.0, 2.0));
    EXPECT_THAT(course.values, ElementsAre(0.5, 0.5, -0.25, 0.0));
}

TEST(Comparison, needs_a_time_in_common) {
    EXPECT_THROW(compare_texts("time,x\n0,1\n1,1\n", "time,x\n2,1\n3,1\n"), InputError);
    EXPECT_THROW(compare_texts("time,x\n", "time,x\n2,1\n"), InputError);
}

}  // namespace
}  // namespace tandem::report
