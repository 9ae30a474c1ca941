#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/listed.hpp"

namespace tandem::cli {

bool is_terminal(std::FILE* stream);
/// Columns of the terminal behind `stream`; 0 if it is none.
std::size_t terminal_width(std::FILE* stream);

/// Prints on standard error. Where nobody reads it, closed or a pipe without a reader, the work
/// goes on all the same.
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
    std::fputs(fmt::format(format, std::forward<Values>(values)...).c_str(), stderr);
}

/// Marks text for a terminal; leaves it alone elsewhere and where NO_COLOR is set.
class Style {
public:
    explicit Style(std::FILE* stream);
    /// For text that goes to a file.
    static Style plain() { return {}; }
    std::string heading(std::string_view text) const { return wrapped("1", text); }
    std::string faint(std::string_view text) const { return wrapped("2", text); }
    std::string bad(std::string_view text) const { return wrapped("1;31", text); }
    std::string doubtful(std::string_view text) const { return wrapped("1;33", text); }
    std::string good(std::string_view text) const { return wrapped("1;32", text); }

private:
    Style() = default;
    std::string wrapped(const char* code, std::string_view text) const;
    bool coloured_ = false;
};

/// Columns of text, each as wide as its widest cell.
class TextTable {
public:
    /// `width` limits the lines by cutting the last column; 0: no limit.
    TextTable(Style style, std::size_t width) : style_(style), width_(width) {}
    void header(std::vector<std::string> cells);
    void row(std::vector<std::string> cells);
    /// The lines, indented by two blanks. Columns without any text are left out.
    std::string text() const;

private:
    std::string line(const std::vector<std::string>& cells,
                     const std::vector<std::size_t>& widths) const;
    Style style_;
    std::size_t width_;
    bool has_header_ = false;
    std::vector<std::vector<std::string>> rows_;
};

/// One line without control characters: what a file says must not steer the terminal.
std::string printable(std::string_view text);

}  // namespace tandem::cli
