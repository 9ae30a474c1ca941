#pragma once

#include <memory>

#include "files/csv_writer.hpp"
#include "tandem/extend/result_writer.hpp"

namespace tandem::results {

/// Results as comma separated text: a header, then one line per row. Booleans are 0 and 1,
/// enumerations their number, binaries hexadecimal.
class CsvResults final : public ResultWriter {
public:
    CsvResults(const std::string& path, bool units);
    /// Onto a writer that somebody else owns and closes.
    explicit CsvResults(CsvWriter& writer) : writer_(writer) {}

    void begin(const std::vector<ResultColumn>& columns) override { begin(columns, units_); }
    void begin(const std::vector<ResultColumn>& columns, bool units);
    void write(const ResultRow& row) override;
    void flush() override { writer_.flush(); }
    void close() override;
    const std::atomic<std::uint64_t>& rows_in_file() const override { return writer_.rows(); }

private:
    enum class Kind { real, single, integer, natural, text, bytes };
    struct Cell {
        Kind kind = Kind::real;
        std::size_t index = 0;  ///< in the list of its storage
    };
    static Kind kind_of(ValueType type);
    void write_cell(const Cell& cell, const ResultRow& row);

    std::unique_ptr<CsvWriter> owned_;
    CsvWriter& writer_;
    bool units_ = false;
    std::vector<Cell> cells_;
};

}  // namespace tandem::results
