#pragma once

#include <string>
#include <vector>

#include "assemble/described_system.hpp"
#include "assemble/prepare_system.hpp"

namespace tandem::cli {

/// Times that are missing or do not suit the subsystems become warnings.
void check_times(assemble::PreparedSystem& prepared, const std::string& file,
                 Diagnostics& findings);

/// The graph in a few lines: subsystems, connections, cycles and algebraic loops.
std::vector<std::string> system_summary(const assemble::PreparedSystem& prepared);

/// The same of a system that is only described.
std::vector<std::string> description_summary(const assemble::DescribedSystem& described);

/// Initialises the system to see what its coupling makes of its algebraic loops.
void check_loops(const std::string& file, Diagnostics& findings);

}  // namespace tandem::cli
