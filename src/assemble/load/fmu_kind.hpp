#pragma once

#include "description/flatten.hpp"
#include "fmi/description/model_description.hpp"

namespace tandem::assemble {

/// Whether an FMU is to be used for Co-Simulation rather than Model Exchange. Throws InputError if
/// it does not offer what the system file asks for.
bool wants_co_simulation(const description::FlatSubsystem& subsystem,
                         const fmi::ModelDescription& fmu, bool prefers_model_exchange);

}  // namespace tandem::assemble
