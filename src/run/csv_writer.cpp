#include "run/csv_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/error.hpp"

namespace tandem::run {
namespace {

constexpr std::size_t initial_capacity = std::size_t{1} << 18U;
constexpr std::size_t longest_number = 40;
constexpr auto flush_interval = std::chrono::milliseconds(50);

int open_file(const std::string& path) {
    if (path == "-") return STDOUT_FILENO;
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        throw InputError(path, fmt::format("cannot be written: {}", std::strerror(errno)),
                         "choose another file with --output, or - for standard output");
    return file;
}

bool needs_quotes(std::string_view text) {
    return text.find_first_of(",;\"\r\n\t") != std::string_view::npos || text.starts_with(' ') ||
           text.starts_with('#') || text.ends_with(' ');
}

}  // namespace

CsvWriter::CsvWriter(const std::string& path)
    : name_(path == "-" ? "standard output" : path),
      file_(open_file(path)),
      buffer_(initial_capacity),
      hook_(&write_at_emergency, this) {}

CsvWriter::~CsvWriter() {
    try {
        close();
    } catch (const OutputError&) {
        // close() is the place to hear of it
    }
}

char* CsvWriter::room(std::size_t bytes) {
    if (used_ + bytes <= buffer_.size()) return buffer_.data() + used_;
    write_complete_rows();
    if (used_ + bytes > buffer_.size()) buffer_.resize(2 * (used_ + bytes));
    return buffer_.data() + used_;
}

void CsvWriter::separate() {
    if (!row_is_empty_) {
        *room(1) = ',';
        ++used_;
    }
    row_is_empty_ = false;
}

template <class T>
void CsvWriter::number(T value) {
    separate();
    char* begin = room(longest_number);
    const auto [end, error] = std::to_chars(begin, begin + longest_number, value);
    expects(error == std::errc{}, "a number fits into 40 characters");
    used_ += static_cast<std::size_t>(end - begin);
}

void CsvWriter::real(double value) { number(value); }
void CsvWriter::real(float value) { number(value); }
void CsvWriter::integer(std::int64_t value) { number(value); }
void CsvWriter::integer(std::uint64_t value) { number(value); }

void CsvWriter::text(std::string_view value) {
    separate();
    char* out = room(2 * value.size() + 2);
    char* const begin = out;
    if (needs_quotes(value)) {
        *out++ = '"';
        for (const char c : value) {
            if (c == '"') *out++ = '"';
            *out++ = c;
        }
        *out++ = '"';
    } else {
        out = std::copy(value.begin(), value.end(), out);
    }
    used_ += static_cast<std::size_t>(out - begin);
}

void CsvWriter::hexadecimal(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    separate();
    char* out = room(2 * bytes.size());
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        *out++ = digits[byte >> 4U];
        *out++ = digits[byte & 15U];
    }
    used_ += 2 * bytes.size();
}

void CsvWriter::end_row() {
    *room(1) = '\n';
    ++used_;
    row_is_empty_ = true;
    complete_ = used_;
    if (Clock::now() - last_flush_ >= flush_interval) flush();
}

void CsvWriter::flush() {
    write_complete_rows();
    last_flush_ = Clock::now();
}

void CsvWriter::write_complete_rows() {
    const std::size_t end = complete_;
    while (begin_ < end) {
        const ssize_t written = ::write(file_, buffer_.data() + begin_, end - begin_);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            const int reason = written == 0 ? ENOSPC : errno;
            begin_ = end;
            throw OutputError(fmt::format(
                "{}: results cannot be written: {}", name_,
                reason == EPIPE ? "the reader closed the pipe" : std::strerror(reason)));
        }
        begin_ += static_cast<std::size_t>(written);
    }
    complete_ = 0;
    begin_ = 0;
    std::memmove(buffer_.data(), buffer_.data() + end, used_ - end);
    used_ -= end;
}

void CsvWriter::close() {
    if (file_ < 0) return;
    const int file = file_;
    try {
        write_complete_rows();
    } catch (const OutputError&) {
        file_ = -1;
        if (file != STDOUT_FILENO) ::close(file);
        throw;
    }
    file_ = -1;
    if (file != STDOUT_FILENO && ::close(file) != 0)
        throw OutputError(
            fmt::format("{}: results cannot be written: {}", name_, std::strerror(errno)));
}

void CsvWriter::write_at_emergency(void* self) noexcept {
    auto& writer = *static_cast<CsvWriter*>(self);
    const std::size_t end = writer.complete_;
    std::size_t position = writer.begin_;
    while (writer.file_ >= 0 && position < end) {
        const ssize_t written =
            ::write(writer.file_, writer.buffer_.data() + position, end - position);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        position += static_cast<std::size_t>(written);
    }
}

}  // namespace tandem::run
