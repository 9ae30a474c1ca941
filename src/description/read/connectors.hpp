#pragma once

#include <vector>

#include "base/error.hpp"
#include "description/description.hpp"

namespace tandem::description {

/// One connector for each name: a name in a list and what a table says of it belong together,
/// others that differ are reported.
void unite_connectors(std::vector<Connector>& connectors, Diagnostics& findings);

}  // namespace tandem::description
