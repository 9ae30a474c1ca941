#pragma once

#include <string>
#include <vector>

namespace tandem {

/// What became of a program.
struct ChildResult {
    int code = 0;     ///< its exit code; 128 + the signal that ended it
    std::string out;  ///< what it wrote to standard output
    std::string err;  ///< likewise
};

/// Runs a program, without a shell and without input, and waits for it. Throws InputError if it
/// cannot be started.
ChildResult run_program(const std::vector<std::string>& command);

}  // namespace tandem
