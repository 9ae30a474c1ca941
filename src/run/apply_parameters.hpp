#pragma once

#include "run/signals.hpp"

namespace tandem::run {

/// Sets the parameters of subsystem `index`, before it is initialised. What cannot be set becomes
/// an error.
void apply_parameters(const ssp::FlatSubsystem& description, std::size_t index,
                      LoadedSubsystem& loaded, const Signals& signals);

}  // namespace tandem::run
