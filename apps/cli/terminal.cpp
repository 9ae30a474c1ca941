#include "terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/visible.hpp"

namespace tandem::cli {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

/// Characters, not bytes.
std::size_t length_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string cut(const std::string& text, std::size_t length) {
    if (length_of(text) <= length) return text;
    std::size_t end = 0;
    for (std::size_t count = 0; end < text.size(); ++end)
        if (begins_character(text[end]) && ++count == length) break;
    return text.substr(0, end) + "…";
}

}  // namespace

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

std::size_t terminal_width(std::FILE* stream) {
    winsize size{};
    if (!is_terminal(stream) || ioctl(fileno(stream), TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}

Style::Style(std::FILE* stream)
    : coloured_(is_terminal(stream) && std::getenv("NO_COLOR") == nullptr) {}

std::string Style::wrapped(const char* code, std::string_view text) const {
    return coloured_ ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

void TextTable::header(std::vector<std::string> cells) {
    has_header_ = true;
    rows_.insert(rows_.begin(), std::move(cells));
}

void TextTable::row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string TextTable::line(const std::vector<std::string>& cells,
                            const std::vector<std::size_t>& widths) const {
    std::string text = "  ";
    std::size_t used = 2;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (widths[i] == 0) continue;
        std::string cell = cells[i];
        const bool last = i + 1 == cells.size();
        if (last && width_ > used + 8) cell = cut(cell, width_ - used);
        text += cell;
        if (!last) text.append(widths[i] - length_of(cell) + 2, ' ');
        used += widths[i] + 2;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

std::string TextTable::text() const {
    std::vector<std::size_t> widths;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        widths.resize(std::max(widths.size(), rows_[r].size()), 0);
        if (r == 0 && has_header_) continue;
        for (std::size_t i = 0; i < rows_[r].size(); ++i)
            widths[i] = std::max(widths[i], length_of(rows_[r][i]));
    }
    if (has_header_)
        for (std::size_t i = 0; i < rows_[0].size(); ++i)
            if (widths[i] > 0) widths[i] = std::max(widths[i], length_of(rows_[0][i]));
    std::string text;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        const std::string one = line(rows_[r], widths);
        text += (r == 0 && has_header_ ? style_.faint(one) : one) + "\n";
    }
    return text;
}

std::string printable(std::string_view text) {
    std::string result;
    for (const char c : text) {
        const bool blank = c == '\n' || c == '\t' || c == '\r';
        if (!blank)
            result.push_back(c);
        else if (!result.ends_with(' '))
            result.push_back(' ');
    }
    return visible(result);
}

}  // namespace tandem::cli
