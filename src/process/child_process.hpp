#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

/// What became of a program.
struct ChildResult {
    int code = 0;     ///< its exit code; 128 + the signal that ended it
    std::string out;  ///< what it wrote to standard output
    std::string err;  ///< likewise
    bool took_too_long = false;
};

/// What a program, with those that it starts itself, may use.
struct ChildLimits {
    double seconds = 0.0;     ///< of the wall clock; then all are ended
    std::uint64_t bytes = 0;  ///< of memory, each
};

/// Runs a program, without a shell and without input, and waits for it. Throws InputError if it
/// cannot be started.
ChildResult run_program(const std::vector<std::string>& command,
                        const std::optional<ChildLimits>& limits = std::nullopt);

}  // namespace tandem
