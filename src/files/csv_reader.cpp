#include "files/csv_reader.hpp"

#include <fmt/format.h>

#include <utility>

#include "files/read_file.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The first separator of the line that begins at `position`, outside of quotes and brackets.
char detect_separator(std::string_view text, std::size_t position) {
    bool quoted = false;
    int depth = 0;
    for (; position < text.size(); ++position) {
        const char c = text[position];
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == '\n') break;
        if (c == '[') ++depth;
        if (c == ']') --depth;
        if (depth <= 0 && (c == ',' || c == ';' || c == '\t')) return c;
    }
    return ',';
}

}  // namespace

CsvReader::CsvReader(std::string text, std::string place)
    : text_(std::move(text)), file_(std::move(place)) {
    if (text_.starts_with(byte_order_mark)) position_ = byte_order_mark.size();
    read_header();
}

std::string CsvReader::place() const { return fmt::format("{}:{}", file_, row_line_); }

bool CsvReader::at_line_end() const {
    return position_ >= text_.size() || text_[position_] == '\n' ||
           (text_[position_] == '\r' &&
            (position_ + 1 == text_.size() || text_[position_ + 1] == '\n'));
}

void CsvReader::end_line() {
    if (position_ < text_.size() && text_[position_] == '\r') ++position_;
    if (position_ < text_.size()) ++position_;
    ++line_;
}

bool CsvReader::skip_to_row() {
    while (position_ < text_.size()) {
        const std::size_t first = text_.find_first_not_of(" ", position_);
        if (first == std::string::npos) break;
        const bool blank = text_[first] == '\n' || text_[first] == '\r';
        if (!blank && text_[first] != '#') {
            row_line_ = line_;
            return true;
        }
        const std::size_t end = text_.find('\n', first);
        position_ = end == std::string::npos ? text_.size() : end;
        end_line();
    }
    return false;
}

std::string_view CsvReader::quoted_cell() {
    std::string& value = unquoted_.emplace_back();
    for (++position_; position_ < text_.size(); ++position_) {
        const char c = text_[position_];
        if (c == '\n') ++line_;
        if (c != '"') {
            value.push_back(c);
        } else if (position_ + 1 < text_.size() && text_[position_ + 1] == '"') {
            value.push_back(c);
            ++position_;
        } else {
            ++position_;
            while (!at_line_end() && text_[position_] == ' ') ++position_;
            if (!at_line_end() && text_[position_] != separator_)
                throw InputError(place(), "there is text behind a closing quote",
                                 "write a quote inside a quoted cell twice");
            return value;
        }
    }
    throw InputError(place(), "a quoted cell is not closed", "add the missing \" character");
}

std::string_view CsvReader::cell(bool brackets_protect) {
    while (!at_line_end() && text_[position_] == ' ') ++position_;
    if (!at_line_end() && text_[position_] == '"') return quoted_cell();
    const std::size_t begin = position_;
    int depth = 0;
    for (; !at_line_end(); ++position_) {
        const char c = text_[position_];
        if (brackets_protect && c == '[') ++depth;
        if (brackets_protect && c == ']') --depth;
        if (c == separator_ && depth <= 0) break;
    }
    return trimmed(std::string_view(text_).substr(begin, position_ - begin));
}

void CsvReader::read_header() {
    if (!skip_to_row())
        throw InputError(file_, "the file is empty",
                         "its first line must name the columns: time, then the inputs");
    separator_ = detect_separator(text_, position_);
    while (true) {
        header_.emplace_back(cell(true));
        if (at_line_end()) break;
        ++position_;
    }
    end_line();
}

bool CsvReader::next(std::vector<std::string_view>& cells) {
    cells.clear();
    unquoted_.clear();
    if (!skip_to_row()) return false;
    while (true) {
        cells.push_back(cell(false));
        if (at_line_end()) break;
        ++position_;
    }
    end_line();
    if (cells.size() != header_.size())
        throw InputError(place(), fmt::format("the row has {} cells, the header {}", cells.size(),
                                              header_.size()));
    return true;
}

std::string read_text_file(const std::string& path) {
    constexpr std::uint64_t largest_table = std::uint64_t{4} << 30U;
    return read_file(path, largest_table);
}

}  // namespace tandem
