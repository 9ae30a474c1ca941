#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/emergency.hpp"
#include "run/output_error.hpp"
#include "run/result_writer.hpp"

namespace tandem::run {

/// Results as Modelica tools write them: a MAT file of level 4 with the matrices Aclass, name,
/// description, dataInfo, data_1, data_2 in "binTrans" layout (a column for each row of results).
/// Everything is a double there: integers beyond 2^53 lose digits, and strings and binaries are
/// left out, with a warning.
///
/// Level 4 has no index: a reader goes from matrix to matrix until the file ends. So that the file
/// can be read at any moment, the space behind data_2 always belongs to an extra matrix "pad".
/// New rows are written inside the pad; then the number of columns of data_2 grows over them.
/// close() cuts the pad off.
class MatWriter final : public ResultWriter {
public:
    /// Creates or empties the file. Throws InputError when that fails.
    explicit MatWriter(const std::string& path);
    ~MatWriter() override;
    MatWriter(const MatWriter&) = delete;
    MatWriter& operator=(const MatWriter&) = delete;

    void begin(const std::vector<ResultColumn>& columns) override;
    void write(const ResultRow& row) override;
    void flush() override;
    void close() override;

private:
    struct Source {
        bool is_real = true;
        bool is_natural = false;  ///< uint64, stored bit for bit
        std::size_t index = 0;
    };
    void write_beginning(const std::vector<ResultColumn>& columns);
    bool append_rows(const double* rows, std::size_t count) noexcept;
    bool grow(std::uint64_t end) noexcept;
    bool put(const void* bytes, std::size_t size, std::uint64_t offset) noexcept;
    [[noreturn]] void fail(int reason) const;
    static void write_at_emergency(void* self) noexcept;

    std::string path_;
    int file_ = -1;
    std::vector<Source> sources_;
    std::size_t width_ = 0;                  ///< doubles in a row, with time
    std::vector<double> rows_;               ///< not yet in the file
    std::size_t capacity_ = 0;               ///< rows that fit
    std::size_t filled_ = 0;                 ///< rows there are
    std::atomic<std::size_t> complete_ = 0;  ///< the same, for an emergency
    std::uint64_t stop_offset_ = 0;          ///< where the file holds the time of the last row,
    std::uint64_t count_offset_ = 0;         ///< the number of columns of data_2,
    std::uint64_t data_end_ = 0;             ///< the end of data_2,
    std::uint64_t file_end_ = 0;             ///< and its own
    std::uint32_t count_ = 0;
    std::vector<char> pad_page_;
    EmergencyHook hook_;
};

}  // namespace tandem::run
