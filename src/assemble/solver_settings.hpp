#pragma once

#include <vector>

#include "assemble/load/load_subsystem.hpp"
#include "coupling/catalog/catalog.hpp"

/// What files and command lines say about solvers, and where it has no effect.
namespace tandem::assemble {

/// Of the equations that the coupling "aggregate" makes.
ode::HostedOdeOptions equation_options(const coupling::Choice& choice, const LoadOptions& load);
/// What the solver of these equations cannot do is an error.
void check_equation_options(const coupling::Choice& choice, const LoadOptions& load,
                            Diagnostics& findings);

/// Solvers of models that become one equation.
void warn_of_own_solvers(const description::FlatSystem& flat,
                         const std::vector<LoadedSubsystem>& parts, Diagnostics& findings);
/// Members of an equation keep their absolute tolerances, unless its solver has no use for any.
void warn_of_tolerances(const description::FlatSystem& flat,
                        const std::vector<LoadedSubsystem>& parts, const ode::SolverOptions& solver,
                        Diagnostics& findings);
/// Keys that only some solvers follow.
void warn_of_unused_keys(const description::FlatSubsystem& description, const LoadedSubsystem& part,
                         Diagnostics& findings);

}  // namespace tandem::assemble
