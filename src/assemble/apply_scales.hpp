#pragma once

#include "assemble/load/signals.hpp"

namespace tandem::assemble {

/// Gives subsystem `index` the nominals and absolute tolerances of its description, after its
/// parameters, before its ports are selected. What has no meaning becomes an error.
void apply_scales(const description::FlatSubsystem& description, std::size_t index,
                  LoadedSubsystem& loaded, const Signals& signals);

/// Only names that cannot have nominals become errors; nothing of the subsystem's code is called.
void check_nominals(const description::FlatSubsystem& description, std::size_t index,
                    LoadedSubsystem& loaded, const Signals& signals);

}  // namespace tandem::assemble
