#include "report/results.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tandem/error.hpp"

namespace tandem::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Results parse(const std::string& text) { return parse_results(text, "r.csv"); }

TEST(Results, are_read_with_names_and_units) {
    const Results r =
        parse("time,a.x [m],\"b, \"\"c\"\"\",d[1,2],e [m/s]\n0,1,2,3,4\n1,-1.5e-3,+2,3,4\n");
    EXPECT_THAT(r.time, ElementsAre(0.0, 1.0));
    ASSERT_EQ(r.columns.size(), 4U);
    EXPECT_EQ(r.columns[0].name, "a.x");
    EXPECT_EQ(r.columns[0].unit, "m");
    EXPECT_EQ(r.columns[1].name, "b, \"c\"");
    EXPECT_EQ(r.columns[2].name, "d[1,2]");
    EXPECT_EQ(r.columns[2].unit, "");
    EXPECT_EQ(r.columns[3].unit, "m/s");
    EXPECT_THAT(r.columns[0].values, ElementsAre(1.0, -1.5e-3));
    EXPECT_EQ(r.find("e")->values[1], 4.0);
    EXPECT_EQ(r.find("none"), nullptr);
}

TEST(Results, keep_both_rows_of_an_event) {
    const Results r = parse("time,x\n0,0\n1,5\n1,-5\n2,0\n");
    EXPECT_THAT(r.time, ElementsAre(0.0, 1.0, 1.0, 2.0));
    EXPECT_THAT(r.columns[0].values, ElementsAre(0.0, 5.0, -5.0, 0.0));
}

TEST(Results, may_use_other_separators_line_ends_comments_and_a_byte_order_mark) {
    const Results r = parse("\xEF\xBB\xBF# made by hand\r\ntime;x;y\r\n0;1;2\r\n\r\n1; 3 ;4\r\n");
    EXPECT_THAT(r.find("x")->values, ElementsAre(1.0, 3.0));
    EXPECT_THAT(parse("time\tx\n0\t1\n").find("x")->values, ElementsAre(1.0));
}

TEST(Results, know_nan_infinity_booleans_and_empty_cells) {
    const Results r = parse("time,x\n0,nan\n1,\n2,inf\n3,true\n4,1e-400\n5,-1e999\n");
    const std::vector<double>& x = r.columns[0].values;
    EXPECT_TRUE(std::isnan(x[0]));
    EXPECT_TRUE(std::isnan(x[1]));
    EXPECT_TRUE(std::isinf(x[2]));
    EXPECT_EQ(x[3], 1.0);
    EXPECT_EQ(x[4], 0.0);
    EXPECT_EQ(x[5], -std::numeric_limits<double>::infinity());
}

TEST(Results, set_columns_of_texts_aside) {
    const Results r = parse("time,mode,x\n0,\"on, really\",1\n1,off,2\n");
    EXPECT_THAT(r.text_columns, ElementsAre("mode"));
    ASSERT_EQ(r.columns.size(), 1U);
    EXPECT_THAT(r.columns[0].values, ElementsAre(1.0, 2.0));
}

TEST(Results, keep_only_the_columns_wanted) {
    const Results r = parse_results("time,a,b,c\n0,1,2,3\n", "r.csv",
                                    [](const std::string& name) { return name == "b"; });
    ASSERT_EQ(r.columns.size(), 1U);
    EXPECT_THAT(r.columns[0].values, ElementsAre(2.0));
}

TEST(Results, leave_out_a_last_row_that_was_cut_off) {
    EXPECT_THAT(parse("time,x\n0,1\n1,2\n2").time, ElementsAre(0.0, 1.0));
    EXPECT_THAT(parse("time,x\n0,1\n1,2\n2,").time, ElementsAre(0.0, 1.0));
    EXPECT_THAT(parse("time,x\n0,1\n1,2").time, ElementsAre(0.0, 1.0));
}

std::string error_of(const std::string& text) {
    try {
        parse(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Results, that_make_no_sense_are_refused_with_the_line) {
    EXPECT_THAT(error_of(""), HasSubstr("r.csv: the file is empty"));
    EXPECT_THAT(error_of("time,x\n0,1\n1,2,3\n"), HasSubstr("r.csv:3: the row has 3 cells"));
    EXPECT_THAT(error_of("time,x\n0,1\n1\n2,3\n"), HasSubstr("r.csv:3: the row has 1 cells"));
    EXPECT_THAT(error_of("time,x\nzero,1\n"), HasSubstr("r.csv:2: 'zero'"));
    EXPECT_THAT(error_of("time,x\n1,1\n0,1\n"), HasSubstr("time runs backwards"));
    EXPECT_THROW(read_results("/nonexistent/results.csv"), InputError);
    EXPECT_THROW(read_results("/"), InputError);
}

TEST(Results, of_many_rows_are_all_read) {
    std::string text = "time,x\n";
    for (int i = 0; i < 200'000; ++i) text += fmt::format("{},{}\n", i, -i);
    const Results r = parse(text);
    ASSERT_EQ(r.time.size(), 200'000U);
    EXPECT_EQ(r.columns[0].values.back(), -199'999.0);
}

}  // namespace
}  // namespace tandem::report
