#include "results/csv_results.hpp"

#include <fmt/format.h>

#include <array>

namespace tandem::results {

CsvResults::CsvResults(const std::string& path, bool units)
    : owned_(std::make_unique<CsvWriter>(path)), writer_(*owned_), units_(units) {}

CsvResults::Kind CsvResults::kind_of(ValueType type) {
    switch (type) {
        case ValueType::float64: return Kind::real;
        case ValueType::float32: return Kind::single;
        case ValueType::uint64: return Kind::natural;
        case ValueType::string: return Kind::text;
        case ValueType::binary: return Kind::bytes;
        default: return Kind::integer;
    }
}

void CsvResults::begin(const std::vector<ResultColumn>& columns, bool units) {
    std::array<std::size_t, 3> next{};
    cells_.clear();
    writer_.begin_header();
    writer_.text(units ? "time [s]" : "time");
    for (const ResultColumn& column : columns) {
        writer_.text(units && !column.unit.empty()
                         ? fmt::format("{} [{}]", column.name, column.unit)
                         : column.name);
        const auto storage = static_cast<std::size_t>(storage_of(column.type));
        cells_.push_back({kind_of(column.type), next[storage]++});
    }
    writer_.end_header();
}

void CsvResults::write_cell(const Cell& cell, const ResultRow& row) {
    switch (cell.kind) {
        case Kind::real: writer_.real(row.reals[cell.index]); break;
        case Kind::single: writer_.real(static_cast<float>(row.reals[cell.index])); break;
        case Kind::integer: writer_.integer(row.integers[cell.index]); break;
        case Kind::natural:
            writer_.integer(static_cast<std::uint64_t>(row.integers[cell.index]));
            break;
        case Kind::text: writer_.text(row.strings[cell.index]); break;
        case Kind::bytes: writer_.hexadecimal(row.strings[cell.index]); break;
    }
}

void CsvResults::write(const ResultRow& row) {
    writer_.real(row.time);
    for (const Cell& cell : cells_) write_cell(cell, row);
    writer_.end_row();
}

void CsvResults::close() {
    if (owned_) owned_->close();
}

}  // namespace tandem::results
