#pragma once

#include <vector>

#include "description/table_reader.hpp"

namespace tandem::description {

/// nominal and absolute_tolerance of a subsystem: a positive number for all of its variables, or a
/// table of them. Keys of tables inside the table are joined with dots, as those of parameters are.
void read_sizes(TableReader& reader, std::vector<Setting>& options);

}  // namespace tandem::description
