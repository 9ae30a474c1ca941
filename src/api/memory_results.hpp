#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "tandem/extend/result_writer.hpp"
#include "tandem/simulation.hpp"

namespace tandem {

/// Rows of results in vectors.
class MemoryResults final : public results::ResultWriter {
public:
    explicit MemoryResults(Results& results) : results_(results) {}

    void begin(const std::vector<results::ResultColumn>& columns) override {
        results_ = {};
        sources_.clear();
        std::size_t reals = 0, integers = 0;
        for (const results::ResultColumn& column : columns) {
            const Storage storage = storage_of(column.type);
            if (storage == Storage::strings) continue;
            const bool is_real = storage == Storage::reals;
            sources_.push_back({is_real, is_real ? reals++ : integers++, column.type});
            results_.series.push_back({column.name, column.unit, {}});
        }
    }
    void write(const results::ResultRow& row) override {
        results_.time.push_back(row.time);
        for (std::size_t i = 0; i < sources_.size(); ++i)
            results_.series[i].values.push_back(value_of(sources_[i], row));
        ++rows_;
    }
    void flush() override {}
    void close() override {}
    const std::atomic<std::uint64_t>& rows_in_file() const override { return rows_; }

private:
    struct Source {
        bool is_real = true;
        std::size_t index = 0;  ///< in the list of its storage
        ValueType type = ValueType::float64;
    };
    static double value_of(const Source& source, const results::ResultRow& row) {
        if (source.is_real) return row.reals[source.index];
        const std::int64_t value = row.integers[source.index];
        return source.type == ValueType::uint64
                   ? static_cast<double>(static_cast<std::uint64_t>(value))
                   : static_cast<double>(value);
    }

    Results& results_;
    std::vector<Source> sources_;
    std::atomic<std::uint64_t> rows_{0};
};

}  // namespace tandem
