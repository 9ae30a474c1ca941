#include "results/mat_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <utility>

#include "base/log.hpp"
#include "files/mat_format.hpp"
#include "process/process_guard.hpp"
#include "tandem/error.hpp"

namespace tandem::results {
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

/// One page that is nothing but a pad.
struct PadPage {
    Pad pad = pad_between(0, page);
    std::array<char, page - sizeof(Pad)> zeros{};
};
static_assert(sizeof(PadPage) == page);
const PadPage pad_page;

}  // namespace

MatWriter::MatWriter(const std::string& path)
    : path_(path),
      shared_(sizeof(Shared)),
      hook_(&write_at_emergency, new (shared_.data()) Shared) {
    shared().file.open(path);
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
    sources_.clear();
    if (shared().file_end > 0 && !shared().file.truncate(0)) fail_to_write(path_, errno);
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
    if (!left_out.empty() && left_out != std::exchange(left_out_, left_out))
        log(LogLevel::warning,
            fmt::format("{}: a MAT file of results holds numbers only; left out: {}", path_,
                        left_out));
    // A row is at least as long as the header of a pad, so that a new pad begins behind the old.
    width_ = std::max(kept.size() + 1, sizeof(Pad) / sizeof(double));
    capacity_ = std::max<std::size_t>(1, batch_bytes / (width_ * sizeof(double)));
    rows_ = SharedBlock(capacity_ * width_ * sizeof(double));
    shared().width = width_;
    shared().rows = reinterpret_cast<const double*>(rows_.data());
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
    Shared& file = shared();
    file.stop_offset = out.size() + sizeof(double);
    out.append(start_and_stop.data(), sizeof start_and_stop);
    file.count_offset = out.size() + columns_offset;
    out.matrix("data_2", mat_doubles, width_, 0);
    file.data_end = out.size();
    file.file_end = (file.data_end + sizeof(Pad) + page - 1) / page * page;
    const Pad pad = pad_between(file.data_end, file.file_end);
    out.append(&pad, sizeof pad);
    const std::string zeros(file.file_end - out.size(), '\0');
    out.append(zeros.data(), zeros.size());
    if (file.file.put(out.bytes().data(), out.size(), 0) < out.size()) fail_to_write(path_, errno);
}

void MatWriter::write(const ResultRow& row) {
    double* out = reinterpret_cast<double*>(rows_.data()) + filled_ * width_;
    *out++ = row.time;
    for (const Source& source : sources_) {
        if (source.is_real)
            *out++ = row.reals[source.index];
        else if (source.is_natural)
            *out++ = static_cast<double>(static_cast<std::uint64_t>(row.integers[source.index]));
        else
            *out++ = static_cast<double>(row.integers[source.index]);
    }
    shared().complete.store(++filled_);
    if (filled_ == capacity_) flush();
}

void MatWriter::flush() {
    if (filled_ == 0) return;
    Shared& file = shared();
    if (filled_ > std::numeric_limits<std::int32_t>::max() - file.count)
        throw OutputError(
            fmt::format("{}: a MAT file cannot hold more than 2147483647 rows; use "
                        ".h5, or record fewer points",
                        path_));
    check_process();
    const std::size_t count = std::exchange(filled_, 0);
    const std::size_t written = append_rows(file, count);
    const int reason = errno;
    if (file.file.was_lost()) warn_of_lost_file(path_);
    if (written < count) fail_to_write(path_, reason);
}

/// As many rows as the disk has room for; the others are dropped. Returns their number, with errno
/// if not all.
std::size_t MatWriter::append_rows(Shared& shared, std::size_t count) noexcept {
    const std::size_t row_size = shared.width * sizeof(double);
    int reason = 0;
    if (!grow(shared, shared.data_end + count * row_size + sizeof(Pad))) {
        reason = errno;
        count = (shared.file_end - shared.data_end - sizeof(Pad)) / row_size;
    }
    if (count > 0 && !put_rows(shared, count)) {
        reason = errno;
        count = 0;
    }
    shared.complete.store(0);
    shared.data_end += count * row_size;
    shared.count.fetch_add(count);
    errno = reason;
    return count;
}

/// Every write leaves a file that can be read, and repeating them all is harmless: a signal handler
/// may do so. Only between the last two, which follow each other at once, the pad has no header.
bool MatWriter::put_rows(Shared& shared, std::size_t count) noexcept {
    const double* rows = shared.rows;
    const std::size_t size = count * shared.width * sizeof(double);
    const std::uint64_t begin = shared.data_end, end = begin + size;
    const Pad whole = pad_between(begin, shared.file_end), rest = pad_between(end, shared.file_end);
    const auto columns = static_cast<std::uint32_t>(shared.count + count);
    const double* last = rows + (count - 1) * shared.width;
    const auto* data = reinterpret_cast<const char*>(rows);
    const auto put = [&shared](const void* bytes, std::size_t length, std::uint64_t offset) {
        return shared.file.put(bytes, length, offset) == length;
    };
    return put(&whole.header.columns, sizeof columns, begin + columns_offset) &&
           put(data + sizeof(Pad), size - sizeof(Pad), begin + sizeof(Pad)) &&
           put(&rest, sizeof rest, end) && put(last, sizeof *last, shared.stop_offset) &&
           (shared.count > 0 || put(rows, sizeof *rows, shared.stop_offset - sizeof *rows)) &&
           put(data, sizeof(Pad), begin) && put(&columns, sizeof columns, shared.count_offset);
}

/// Page by page, each a pad of its own: the kernel writes a single page completely or not at all.
bool MatWriter::grow(Shared& shared, std::uint64_t end) noexcept {
    while (shared.file_end < end) {
        if (shared.file.put(&pad_page, page, shared.file_end) < page) return false;
        shared.file_end += page;
    }
    return true;
}

void MatWriter::close() {
    Shared& file = shared();
    if (!file.file.is_open()) return;
    std::exception_ptr failure;
    try {
        flush();
    } catch (const OutputError&) {
        failure = std::current_exception();
    }
    const bool is_cut = file.data_end == 0 || file.file.truncate(file.data_end);
    const int reason = errno;
    const bool is_closed = file.file.close();
    if (failure) std::rethrow_exception(failure);
    if (!is_cut || !is_closed) fail_to_write(path_, is_cut ? errno : reason);
}

void MatWriter::write_at_emergency(void* shared) noexcept {
    auto& file = *static_cast<Shared*>(shared);
    if (!file.file.is_open()) return;
    if (const std::size_t count = file.complete; count > 0) append_rows(file, count);
}

}  // namespace tandem::results
