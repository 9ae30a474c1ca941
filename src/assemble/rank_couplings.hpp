#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "assemble/load/load_subsystem.hpp"
#include "description/flatten.hpp"
#include "tandem/extend/graph.hpp"
#include "tandem/extend/options.hpp"

namespace tandem::assemble {

/// How subsystems feed each other.
struct Wiring {
    numerics::Graph flows;      ///< real ports, between the subsystems as listed
    bool has_discrete = false;  ///< values that are not real are connected, too
};

/// What is known when a coupling is chosen.
struct CouplingEvidence {
    const description::FlatSystem& flat;
    const std::vector<LoadedSubsystem>& parts;
    const Wiring& wiring;
    const std::vector<std::size_t>& as_model_exchange;  ///< by KindChoice
};

/// A coupling that the subsystems can do.
struct RankedCoupling {
    std::string method;
    std::string reason;  ///< follows "because"; may be empty of those that never come first
    std::vector<GivenOption> options = {};
};

/// The best one first; never empty. What is not certain to be more accurate comes behind what
/// notices its own failure (an iteration that does not converge) or is exact.
std::vector<RankedCoupling> rank_couplings(const CouplingEvidence& evidence);

/// Whether a subsystem asks for steps or a solver of its own.
bool any_has_own_solver(const description::FlatSystem& flat);

}  // namespace tandem::assemble
