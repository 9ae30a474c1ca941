#pragma once

#include "core/system.hpp"

namespace tandem::run {

struct InitialiseReport {
    int loops = 0;          ///< algebraic loops between subsystems
    int largest_loop = 0;   ///< inputs in the largest
    double residual = 0.0;  ///< the largest |u - L y| / nominal that is left
};

/// Initialises all subsystems with consistent values: afterwards outputs() hold y(start) and
/// inputs() = L y(start). Inputs that nothing feeds are read from the subsystems first.
///
/// The variables are ordered by links and feed-through; each loop among them is solved alone, by
/// Newton's method scaled with nominals. Throws NumericsError naming the variables of a loop that
/// has no solution.
InitialiseReport initialise(System& system, const Experiment& experiment);

}  // namespace tandem::run
