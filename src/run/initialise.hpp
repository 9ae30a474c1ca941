#pragma once

#include "core/system.hpp"
#include "core/typed_links.hpp"

namespace tandem::run {

struct InitialiseReport {
    int loops = 0;          ///< algebraic loops between subsystems
    int largest_loop = 0;   ///< inputs in the largest
    double residual = 0.0;  ///< the largest |u - L y| / nominal that is left
};

/// Initialises all subsystems with consistent values: afterwards outputs() hold y(start) and
/// inputs() = L y(start). Inputs that nothing feeds are read from the subsystems first.
///
/// Values of `typed_links` are carried over too.
/// The variables are ordered by links and feed-through; each loop among them is solved alone, by
/// Newton's method scaled with nominals. Throws NumericsError naming the variables of a loop that
/// has no solution, and for values that never settle.
InitialiseReport initialise(System& system, const Experiment& experiment,
                            TypedLinks* typed_links = nullptr);

}  // namespace tandem::run
