#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// Reads comma, semicolon or tab separated text, row by row. The separator is the first one of the
/// three in the header. Cells may be quoted ("" inside means one quote; line breaks are allowed);
/// lines may end in CR LF; blank lines and lines that begin with # are skipped. In the header a
/// separator inside [] belongs to the name: A[1,2].
class CsvReader {
public:
    /// `place` names the file in messages. Throws InputError without a header.
    CsvReader(std::string text, std::string place);

    const std::vector<std::string>& header() const { return header_; }
    char separator() const { return separator_; }
    /// The next row, valid until the following call; false at the end. Throws InputError, with the
    /// line, for a row with another number of cells than the header and for an open quote.
    bool next(std::vector<std::string_view>& cells);
    /// Where the last row begins: "inputs.csv:12".
    std::string place() const;
    int line() const { return row_line_; }

private:
    bool skip_to_row();
    void read_header();
    std::string_view cell(bool brackets_protect);
    std::string_view quoted_cell();
    bool at_line_end() const;
    void end_line();

    std::string text_;
    std::string file_;
    std::size_t position_ = 0;
    int line_ = 1;
    int row_line_ = 1;
    char separator_ = '\0';
    std::vector<std::string> header_;
    std::deque<std::string> unquoted_;
};

/// The whole file as text. Throws InputError when it cannot be read.
std::string read_text_file(const std::string& path);

}  // namespace tandem
