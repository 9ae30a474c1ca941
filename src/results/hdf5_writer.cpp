#include "results/hdf5_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <mutex>
#include <new>
#include <optional>

#include "base/log.hpp"
#include "files/hdf5_rescue.hpp"
#include "files/hdf5_table.hpp"
#include "files/kept_file.hpp"
#include "process/process_guard.hpp"
#include "tandem/error.hpp"

namespace tandem::results {
namespace {

constexpr std::size_t text_bytes = 128;
constexpr off_t end_of_file_offset = 40;             // in version 0 of the superblock
constexpr std::uint64_t metadata_bytes = 1U << 16U;  // written at a flush, at most

/// The library is not made for threads; files are flushed from several.
std::mutex& library_mutex() {
    static std::mutex mutex;
    return mutex;
}

void make_creatable(const std::string& path) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        throw InputError(path, fmt::format("cannot be written: {}", std::strerror(errno)),
                         "choose another file with --output");
    ::close(file);
}

const char* kind_of(ValueType type) {
    switch (type) {
        case ValueType::float32:
        case ValueType::float64: return "real";
        case ValueType::boolean: return "boolean";
        case ValueType::enumeration: return "enumeration";
        case ValueType::string: return "string";
        case ValueType::binary: return "binary";
        case ValueType::clock: return "clock";
        default: return "integer";
    }
}

}  // namespace

/// The open file. All functions need library_mutex(), except add().
class Hdf5Writer::File {
public:
    /// Keeps in `pending` what is not in the file yet.
    File(const std::string& path, Hdf5Pending& pending);
    void begin(const std::vector<ResultColumn>& columns);
    /// Keeps the row; true when it is time to flush().
    bool add(const ResultRow& row);
    void append();
    void flush();
    void close();

private:
    enum Kind : std::size_t { real, integer, natural, text };
    struct Cell {
        Kind kind = real;
        std::size_t index = 0;  ///< in the list of its storage
        bool is_binary = false;
    };
    static Kind table_of(ValueType type);
    void create();
    void keep_metadata_until_flush();
    int reserve();
    int descriptor() const;
    void keep_descriptor();
    void write_metadata();
    void move_end_of_file();
    void create_tables(const std::array<std::size_t, 4>& columns);
    void describe(hid_t dataset, const ResultColumn& column);
    void attribute(hid_t dataset, const char* name, const std::string& value);
    std::string free_name(const std::string& name) const;
    void copy_text(const Cell& cell, std::string_view value, char* out);

    std::string path_;
    Hdf5Pending& pending_;
    KeptFile kept_;
    Hdf5Handle file_;
    Hdf5Handle text_type_;
    std::array<std::optional<Hdf5Table>, 4> tables_;
    std::vector<Cell> cells_;
    std::array<char*, 4> next_{};
    bool has_cut_ = false;
};

Hdf5Writer::File::File(const std::string& path, Hdf5Pending& pending)
    : path_(path), pending_(pending) {
    make_creatable(path);
    create();
    const std::string absolute = std::filesystem::absolute(path).string();
    if (absolute.size() < pending_.path.size())
        std::memcpy(pending_.path.data(), absolute.c_str(), absolute.size());
    pending_.owner = getpid();
}

/// Without columns, whatever the file has.
void Hdf5Writer::File::create() {
    cells_.clear();
    pending_.tables = {};
    for (auto& table : tables_) table.reset();
    text_type_.reset();
    check_hdf5(file_.reset(), path_, "close the file");
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path_, "open a file");
    // Others may look at the results while the run goes on.
    check_hdf5(H5Pset_file_locking(access, false, true), path_, "open a file");
    file_ = Hdf5Handle(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose,
                       path_, "create the file");
    kept_.adopt(path_, descriptor());
}

void Hdf5Writer::File::begin(const std::vector<ResultColumn>& columns) {
    std::array<std::size_t, 4> counts = {1, 0, 0, 0};
    std::array<std::size_t, 3> next{};
    std::vector<std::size_t> places;
    if (tables_[real]) create();
    for (const ResultColumn& column : columns) {
        const Kind kind = table_of(column.type);
        places.push_back(counts[kind]++);
        const auto storage = static_cast<std::size_t>(storage_of(column.type));
        cells_.push_back({kind, next[storage]++, column.type == ValueType::binary});
    }
    create_tables(counts);
    describe(tables_[real]->view("time", 0), {"time", "s", "Simulation time", ValueType::float64});
    for (std::size_t i = 0; i < columns.size(); ++i)
        describe(tables_[cells_[i].kind]->view(free_name(columns[i].name), places[i]), columns[i]);
    keep_metadata_until_flush();
    check_hdf5(H5Fflush(file_, H5F_SCOPE_LOCAL), path_, "flush the file");
}

void Hdf5Writer::File::create_tables(const std::array<std::size_t, 4>& columns) {
    text_type_ = Hdf5Handle(H5Tcopy(H5T_C_S1), H5Tclose, path_, "describe texts");
    check_hdf5(H5Tset_size(text_type_, text_bytes), path_, "describe texts");
    check_hdf5(H5Tset_cset(text_type_, H5T_CSET_UTF8), path_, "describe texts");
    const Hdf5Handle group(H5Gcreate2(file_, "/rows", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                           H5Gclose, path_, "create a group");
    const std::array<Hdf5Table::Shape, 4> shapes = {{
        {"real", H5T_NATIVE_DOUBLE, 8, columns[real]},
        {"integer", H5T_NATIVE_INT64, 8, columns[integer]},
        {"unsigned", H5T_NATIVE_UINT64, 8, columns[natural]},
        {"text", text_type_, text_bytes, columns[text]},
    }};
    for (std::size_t k = 0; k < shapes.size(); ++k)
        if (shapes[k].columns > 0) {
            const Hdf5Table& table = tables_[k].emplace(file_, path_, shapes[k]);
            Hdf5Pending::Table& pending = pending_.tables[k];
            fmt::format_to_n(pending.name.data(), pending.name.size() - 1, "/rows/{}",
                             shapes[k].name);
            pending.columns = shapes[k].columns;
            pending.cell_bytes = shapes[k].cell_bytes;
            pending.lines = table.lines();
        }
}

Hdf5Writer::File::Kind Hdf5Writer::File::table_of(ValueType type) {
    switch (storage_of(type)) {
        case Storage::reals: return real;
        case Storage::strings: return text;
        default: return type == ValueType::uint64 ? natural : integer;
    }
}

/// Between two flushes nothing but lines of tables goes into the file.
void Hdf5Writer::File::keep_metadata_until_flush() {
    H5AC_cache_config_t config;
    config.version = H5AC__CURR_CACHE_CONFIG_VERSION;
    check_hdf5(H5Fget_mdc_config(file_, &config), path_, "configure the file");
    config.evictions_enabled = false;
    config.incr_mode = H5C_incr__off;
    config.flash_incr_mode = H5C_flash_incr__off;
    config.decr_mode = H5C_decr__off;
    check_hdf5(H5Fset_mdc_config(file_, &config), path_, "configure the file");
}

void Hdf5Writer::File::describe(hid_t dataset, const ResultColumn& column) {
    attribute(dataset, "name", column.name);
    attribute(dataset, "unit", column.unit);
    attribute(dataset, "description", column.description);
    attribute(dataset, "type", kind_of(column.type));
}

void Hdf5Writer::File::attribute(hid_t dataset, const char* name, const std::string& value) {
    const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, path_, "describe a column");
    check_hdf5(H5Tset_size(type, H5T_VARIABLE), path_, "describe a column");
    check_hdf5(H5Tset_cset(type, H5T_CSET_UTF8), path_, "describe a column");
    const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, path_, "describe a column");
    const Hdf5Handle attribute(H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT),
                               H5Aclose, path_, "describe a column");
    const char* text_value = value.c_str();
    check_hdf5(H5Awrite(attribute, type, &text_value), path_, "describe a column");
}

std::string Hdf5Writer::File::free_name(const std::string& name) const {
    std::string base = name.empty() || name == "." ? "unnamed" : name;
    std::replace(base.begin(), base.end(), '/', ':');
    std::string result = base;
    for (int k = 2; H5Lexists(file_, result.c_str(), H5P_DEFAULT) > 0; ++k)
        result = fmt::format("{} ({})", base, k);
    return result;
}

bool Hdf5Writer::File::add(const ResultRow& row) {
    bool is_full = false;
    for (std::size_t k = 0; k < tables_.size(); ++k)
        if (tables_[k]) next_[k] = tables_[k]->new_line();
    const auto put = [this](Kind kind, const auto& value) {
        std::memcpy(next_[kind], &value, sizeof value);
        next_[kind] += sizeof value;
    };
    put(real, row.time);
    for (const Cell& cell : cells_) {
        if (cell.kind == real) {
            put(real, row.reals[cell.index]);
        } else if (cell.kind == text) {
            copy_text(cell, row.strings[cell.index], next_[text]);
            next_[text] += text_bytes;
        } else {
            put(cell.kind, row.integers[cell.index]);
        }
    }
    for (const auto& table : tables_) is_full = is_full || (table && table->is_full());
    pending_.complete.fetch_add(1);
    return is_full;
}

void Hdf5Writer::File::copy_text(const Cell& cell, std::string_view value, char* out) {
    constexpr std::string_view digits = "0123456789abcdef";
    const std::size_t needed = cell.is_binary ? 2 * value.size() : value.size();
    if (needed >= text_bytes && !has_cut_) {
        has_cut_ = true;
        log(LogLevel::warning,
            fmt::format("{}: texts are cut after {} bytes", path_, text_bytes - 1));
    }
    const std::size_t size = std::min(needed, text_bytes - 1);
    for (std::size_t i = 0; i < size; ++i) {
        if (!cell.is_binary) {
            out[i] = value[i];
            continue;
        }
        const auto byte = static_cast<unsigned char>(value[i / 2]);
        out[i] = digits[i % 2 == 0 ? byte >> 4U : byte & 15U];
    }
    std::memset(out + size, 0, text_bytes - size);
}

/// The same lines of all tables, as many as there is room for; the others are dropped.
void Hdf5Writer::File::append() {
    const std::uint64_t before = tables_[real]->length();
    int reason = 0;
    try {
        check_process();
        keep_descriptor();
        reason = reserve();
        for (auto& table : tables_)
            if (table) table->append();
    } catch (const OutputError&) {
        for (auto& table : tables_)
            if (table) table->cut(before);
        throw;
    }
    if (reason != 0) fail_to_write(path_, reason);
}

/// Room on the disk for the lines and for what the library writes about them, before anything is
/// changed: a file whose metadata could be written in parts only cannot be read. Halves the lines
/// until they fit, and returns why, or 0.
int Hdf5Writer::File::reserve() {
    hsize_t size = 0;
    check_hdf5(H5Fget_filesize(file_, &size), path_, "tell the size of the file");
    int reason = 0;
    while (tables_[real]->has_lines()) {
        std::uint64_t bytes = metadata_bytes;
        for (const auto& table : tables_)
            if (table) bytes += table->bytes_to_append();
        const int now = reserve_on_disk(descriptor(), size, bytes);
        if (now == 0) break;
        reason = now;
        for (auto& table : tables_)
            if (table) table->drop_half();
    }
    return reason;
}

int Hdf5Writer::File::descriptor() const {
    void* handle = nullptr;
    check_hdf5(H5Fget_vfd_handle(file_, H5P_DEFAULT, &handle), path_, "tell its descriptor");
    return *static_cast<int*>(handle);
}

/// The library knows one number only: a file that an FMU has closed gets it again.
void Hdf5Writer::File::keep_descriptor() {
    const int number = descriptor();
    const int now = kept_.descriptor();
    if (now == number) return;
    const bool is_free = now >= 0 && ::fcntl(number, F_GETFD) < 0;
    if (!is_free || ::dup2(now, number) < 0) fail_to_write(path_, EBADF);
    ::close(now);
    kept_.adopt(path_, number);
    if (kept_.was_lost()) warn_of_lost_file(path_);
}

void Hdf5Writer::File::flush() {
    std::exception_ptr failure;
    try {
        append();
    } catch (const OutputError&) {
        failure = std::current_exception();
    }
    write_metadata();
    if (failure) std::rethrow_exception(failure);
}

/// The library writes the metadata in this order: length of the tables, index of their chunks,
/// end of the file. A reader takes nothing behind the end of the file, so that moves first.
void Hdf5Writer::File::write_metadata() {
    move_end_of_file();
    check_hdf5(H5Fflush(file_, H5F_SCOPE_LOCAL), path_, "flush the file");
    pending_.complete.store(0);
    pending_.rows.store(tables_[real]->length());
}

/// Never to a shorter file: that would give back what was reserved.
void Hdf5Writer::File::move_end_of_file() {
    hsize_t size = 0;
    check_hdf5(H5Fget_filesize(file_, &size), path_, "flush the file");
    const int file = descriptor();
    struct stat status {};
    const bool is_long =
        ::fstat(file, &status) == 0 && static_cast<hsize_t>(status.st_size) >= size;
    if ((!is_long && ::ftruncate(file, static_cast<off_t>(size)) != 0) ||
        ::pwrite(file, &size, sizeof size, end_of_file_offset) != sizeof size)
        check_hdf5(-1, path_, "flush the file");
}

void Hdf5Writer::File::close() {
    std::exception_ptr failure;
    std::uint64_t rows = 0;
    try {
        if (tables_[real]) append();
    } catch (const OutputError&) {
        failure = std::current_exception();
    }
    if (tables_[real]) rows = tables_[real]->length();
    for (auto& table : tables_) table.reset();
    text_type_.reset();
    const herr_t status = file_.reset();
    pending_.complete.store(0);
    if (status >= 0) pending_.rows.store(rows);
    if (failure) std::rethrow_exception(failure);
    check_hdf5(status, path_, "close the file");
}

Hdf5Writer::Hdf5Writer(const std::string& path)
    : shared_(sizeof(Hdf5Pending)),
      pending_(*new (shared_.data()) Hdf5Pending),
      hook_(append_pending_rows, &pending_) {
    const std::lock_guard lock(library_mutex());
    file_ = std::make_unique<File>(path, pending_);
}

Hdf5Writer::~Hdf5Writer() {
    try {
        close();
    } catch (const OutputError&) {
        // close() is the place to hear of it
    }
}

void Hdf5Writer::begin(const std::vector<ResultColumn>& columns) {
    const std::lock_guard lock(library_mutex());
    file_->begin(columns);
}

void Hdf5Writer::write(const ResultRow& row) {
    if (!file_->add(row)) return;
    const std::lock_guard lock(library_mutex());
    file_->flush();
}

void Hdf5Writer::flush() {
    const std::lock_guard lock(library_mutex());
    file_->flush();
}

void Hdf5Writer::close() {
    if (!file_) return;
    const std::lock_guard lock(library_mutex());
    const std::unique_ptr<File> file = std::move(file_);
    file->close();
}

}  // namespace tandem::results
