#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "process/emergency.hpp"

namespace tandem {

/// How many folders deep remove_tree goes: it may run on the small stack of a signal handler.
constexpr int deepest_removed_folder = 64;

/// A folder only this user can enter, below TMPDIR (or /tmp). It and everything in it is removed on
/// destruction, and also when the process dies of a signal.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    /// Absolute: it stays the same folder when an FMU changes the working folder.
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    SharedBlock text_;  ///< the path
    pid_t owner_;
    EmergencyHook hook_;
};

/// Removes a file or a folder with all it contains; does not follow links. Async-signal-safe.
void remove_tree(const char* path) noexcept;

}  // namespace tandem
