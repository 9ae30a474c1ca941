#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>

namespace tandem {

/// Rows that are in the memory of an Hdf5Writer and not yet in its file. Lies in shared memory, so
/// that the parent can append them when the process is dead.
struct Hdf5Pending {
    struct Table {
        std::array<char, 32> name{};  ///< in the file
        const char* lines = nullptr;
        std::size_t columns = 0;
        std::size_t cell_bytes = 0;
    };
    std::array<char, PATH_MAX> path{};  ///< absolute
    pid_t owner = 0;
    std::array<Table, 4> tables{};
    std::atomic<std::size_t> complete{0};  ///< rows that are not in the file yet
    std::atomic<std::uint64_t> rows{0};    ///< rows that are
};

/// Room on the disk for so many bytes more behind `size`. Returns why not, or 0. File systems that
/// cannot reserve are trusted.
int reserve_on_disk(int descriptor, std::uint64_t size, std::uint64_t bytes) noexcept;

/// An emergency hook with an Hdf5Pending. The library cannot be used in a signal handler, so this
/// does nothing in the process that owns the file.
void append_pending_rows(void* pending) noexcept;

}  // namespace tandem
