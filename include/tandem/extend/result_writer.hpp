#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/extend/registry.hpp"
#include "tandem/value.hpp"

namespace tandem::results {

/// One column of a results file, next to time.
struct ResultColumn {
    std::string name;
    std::string unit;
    std::string description;
    ValueType type = ValueType::float64;
};

/// The values of all columns at one time. Each list holds the columns of its storage (see
/// storage_of), in the order of the columns; uint64 bit for bit, booleans and clocks as 0 or 1.
struct ResultRow {
    double time = 0.0;
    std::span<const double> reals;
    std::span<const std::int64_t> integers;
    std::span<const std::string_view> strings;
};

/// A results file of any format. Life: begin -> write* -> close; before the first row, begin() may
/// be called again, with other columns. Memory does not grow with the number of rows, and writing a
/// row allocates nothing.
class ResultWriter {
public:
    virtual ~ResultWriter() = default;
    virtual void begin(const std::vector<ResultColumn>& columns) = 0;
    /// These throw OutputError when the file cannot be written.
    virtual void write(const ResultRow& row) = 0;
    /// Afterwards the file can be read, with all rows so far, whatever happens to the process.
    virtual void flush() = 0;
    /// Flushes and closes; the destructor does the same but cannot report.
    virtual void close() = 0;
    /// Rows that can be read in the file.
    virtual const std::atomic<std::uint64_t>& rows_in_file() const = 0;
};

struct ResultOptions {
    bool units_in_header = false;  ///< CSV: "name [unit]"; the other formats always keep units
};

/// A format of results files; its name and aliases are extensions, in small letters.
struct FormatRow {
    std::string name;
    std::string summary;  ///< one line
    std::vector<std::string> aliases = {};
    /// rows_in_file() lies in memory that is shared with other processes; otherwise it is copied
    /// there whenever the file is flushed.
    bool counts_for_others = false;
    /// Creates or empties the file. Throws InputError when that fails.
    std::function<std::unique_ptr<ResultWriter>(const std::string& path, const ResultOptions&)>
        make = {};
};

/// All formats.
Registry<FormatRow>& formats();

/// The writer for the extension of the path; "-" is CSV on standard output. It flushes by itself so
/// that no row stays unwritten for longer than half a second. Throws InputError for another
/// extension and for a file that cannot be created.
std::unique_ptr<ResultWriter> make_result_writer(const std::string& path,
                                                 const ResultOptions& options = {});

}  // namespace tandem::results
