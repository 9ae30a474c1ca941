#include "files/csv_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tandem/error.hpp"

namespace tandem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::vector<std::string>> rows_of(CsvReader& reader) {
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string_view> cells;
    while (reader.next(cells)) rows.emplace_back(cells.begin(), cells.end());
    return rows;
}

std::string problem_of(const std::string& text) {
    try {
        CsvReader reader(text, "in.csv");
        rows_of(reader);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(CsvReader, reads_header_and_rows) {
    CsvReader reader("time,u\n0,1\n1,2\n", "in.csv");
    EXPECT_THAT(reader.header(), ElementsAre("time", "u"));
    EXPECT_THAT(rows_of(reader), ElementsAre(ElementsAre("0", "1"), ElementsAre("1", "2")));
}

TEST(CsvReader, accepts_windows_line_ends_and_a_byte_order_mark) {
    CsvReader reader("\xEF\xBB\xBFtime,u\r\n0,1\r\n1,2", "in.csv");
    EXPECT_THAT(reader.header(), ElementsAre("time", "u"));
    EXPECT_THAT(rows_of(reader), ElementsAre(ElementsAre("0", "1"), ElementsAre("1", "2")));
}

TEST(CsvReader, takes_the_first_separator_of_the_header) {
    CsvReader semicolons("time;u\n0;1,5\n", "in.csv");
    EXPECT_THAT(rows_of(semicolons), ElementsAre(ElementsAre("0", "1,5")));
    CsvReader tabs("time\tu\n0\t1\n", "in.csv");
    EXPECT_THAT(rows_of(tabs), ElementsAre(ElementsAre("0", "1")));
}

TEST(CsvReader, understands_quotes) {
    CsvReader reader("time,\"a,b\",\"say \"\"x\"\"\"\n0,\"1\",\" 2\"\n", "in.csv");
    EXPECT_THAT(reader.header(), ElementsAre("time", "a,b", "say \"x\""));
    EXPECT_THAT(rows_of(reader), ElementsAre(ElementsAre("0", "1", " 2")));
}

TEST(CsvReader, a_bracket_in_the_header_protects_the_separator) {
    CsvReader reader("time,A[1,2],u [m/s]\n0,1,2\n", "in.csv");
    EXPECT_THAT(reader.header(), ElementsAre("time", "A[1,2]", "u [m/s]"));
}

TEST(CsvReader, skips_blank_lines_and_comments) {
    CsvReader reader("# made by hand\n\ntime,u\n# first\n0,1\n   \n1,2\n\n", "in.csv");
    EXPECT_THAT(rows_of(reader), ElementsAre(ElementsAre("0", "1"), ElementsAre("1", "2")));
}

TEST(CsvReader, names_the_line_of_a_bad_row) {
    EXPECT_THAT(problem_of("time,u\n0,1\n\n1\n"), HasSubstr("in.csv:4: the row has 1 cells"));
    EXPECT_THAT(problem_of("time,u\n0,1,2\n"), HasSubstr("in.csv:2: the row has 3 cells"));
    EXPECT_THAT(problem_of("time,u\n0,\"1\n"), HasSubstr("in.csv:2: a quoted cell is not closed"));
    EXPECT_THAT(problem_of("time,u\n0,\"1\"2\n"), HasSubstr("behind a closing quote"));
    EXPECT_THAT(problem_of(""), HasSubstr("in.csv: the file is empty"));
    EXPECT_THAT(problem_of("\n\n# nothing"), HasSubstr("in.csv: the file is empty"));
}

TEST(CsvReader, a_file_that_is_not_there_is_said_so) {
    EXPECT_THROW(read_text_file("no/such/file.csv"), InputError);
    EXPECT_THROW(read_text_file("/"), InputError);
}

}  // namespace
}  // namespace tandem
