#pragma once

#include "coupling/catalog.hpp"

namespace tandem::coupling {

/// For couplings in which every subsystem takes one step.
void refuse_ratios(const Choice& choice, Diagnostics& findings);

CatalogEntry linear_implicit_entry();
CatalogEntry lti_entry();
CatalogEntry nepce_entry();
CatalogEntry predictor_entry();

}  // namespace tandem::coupling
