#include "files/csv_writer.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <new>
#include <utility>

#include "process/process_guard.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

constexpr std::size_t initial_capacity = std::size_t{1} << 18U;
constexpr std::size_t longest_number = 40;
constexpr auto flush_interval = std::chrono::milliseconds(50);

bool needs_quotes(std::string_view text) {
    return text.find_first_of(",;\"\r\n\t") != std::string_view::npos || text.starts_with(' ') ||
           text.starts_with('#') || text.ends_with(' ');
}

struct Rows {
    std::uint64_t count = 0;
    std::size_t size = 0;  ///< in bytes
};

/// The complete ones at the start of a text. A line may end inside quotes.
Rows complete_rows(const char* text, std::size_t size) noexcept {
    Rows rows;
    bool is_quoted = false;
    for (std::size_t i = 0; i < size; ++i) {
        if (text[i] == '"') is_quoted = !is_quoted;
        if (text[i] == '\n' && !is_quoted) rows = {rows.count + 1, i + 1};
    }
    return rows;
}

}  // namespace

CsvWriter::CsvWriter(const std::string& path)
    : name_(path == "-" ? "standard output" : path),
      shared_(sizeof(Shared)),
      buffer_(initial_capacity),
      hook_(&write_at_emergency, new (shared_.data()) Shared) {
    shared().file.open(path);
    shared().text.store(buffer_.data());
}

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
    if (used_ + bytes > buffer_.size()) grow(2 * (used_ + bytes));
    return buffer_.data() + used_;
}

/// After write_complete_rows(): what is there is no complete row.
void CsvWriter::grow(std::size_t bytes) {
    SharedBlock larger(bytes);
    std::memcpy(larger.data(), buffer_.data(), used_);
    shared().text.store(larger.data());
    buffer_ = std::move(larger);
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
    shared().complete.store(used_);
    if (Clock::now() - last_flush_ >= flush_interval) flush();
}

void CsvWriter::begin_header() {
    Shared& pending = shared();
    pending.complete.store(0);
    pending.begin.store(0);
    used_ = 0;
    if (pending.origin.exchange(0) > 0 && !pending.file.truncate(0)) fail_to_write(name_, errno);
}

void CsvWriter::end_header() {
    *room(1) = '\n';
    ++used_;
    row_is_empty_ = true;
    shared().has_header.store(true);
    shared().complete.store(used_);
    if (shared().file.is_regular()) flush();
}

void CsvWriter::flush() {
    write_complete_rows();
    last_flush_ = Clock::now();
}

void CsvWriter::write_complete_rows() {
    Shared& pending = shared();
    check_process();
    if (const int reason = write_rows(pending)) fail_to_write(name_, reason);
    if (pending.file.was_lost()) warn_of_lost_file(name_);
    const std::size_t end = pending.begin;
    // In this order: an emergency in between finds nothing to write.
    pending.complete.store(0);
    pending.begin.store(0);
    pending.origin.fetch_add(end);
    std::memmove(buffer_.data(), buffer_.data() + end, used_ - end);
    used_ -= end;
}

/// Repeating it is harmless where the file is a regular one. Returns why not all could be written;
/// those that could not are dropped.
int CsvWriter::write_rows(Shared& shared) noexcept {
    const std::size_t begin = shared.begin, end = shared.complete;
    if (begin >= end) return 0;
    const char* text = shared.text;
    const std::size_t done = shared.file.put(text + begin, end - begin, shared.origin + begin);
    const int reason = errno;
    const Rows rows = complete_rows(text + begin, done);
    const bool has_header = rows.count > 0 && shared.has_header.exchange(false);
    shared.rows.fetch_add(rows.count - (has_header ? 1 : 0));
    shared.begin.store(end);
    if (done == end - begin) return 0;
    take_back(shared, begin + rows.size, begin + done);
    shared.origin.fetch_sub(end - begin - rows.size);
    return reason;
}

/// A part of a row that is in the file already. Of a pipe nothing can be taken back.
void CsvWriter::take_back(Shared& shared, std::size_t begin, std::size_t end) noexcept {
    if (shared.file.is_regular()) {
        shared.file.truncate(shared.origin + begin);
        return;
    }
    const int file = shared.file.descriptor();
    const off_t size = file >= 0 ? ::lseek(file, 0, SEEK_CUR) : -1;
    const auto part = static_cast<off_t>(end - begin);
    if (size >= part && ::ftruncate(file, size - part) == 0) ::lseek(file, size - part, SEEK_SET);
}

void CsvWriter::close() {
    if (!shared().file.is_open()) return;
    try {
        write_complete_rows();
    } catch (const OutputError&) {
        shared().file.close();
        throw;
    }
    if (!shared().file.close()) fail_to_write(name_, errno);
}

void CsvWriter::write_at_emergency(void* shared) noexcept {
    auto& pending = *static_cast<Shared*>(shared);
    // An FMU may have closed standard output here: the parent still has it.
    if (pending.file.is_open() && pending.file.descriptor() >= 0) write_rows(pending);
}

}  // namespace tandem
