#pragma once

#include "tandem/extend/system.hpp"

namespace tandem::coupling {

/// False: some coupling function is not affine in its signals and time, as far as samples about the
/// present outputs tell. Its linear model then errs by the square of the step, and the inputs with
/// it.
bool are_functions_affine(System& system);

}  // namespace tandem::coupling
