#pragma once

#include <string>
#include <vector>

#include "assemble/load/signals.hpp"

namespace tandem::assemble {

/// Sets the parameters of subsystem `index`, before it is initialised. What cannot be set becomes
/// an error.
void apply_parameters(const description::FlatSubsystem& description, std::size_t index,
                      LoadedSubsystem& loaded, const Signals& signals);

/// The same for parameters and inputs that take the impedance of a transmission line.
void apply_impedances(const description::FlatSystem& flat, std::vector<LoadedSubsystem>& loaded,
                      const Signals& signals);

/// The same for what the command line says: "subsystem.variable=value", arrays as "a.x=1,2,3",
/// enumerations by name or number.
void apply_settings(const std::vector<std::string>& texts, const description::FlatSystem& flat,
                    std::vector<LoadedSubsystem>& loaded, const Signals& signals);

}  // namespace tandem::assemble
