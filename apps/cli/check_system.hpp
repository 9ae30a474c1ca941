#pragma once

#include <string>
#include <vector>

#include "run/prepare_system.hpp"

namespace tandem::cli {

/// Times that are missing or do not suit the subsystems become warnings.
void check_times(run::PreparedSystem& prepared, const std::string& file, Diagnostics& findings);

/// The graph in a few lines: subsystems, connections, cycles and algebraic loops.
std::vector<std::string> system_summary(const run::PreparedSystem& prepared);

}  // namespace tandem::cli
