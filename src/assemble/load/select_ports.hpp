#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "core/typed_links.hpp"
#include "ode/group/group_events.hpp"
#include "tandem/extend/system.hpp"

namespace tandem::assemble {

/// The ports of one end of a transmission line; see coupling::TlmPorts.
struct LineEndPorts {
    std::vector<int> flows, orientation;              ///< outputs
    std::vector<int> efforts, times, points, slopes;  ///< inputs
    std::vector<VariableElement> position;            ///< to look at; nothing: not named

    std::array<std::vector<int>*, 2> outputs() { return {&flows, &orientation}; }
    std::array<std::vector<int>*, 4> inputs() { return {&efforts, &times, &points, &slopes}; }
};

/// What feeds what, by positions among all ports of all subsystems.
struct PortLinks {
    std::vector<Link> links;
    std::vector<FunctionLink> functions;
    std::vector<TypedLink> typed;
    std::vector<ode::GroupEvent> events = {};  ///< of models that are aggregated
    std::vector<LineEndPorts> line_ends = {};  ///< two for each line
};

enum class KeptPorts {
    connected,  ///< only what is connected
    inputs,     ///< and inputs that nothing feeds, for somebody who sets them
    all,        ///< and outputs that feed nothing, for somebody who looks at them
};

/// Tells each subsystem which of its ports are wanted, and renumbers the links accordingly. Returns
/// those with an output that feeds nothing and follows a connected input by direct feedthrough.
std::vector<std::size_t> select_connected_ports(
    std::span<const std::unique_ptr<Subsystem>> subsystems, KeptPorts ports, PortLinks& connected);

}  // namespace tandem::assemble
