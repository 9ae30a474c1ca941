#pragma once

#include <vector>

#include "assemble/load/load_subsystem.hpp"
#include "description/flatten.hpp"

namespace tandem::assemble {

/// Makes output ports of what is read at every instant although it is no output of its model:
/// states, derivatives and other real variables that feed connections, coupling functions or lines.
void show_sources(const description::FlatSystem& flat, const std::vector<LoadedSubsystem>& loaded);

}  // namespace tandem::assemble
