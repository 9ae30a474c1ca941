#pragma once

#include <sys/types.h>

#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tandem {

/// A file that results go to, found again when an FMU has closed its descriptor, and by the parent
/// process when this one is dead: it lies in shared memory. All but open() is async-signal-safe.
class KeptFile {
public:
    /// Creates or empties the file; "-" is standard output. Throws InputError when that fails.
    void open(const std::string& path);
    /// Takes over a descriptor of a file that is open already.
    void adopt(const std::string& path, int descriptor);
    bool is_open() const noexcept { return descriptor_ >= 0; }
    /// Bytes may be written at any offset.
    bool is_regular() const noexcept { return is_regular_; }

    /// The descriptor, or -1 with errno. Opens the file again if its descriptor is not its own any
    /// more; was_lost() tells then.
    int descriptor() noexcept;
    bool was_lost() noexcept { return was_lost_.exchange(false); }
    /// Writes all bytes, at the offset if the file is regular. Returns how many it could write,
    /// with errno if not all.
    std::size_t put(const void* data, std::size_t size, std::uint64_t offset) noexcept;
    bool truncate(std::uint64_t size) noexcept;
    /// False with errno if the file cannot be closed.
    bool close() noexcept;

private:
    bool is_same(int descriptor) const noexcept;

    char path_[PATH_MAX] = {};  ///< absolute; empty for standard output
    int descriptor_ = -1;
    dev_t device_ = 0;
    ino_t inode_ = 0;
    bool is_regular_ = false;
    std::atomic<bool> was_lost_{false};
};

/// "out.csv: results cannot be written: No space left on device"
[[noreturn]] void fail_to_write(const std::string& name, int reason);
/// Warns that an FMU has closed the file.
void warn_of_lost_file(const std::string& name);

}  // namespace tandem
