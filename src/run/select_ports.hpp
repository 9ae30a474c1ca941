#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/system.hpp"
#include "core/typed_links.hpp"
#include "ode/group_events.hpp"

namespace tandem::run {

/// What feeds what, by positions among all ports of all subsystems.
struct PortLinks {
    std::vector<Link> links;
    std::vector<FunctionLink> functions;
    std::vector<TypedLink> typed;
    std::vector<ode::GroupEvent> events = {};  ///< of models that are aggregated
};

enum class KeptPorts {
    connected,  ///< only what is connected
    inputs,     ///< and inputs that nothing feeds, for somebody who sets them
    all,        ///< and outputs that feed nothing, for somebody who looks at them
};

/// Tells each subsystem which of its ports are wanted, and renumbers the links accordingly.
void select_connected_ports(std::span<const std::unique_ptr<Subsystem>> subsystems, KeptPorts ports,
                            PortLinks& connected);

}  // namespace tandem::run
