#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/emergency.hpp"
#include "run/output_error.hpp"

namespace tandem::run {

/// Writes rows of comma separated values. Rows reach the file when the last flush is 50 ms old, at
/// the end, and when the process dies of a signal, so that a killed run keeps its rows. Writing a
/// row allocates nothing. Numbers are the shortest text that reads back to the same value.
class CsvWriter {
public:
    /// Creates or empties the file; "-" is standard output. Throws InputError when that fails.
    explicit CsvWriter(const std::string& path);
    ~CsvWriter();
    CsvWriter(const CsvWriter&) = delete;
    CsvWriter& operator=(const CsvWriter&) = delete;

    void real(double value);
    void real(float value);
    void integer(std::int64_t value);
    void integer(std::uint64_t value);
    /// Quoted where it must be.
    void text(std::string_view value);
    void hexadecimal(std::string_view bytes);
    /// These throw OutputError when a row cannot be written.
    void end_row();
    void flush();
    /// Flushes and closes; the destructor does the same but cannot report.
    void close();

private:
    template <class T>
    void number(T value);
    char* room(std::size_t bytes);
    void separate();
    void write_complete_rows();
    static void write_at_emergency(void* self) noexcept;

    using Clock = std::chrono::steady_clock;
    std::string name_;
    int file_ = -1;
    std::vector<char> buffer_;
    std::size_t used_ = 0;
    std::atomic<std::size_t> begin_ = 0;     ///< what lies before it is in the file
    std::atomic<std::size_t> complete_ = 0;  ///< complete rows end here
    bool row_is_empty_ = true;
    Clock::time_point last_flush_ = Clock::now();
    EmergencyHook hook_;
};

}  // namespace tandem::run
