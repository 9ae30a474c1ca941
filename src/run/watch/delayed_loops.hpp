#pragma once

#include <vector>

#include "assemble/algebraic_loops.hpp"
#include "assemble/assemble.hpp"
#include "tandem/error.hpp"
#include "tandem/extend/coupling.hpp"

namespace tandem::run {

/// Of each loop: by how much a deviation from its solution grows in one macro step of this
/// coupling, which does not solve loops but delays them. Found by letting it step subsystems that
/// have nothing but the feed-through of the loops. Below 1 the values come to the solution.
std::vector<double> growth_per_step(const System& system,
                                    const std::vector<assemble::AlgebraicLoop>& loops,
                                    coupling::Coupling& coupling);

/// Whether the loops are to be solved at communication points, and can be: between steps, where
/// the subsystems are now, inputs act on outputs as they did at the start.
bool can_solve_between_steps(assemble::Assembly& assembly,
                             const std::vector<assemble::AlgebraicLoop>& loops);

/// What is to be said of loops that the coupling of this system does not solve: where their values
/// run away it is an error, unless that coupling was asked for; otherwise a warning.
Diagnostics delayed_loop_findings(const assemble::Assembly& assembly,
                                  const std::vector<assemble::AlgebraicLoop>& loops);

}  // namespace tandem::run
