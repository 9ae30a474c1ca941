#pragma once

#include <vector>

#include "description/description.hpp"
#include "tandem/error.hpp"

namespace tandem::description {

/// One connector for each name: a name in a list and what a table says of it belong together,
/// others that differ are reported.
void unite_connectors(std::vector<Connector>& connectors, Diagnostics& findings);

}  // namespace tandem::description
