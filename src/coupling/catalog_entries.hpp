#pragma once

#include "coupling/catalog.hpp"

namespace tandem::coupling {

/// For couplings in which every subsystem takes one step.
void refuse_ratios(const Choice& choice, Diagnostics& findings);

CatalogEntry nepce_entry();

}  // namespace tandem::coupling
