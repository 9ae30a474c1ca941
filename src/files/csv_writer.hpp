#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "files/kept_file.hpp"
#include "files/output_error.hpp"
#include "process/emergency.hpp"

namespace tandem {

/// Writes rows of comma separated values. Rows reach the file when the last flush is 50 ms old, at
/// the end, and when the process dies, so that a run keeps its rows whatever ends it. A file has
/// whole rows only. Writing a row allocates nothing. Numbers are the shortest text that reads back
/// to the same value.
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
    /// The first one, which does not count, is between these. It reaches a file at once; what is
    /// no regular file gets it with the first row. Until then another header may take its place.
    void begin_header();
    void end_header();
    void flush();
    /// Flushes and closes; the destructor does the same but cannot report.
    void close();

    /// Complete rows that are in the file.
    const std::atomic<std::uint64_t>& rows() const { return shared().rows; }

private:
    /// What is needed to write the rest when the process is dead.
    struct Shared {
        KeptFile file;
        std::atomic<char*> text{nullptr};  ///< rows, of which those before `begin` are written
        std::atomic<std::size_t> begin{0};
        std::atomic<std::size_t> complete{0};  ///< complete rows end here
        std::atomic<std::uint64_t> origin{0};  ///< the place of `text` in the file
        std::atomic<std::uint64_t> rows{0};
        std::atomic<bool> has_header{false};  ///< in `text`, not yet written
    };
    Shared& shared() const { return *reinterpret_cast<Shared*>(shared_.data()); }
    template <class T>
    void number(T value);
    char* room(std::size_t bytes);
    void grow(std::size_t bytes);
    void separate();
    void write_complete_rows();
    static int write_rows(Shared& shared) noexcept;
    static void take_back(Shared& shared, std::size_t begin, std::size_t end) noexcept;
    static void write_at_emergency(void* shared) noexcept;

    using Clock = std::chrono::steady_clock;
    std::string name_;
    SharedBlock shared_;
    SharedBlock buffer_;
    std::size_t used_ = 0;
    bool row_is_empty_ = true;
    Clock::time_point last_flush_ = Clock::now();
    EmergencyHook hook_;
};

}  // namespace tandem
