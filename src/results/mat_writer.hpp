#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "files/kept_file.hpp"
#include "files/output_error.hpp"
#include "process/emergency.hpp"
#include "tandem/extend/result_writer.hpp"

namespace tandem::results {

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
    const std::atomic<std::uint64_t>& rows_in_file() const override { return shared().count; }

private:
    struct Source {
        bool is_real = true;
        bool is_natural = false;  ///< uint64, stored bit for bit
        std::size_t index = 0;
    };
    /// What is needed to write the rest when the process is dead. Offsets are in the file.
    struct Shared {
        KeptFile file;
        std::size_t width = 0;                 ///< doubles in a row, with time
        const double* rows = nullptr;          ///< not yet in the file
        std::atomic<std::size_t> complete{0};  ///< rows there are
        std::uint64_t stop_offset = 0;         ///< of the time of the last row,
        std::uint64_t count_offset = 0;        ///< the number of columns of data_2,
        std::uint64_t data_end = 0;            ///< the end of data_2,
        std::uint64_t file_end = 0;            ///< and that of the file
        std::atomic<std::uint64_t> count{0};   ///< rows in the file
    };
    Shared& shared() const { return *reinterpret_cast<Shared*>(shared_.data()); }
    void write_beginning(const std::vector<ResultColumn>& columns);
    static std::size_t append_rows(Shared& shared, std::size_t count) noexcept;
    static bool put_rows(Shared& shared, std::size_t count) noexcept;
    static bool grow(Shared& shared, std::uint64_t end) noexcept;
    static void write_at_emergency(void* shared) noexcept;

    std::string path_;
    std::vector<Source> sources_;
    std::string left_out_;  ///< names
    SharedBlock shared_;
    SharedBlock rows_;
    std::size_t width_ = 0;     ///< doubles in a row, with time
    std::size_t capacity_ = 0;  ///< rows that fit into rows_
    std::size_t filled_ = 0;    ///< rows there are
    EmergencyHook hook_;
};

}  // namespace tandem::results
