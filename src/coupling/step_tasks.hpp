#pragma once

#include <span>
#include <vector>

#include "core/system.hpp"

namespace tandem::coupling {

/// What the task that steps a subsystem reads of others before it does.
enum class Reads {
    nothing,  ///< its inputs are set already
    outputs,  ///< what links and functions take
    all,      ///< the same, and what is carried beside the links
};

/// One task for each of `steps`, which are sets of subsystems in the order in which they step one
/// after the other. Two tasks keep this order where one reads what the other changes, before it or
/// after it, or where they share something.
TaskGraph step_tasks(const System& system, std::span<const std::vector<int>> steps, Reads reads);

}  // namespace tandem::coupling
