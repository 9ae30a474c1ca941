#include "report/results.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/units.hpp"
#include "tandem/error.hpp"

namespace tandem::report {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Takes texts apart into lines and cells, without copying them.
class Scanner {
public:
    Scanner(std::string_view text, std::string place) : text_(text), place_(std::move(place)) {
        if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    }

    /// The next line that is neither blank nor a comment; false at the end.
    bool next_line(std::string_view& line) {
        while (!text_.empty()) {
            ++line_number_;
            const std::size_t end = text_.find('\n');
            complete_ = end != std::string_view::npos;
            line = text_.substr(0, end);
            text_.remove_prefix(complete_ ? end + 1 : text_.size());
            if (!trimmed(line).empty() && line.front() != '#') return true;
        }
        return false;
    }
    /// Whether the line returned last ended in a line break.
    bool complete() const { return complete_; }
    std::string place() const { return fmt::format("{}:{}", place_, line_number_); }
    const std::string& file() const { return place_; }

private:
    std::string_view text_;
    std::string place_;
    int line_number_ = 0;
    bool complete_ = true;
};

char separator_of(std::string_view header) {
    bool quoted = false;
    int depth = 0;
    for (const char c : header) {
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (depth <= 0 && (c == ',' || c == ';' || c == '\t')) return c;
    }
    return ',';
}

/// The text before the next separator; a quoted cell keeps its quotes. In a header, a separator
/// inside [] belongs to the name.
std::string_view take_cell(std::string_view& line, char separator, bool brackets_protect) {
    bool quoted = false;
    int depth = 0;
    std::size_t end = 0;
    for (; end < line.size(); ++end) {
        const char c = line[end];
        if (c == separator && !quoted && depth <= 0) break;
        if (c == '"') quoted = !quoted;
        if (brackets_protect) depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    }
    const std::string_view cell = trimmed(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
    return cell;
}

std::string unquoted(std::string_view cell) {
    if (cell.size() < 2 || cell.front() != '"' || cell.back() != '"') return std::string(cell);
    std::string text;
    for (std::size_t i = 1; i + 1 < cell.size(); ++i) {
        text.push_back(cell[i]);
        if (cell[i] == '"' && cell[i + 1] == '"') ++i;
    }
    return text;
}

Column header_column(const std::string& header) {
    const auto [name, unit] = split_unit(header);
    return {name, unit, {}};
}

bool parse_number(std::string_view cell, double& value) {
    if (cell.starts_with('+')) cell.remove_prefix(1);
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error == std::errc{} && end == cell.data() + cell.size()) return true;
    if (error == std::errc::result_out_of_range && end == cell.data() + cell.size()) {
        value = std::strtod(std::string(cell).c_str(), nullptr);
        return true;
    }
    if (cell == "true" || cell == "false") {
        value = cell == "true" ? 1.0 : 0.0;
        return true;
    }
    value = not_a_number;
    return cell.empty();
}

/// Fills a Results line by line.
class Builder {
public:
    Builder(Scanner& scanner, const std::function<bool(const std::string&)>& wanted)
        : scanner_(scanner) {
        std::string_view header;
        if (!scanner_.next_line(header))
            throw InputError(scanner_.file(), "the file is empty",
                             "its first line must name the columns, the first of them time");
        separator_ = separator_of(header);
        const Column time = header_column(unquoted(take_cell(header, separator_, true)));
        results_.time_name = time.name;
        time_unit_ = seconds_in(time.unit, scanner_.place());
        while (!header.empty()) {
            Column column = header_column(unquoted(take_cell(header, separator_, true)));
            const bool kept = !wanted || wanted(column.name);
            targets_.push_back(kept ? static_cast<int>(results_.columns.size()) : skipped);
            if (kept) results_.columns.push_back(std::move(column));
        }
        is_text_.resize(results_.columns.size(), false);
    }

    Results build() {
        std::string_view line;
        while (scanner_.next_line(line))
            if (!add_row(line)) break;
        remove_text_columns();
        return std::move(results_);
    }

private:
    static constexpr int skipped = -1;

    /// False for a last row that was cut off.
    bool add_row(std::string_view line) {
        const std::size_t cells = count_cells(line);
        if (!scanner_.complete() && cells <= targets_.size() + 1 && !ends_like_a_row(cells, line))
            return false;
        if (cells != targets_.size() + 1)
            throw InputError(scanner_.place(), fmt::format("the row has {} cells, the header {}",
                                                           cells, targets_.size() + 1));
        add_time(take(line));
        for (const int target : targets_) {
            const std::string_view cell = take(line);
            if (target != skipped) add_value(static_cast<std::size_t>(target), cell);
        }
        return true;
    }

    /// Without a line break at its end the last number of a file may lack digits. Files of other
    /// programs end like that, too: there, the row counts if it has all its cells.
    bool ends_like_a_row(std::size_t cells, std::string_view line) const {
        return cells == targets_.size() + 1 && !line.ends_with(separator_);
    }

    std::size_t count_cells(std::string_view line) const {
        if (line.find('"') == std::string_view::npos)
            return static_cast<std::size_t>(std::count(line.begin(), line.end(), separator_)) + 1;
        std::size_t count = 1;
        bool quoted = false;
        for (const char c : line) {
            if (c == '"') quoted = !quoted;
            if (c == separator_ && !quoted) ++count;
        }
        return count;
    }

    std::string_view take(std::string_view& line) const {
        if (line.starts_with('"')) return take_cell(line, separator_, false);
        const std::size_t end = std::min(line.find(separator_), line.size());
        const std::string_view cell = line.substr(0, end);
        line.remove_prefix(std::min(end + 1, line.size()));
        return trimmed(cell);
    }

    void add_time(std::string_view cell) {
        double t = not_a_number;
        if (!parse_number(cell, t) || !std::isfinite(t))
            throw InputError(scanner_.place(),
                             fmt::format("'{}' in the first column is not a time", cell),
                             "the first column of results must be time, as numbers");
        t *= time_unit_;
        if (!results_.time.empty() && t < results_.time.back())
            throw InputError(scanner_.place(), "time runs backwards",
                             "rows must be in the order of time");
        results_.time.push_back(t);
    }

    void add_value(std::size_t column, std::string_view cell) {
        double value = not_a_number;
        if (!parse_number(cell, value)) is_text_[column] = true;
        results_.columns[column].values.push_back(value);
    }

    void remove_text_columns() {
        std::vector<Column> numbers;
        for (std::size_t i = 0; i < results_.columns.size(); ++i)
            if (is_text_[i]) {
                results_.text_columns.push_back(results_.columns[i].name);
            } else {
                numbers.push_back(std::move(results_.columns[i]));
            }
        results_.columns = std::move(numbers);
    }

    Scanner& scanner_;
    Results results_;
    double time_unit_ = 1.0;  // in seconds
    char separator_ = ',';
    std::vector<int> targets_;
    std::vector<bool> is_text_;
};

/// A file's content, mapped into memory.
class MappedFile {
public:
    explicit MappedFile(const std::string& path) {
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat info {};
        if (file < 0 || ::fstat(file, &info) != 0) fail(file, path, std::strerror(errno));
        if (!S_ISREG(info.st_mode)) fail(file, path, "it is not a file");
        size_ = static_cast<std::size_t>(info.st_size);
        if (size_ > 0) data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
        if (data_ == MAP_FAILED) fail(file, path, std::strerror(errno));
        ::close(file);
    }
    ~MappedFile() {
        if (size_ > 0) ::munmap(data_, size_);
    }
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::string_view text() const { return {static_cast<const char*>(data_), size_}; }

private:
    [[noreturn]] static void fail(int file, const std::string& path, const char* reason) {
        if (file >= 0) ::close(file);
        throw InputError(path, fmt::format("cannot be read: {}", reason));
    }
    void* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace

const Column* Results::find(std::string_view name) const {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [name](const Column& c) { return c.name == name; });
    return found == columns.end() ? nullptr : &*found;
}

Results parse_results(std::string_view text, const std::string& place,
                      const std::function<bool(const std::string&)>& wanted) {
    Scanner scanner(text, place);
    return Builder(scanner, wanted).build();
}

Results read_results(const std::string& path,
                     const std::function<bool(const std::string&)>& wanted) {
    const MappedFile file(path);
    constexpr std::size_t enough = 512;
    if (file.text().substr(0, enough).find('\0') != std::string_view::npos)
        throw InputError(path, "is not a CSV file, and only results in CSV can be read here",
                         "run again with --output results.csv, or open it with the tools for its "
                         "format");
    return parse_results(file.text(), path, wanted);
}

}  // namespace tandem::report
