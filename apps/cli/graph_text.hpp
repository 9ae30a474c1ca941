#pragma once

#include <string>

#include "record/run_record.hpp"
#include "terminal.hpp"

namespace tandem::cli {

/// Priorities, cycles and their cycles, for people.
std::string graph_text(const RunRecord& record, const Style& style);

}  // namespace tandem::cli
