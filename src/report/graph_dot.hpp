#pragma once

#include <string>

#include "record/run_record.hpp"

namespace tandem::report {

/// The system of a run in the language of Graphviz: a box per subsystem, ranks by priority, a
/// cluster per cycle, an edge per ordered pair of subsystems with the names of the variables,
/// and a dashed one per transmission line.
std::string system_dot(const RunRecord& record);

}  // namespace tandem::report
