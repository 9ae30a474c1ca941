#pragma once

#include <span>

#include "core/subsystem.hpp"

namespace tandem::run {

/// The real inputs of a subsystem as they are: its start values before anything was set.
void read_inputs(Subsystem& subsystem, std::span<double> inputs);

}  // namespace tandem::run
