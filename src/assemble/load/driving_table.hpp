#pragma once

#include <string>

#include "description/flatten.hpp"
#include "tandem/error.hpp"

namespace tandem::assemble {

/// Adds a table to the system whose columns, called "subsystem.variable", drive inputs and tunable
/// parameters.
void add_driving_table(const std::string& file, description::FlatSystem& flat,
                       Diagnostics& findings);

}  // namespace tandem::assemble
