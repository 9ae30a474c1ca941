#pragma once

#include <string>
#include <vector>

#include "tandem/error.hpp"

namespace tandem::cli {

/// Lets every subsystem of a system, or an FMU, go back in time, each in a process of its own: an
/// FMU that crashes there ends that process only.
void check_rollback(const std::string& file, Diagnostics& findings,
                    std::vector<std::string>& summary);

/// The work of such a process, for one subsystem by its number. What it prints is for
/// check_rollback() to read.
int try_rollback_of(const std::string& file, int subsystem);

}  // namespace tandem::cli
