#pragma once

#include <string>

#include "run/system_run.hpp"

namespace tandem::cli {

struct SystemRequest {
    run::SystemRunOptions run;
    std::string report;  ///< page to write; empty: none
    std::vector<std::string> command_line;
    std::string date;  ///< when it began
    bool quiet = false;
    bool shows_progress = true;
};

/// Runs a system and writes run.json beside its first results file, whatever the outcome.
int perform_system(SystemRequest request);

}  // namespace tandem::cli
