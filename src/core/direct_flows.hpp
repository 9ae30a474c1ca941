#pragma once

#include <utility>
#include <vector>

#include "tandem/extend/system.hpp"

namespace tandem {

/// From subsystem to subsystem, where an output that follows an input within the instant (direct
/// feedthrough) feeds an input. May list a pair several times.
std::vector<std::pair<int, int>> direct_flows(const System& system);

}  // namespace tandem
