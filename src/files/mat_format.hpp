#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// MAT files of level 4: one matrix behind the other, each a header, its name and its values.
namespace tandem {

static_assert(std::endian::native == std::endian::little, "the types below say little-endian");

// Types of level 4: P*10 + T, P the precision, T = 1 for text.
inline constexpr std::uint32_t mat_doubles = 0;
inline constexpr std::uint32_t mat_integers = 20;
inline constexpr std::uint32_t mat_bytes = 50;
inline constexpr std::uint32_t mat_text = 51;

struct MatHeader {
    std::uint32_t type = mat_doubles;
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    std::uint32_t is_complex = 0;
    std::uint32_t name_size = 0;  ///< with the final zero
};
static_assert(sizeof(MatHeader) == 20);

/// Matrices in memory. Values are column-major.
class MatFormat {
public:
    std::uint64_t size() const { return bytes_.size(); }
    const std::string& bytes() const { return bytes_; }
    void append(const void* data, std::size_t count) {
        bytes_.append(static_cast<const char*>(data), count);
    }

    /// The header of a matrix; its values are to be appended.
    void matrix(const std::string& name, std::uint32_t type, std::size_t rows,
                std::size_t columns) {
        begin(name, {type, static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns)});
    }
    void numbers(const std::string& name, std::size_t rows, std::size_t columns,
                 std::span<const double> values) {
        matrix(name, mat_doubles, rows, columns);
        append(values.data(), values.size_bytes());
    }
    /// A column: `parts` are all real parts, then all imaginary parts.
    void complex_numbers(const std::string& name, std::size_t rows, std::span<const double> parts) {
        begin(name, {mat_doubles, static_cast<std::uint32_t>(rows), 1, 1});
        append(parts.data(), parts.size_bytes());
    }

    /// A text in each column, filled up with blanks. The length is a multiple of 4, which keeps
    /// all later numbers of the headers aligned: they change with one write inside one page.
    void texts(const std::string& name, const std::vector<std::string>& lines) {
        const std::size_t length = (longest(lines) / 4 + 1) * 4;
        matrix(name, mat_text, length, lines.size());
        for (const std::string& line : lines)
            bytes_ += line + std::string(length - line.size(), ' ');
    }
    /// A text in each row, filled up with blanks: what other programs show as a list of texts.
    void text_rows(const std::string& name, const std::vector<std::string>& lines) {
        const std::size_t length = longest(lines);
        matrix(name, mat_text, lines.size(), length);
        for (std::size_t k = 0; k < length; ++k)
            for (const std::string& line : lines) bytes_ += k < line.size() ? line[k] : ' ';
    }

private:
    static std::size_t longest(const std::vector<std::string>& lines) {
        std::size_t length = 0;
        for (const std::string& line : lines) length = std::max(length, line.size());
        return length;
    }
    void begin(const std::string& name, MatHeader header) {
        header.name_size = static_cast<std::uint32_t>(name.size() + 1);
        append(&header, sizeof header);
        append(name.c_str(), name.size() + 1);
    }

    std::string bytes_;
};

}  // namespace tandem
