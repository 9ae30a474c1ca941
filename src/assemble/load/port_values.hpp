#pragma once

#include <span>

#include "tandem/extend/subsystem.hpp"

namespace tandem::assemble {

/// A real input of a subsystem as it is: its start value before anything was set.
double read_input(Subsystem& subsystem, std::size_t port);
/// All of them.
void read_inputs(Subsystem& subsystem, std::span<double> inputs);

}  // namespace tandem::assemble
