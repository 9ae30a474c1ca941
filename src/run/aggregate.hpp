#pragma once

#include <memory>
#include <vector>

#include "ode/hosted_ode.hpp"
#include "run/load_subsystem.hpp"
#include "run/select_ports.hpp"

namespace tandem::run {

/// A system in which all models that can be are one.
struct Aggregation {
    std::vector<std::unique_ptr<Subsystem>> subsystems;  ///< the group first, then the others
    PortLinks links;                                     ///< between those
    ode::HostedOde* group = nullptr;                     ///< null: there was nothing to aggregate
    std::vector<Variables*> variables;                   ///< of each subsystem as it was listed
    std::vector<int> place;                              ///< of each: where it is now
};

/// Makes one ODE of all hosted models and tables, with what connects them. `parts` and `subsystems`
/// are in the order of the file; `links` count the ports that the subsystems have now.
Aggregation aggregate(std::vector<std::unique_ptr<Subsystem>> subsystems, PortLinks links,
                      std::vector<LoadedSubsystem>& parts, const ode::HostedOdeOptions& options);

}  // namespace tandem::run
