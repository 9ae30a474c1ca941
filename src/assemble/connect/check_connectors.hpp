#pragma once

#include "assemble/load/signals.hpp"

namespace tandem::assemble {

/// What a file declares about the connectors of a subsystem, compared with what the subsystem says
/// itself, which counts: differences become warnings.
void check_connectors(const description::FlatSubsystem& description, std::size_t index,
                      const Signals& signals);

}  // namespace tandem::assemble
