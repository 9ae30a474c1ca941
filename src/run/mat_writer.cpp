#include "run/mat_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "run/mat_format.hpp"

namespace tandem::run {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::size_t batch_bytes = std::size_t{1} << 20U;

constexpr std::uint64_t columns_offset = 8;

/// The header of a pad with its name.
struct Pad {
    MatHeader header{mat_bytes, 1, 0, 0, 4};
    std::array<char, 4> name{'p', 'a', 'd', '\0'};
};
static_assert(sizeof(Pad) == 24);

Pad pad_between(std::uint64_t begin, std::uint64_t end) {
    Pad pad;
    pad.header.columns = static_cast<std::uint32_t>(end - begin - sizeof(Pad));
    return pad;
}

void append_class(MatFormat& out) {
    out.text_rows("Aclass", {"Atrajectory", "1.1", "", "binTrans"});
}

std::string description_of(const ResultColumn& column) {
    if (column.unit.empty()) return column.description;
    return fmt::format("{}{}[{}]", column.description, column.description.empty() ? "" : " ",
                       column.unit);
}

/// Which matrix, which row of it, linear interpolation, no value outside of the time range.
void append_data_info(MatFormat& out, std::size_t columns) {
    out.matrix("dataInfo", mat_integers, 4, columns + 1);
    for (std::size_t i = 0; i <= columns; ++i) {
        const std::array<std::int32_t, 4> info = {i == 0 ? 0 : 2, static_cast<std::int32_t>(i + 1),
                                                  0, -1};
        out.append(info.data(), sizeof info);
    }
}

int create(const std::string& path) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        throw InputError(path, fmt::format("cannot be written: {}", std::strerror(errno)),
                         "choose another file with --output");
    return file;
}

}  // namespace

MatWriter::MatWriter(const std::string& path)
    : path_(path), file_(create(path)), pad_page_(page), hook_(&write_at_emergency, this) {
    const Pad pad = pad_between(0, page);
    std::memcpy(pad_page_.data(), &pad, sizeof pad);
}

MatWriter::~MatWriter() {
    try {
        close();
    } catch (const OutputError&) {
        // close() is the place to hear of it
    }
}

void MatWriter::begin(const std::vector<ResultColumn>& columns) {
    std::array<std::size_t, 3> next{};
    std::vector<ResultColumn> kept;
    std::string left_out;
    for (const ResultColumn& column : columns) {
        const Storage storage = storage_of(column.type);
        const std::size_t index = next[static_cast<std::size_t>(storage)]++;
        if (storage == Storage::strings) {
            left_out += (left_out.empty() ? "" : ", ") + column.name;
            continue;
        }
        sources_.push_back({storage == Storage::reals, column.type == ValueType::uint64, index});
        kept.push_back(column);
    }
    if (!left_out.empty())
        log(LogLevel::warning,
            fmt::format("{}: a MAT file of results holds numbers only; left out: {}", path_,
                        left_out));
    // A row is at least as long as the header of a pad, so that a new pad begins behind the old.
    width_ = std::max(kept.size() + 1, sizeof(Pad) / sizeof(double));
    capacity_ = std::max<std::size_t>(1, batch_bytes / (width_ * sizeof(double)));
    rows_.resize(capacity_ * width_);
    write_beginning(kept);
}

void MatWriter::write_beginning(const std::vector<ResultColumn>& columns) {
    std::vector<std::string> names = {"time"}, descriptions = {"Simulation time [s]"};
    for (const ResultColumn& column : columns) {
        names.push_back(column.name);
        descriptions.push_back(description_of(column));
    }
    MatFormat out;
    append_class(out);
    out.texts("name", names);
    out.texts("description", descriptions);
    append_data_info(out, columns.size());
    out.matrix("data_1", mat_doubles, 1, 2);
    const std::array<double, 2> start_and_stop{};
    stop_offset_ = out.size() + sizeof(double);
    out.append(start_and_stop.data(), sizeof start_and_stop);
    count_offset_ = out.size() + columns_offset;
    out.matrix("data_2", mat_doubles, width_, 0);
    data_end_ = out.size();
    file_end_ = (data_end_ + sizeof(Pad) + page - 1) / page * page;
    const Pad pad = pad_between(data_end_, file_end_);
    out.append(&pad, sizeof pad);
    const std::string zeros(file_end_ - out.size(), '\0');
    out.append(zeros.data(), zeros.size());
    if (!put(out.bytes().data(), out.size(), 0)) fail(errno);
}

void MatWriter::write(const ResultRow& row) {
    double* out = rows_.data() + filled_ * width_;
    *out++ = row.time;
    for (const Source& source : sources_) {
        if (source.is_real)
            *out++ = row.reals[source.index];
        else if (source.is_natural)
            *out++ = static_cast<double>(static_cast<std::uint64_t>(row.integers[source.index]));
        else
            *out++ = static_cast<double>(row.integers[source.index]);
    }
    complete_ = ++filled_;
    if (filled_ == capacity_) flush();
}

void MatWriter::flush() {
    if (filled_ == 0) return;
    if (filled_ > std::numeric_limits<std::int32_t>::max() - count_)
        throw OutputError(
            fmt::format("{}: a MAT file cannot hold more than 2147483647 rows; use "
                        ".h5, or record fewer points",
                        path_));
    const std::size_t count = filled_;
    const bool is_written = append_rows(rows_.data(), count);
    const int reason = errno;
    filled_ = 0;
    complete_ = 0;
    if (!is_written) fail(reason);
    data_end_ += count * width_ * sizeof(double);
    count_ += static_cast<std::uint32_t>(count);
}

/// Every write leaves a file that can be read, and repeating them all is harmless: a signal handler
/// may do so. Only between the last two, which follow each other at once, the pad has no header.
bool MatWriter::append_rows(const double* rows, std::size_t count) noexcept {
    const std::size_t size = count * width_ * sizeof(double);
    const std::uint64_t end = data_end_ + size;
    if (!grow(end + sizeof(Pad))) return false;
    const Pad whole = pad_between(data_end_, file_end_), rest = pad_between(end, file_end_);
    const std::uint32_t columns = count_ + static_cast<std::uint32_t>(count);
    const double* last = rows + (count - 1) * width_;
    const auto* data = reinterpret_cast<const char*>(rows);
    return put(&whole.header.columns, sizeof columns, data_end_ + columns_offset) &&
           put(data + sizeof(Pad), size - sizeof(Pad), data_end_ + sizeof(Pad)) &&
           put(&rest, sizeof rest, end) && put(last, sizeof *last, stop_offset_) &&
           (count_ > 0 || put(rows, sizeof *rows, stop_offset_ - sizeof *rows)) &&
           put(data, sizeof(Pad), data_end_) && put(&columns, sizeof columns, count_offset_);
}

/// Page by page, each a pad of its own: the kernel writes a single page completely or not at all.
bool MatWriter::grow(std::uint64_t end) noexcept {
    while (file_end_ < end) {
        if (!put(pad_page_.data(), page, file_end_)) return false;
        file_end_ += page;
    }
    return true;
}

bool MatWriter::put(const void* data, std::size_t size, std::uint64_t offset) noexcept {
    const auto* next = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t written = ::pwrite(file_, next, size, static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            if (written == 0) errno = ENOSPC;
            return false;
        }
        next += written;
        offset += static_cast<std::uint64_t>(written);
        size -= static_cast<std::size_t>(written);
    }
    return true;
}

void MatWriter::fail(int reason) const {
    throw OutputError(
        fmt::format("{}: results cannot be written: {}", path_, std::strerror(reason)));
}

void MatWriter::close() {
    if (file_ < 0) return;
    std::exception_ptr failure;
    try {
        flush();
        if (data_end_ > 0 && ::ftruncate(file_, static_cast<off_t>(data_end_)) != 0) fail(errno);
    } catch (const OutputError&) {
        failure = std::current_exception();
    }
    const int file = std::exchange(file_, -1);
    if (::close(file) != 0 && !failure) fail(errno);
    if (failure) std::rethrow_exception(failure);
}

void MatWriter::write_at_emergency(void* self) noexcept {
    auto& writer = *static_cast<MatWriter*>(self);
    const std::size_t count = writer.complete_;
    if (writer.file_ >= 0 && count > 0) writer.append_rows(writer.rows_.data(), count);
}

}  // namespace tandem::run
