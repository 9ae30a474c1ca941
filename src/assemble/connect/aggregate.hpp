#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assemble/load/load_subsystem.hpp"
#include "assemble/load/select_ports.hpp"
#include "core/member.hpp"
#include "ode/group/ode_group.hpp"
#include "ode/host/hosted_ode.hpp"

namespace tandem::assemble {

/// A table and its place in the System; -1 for one inside a group, which meets its own jumps.
struct PlacedTable {
    TableSource* table = nullptr;
    int place = -1;
};

/// One side of an event inside a step of these, as they were listed; their variables can be read.
using EventListener =
    std::function<void(std::span<const std::size_t> members, double t, bool after)>;

/// Which models become one differential equation.
enum class Clusters {
    none,
    all,     ///< all that can be
    cycles,  ///< those that feed each other; what goes one way only stays sampled
};

struct AggregateOptions {
    Clusters clusters = Clusters::none;
    bool keeps_apart = false;  ///< to look at it: all stay as listed
    KeptPorts ports = KeptPorts::connected;
    ode::HostedOdeOptions host;  ///< of each equation; its events go to `on_event`
    EventListener on_event;
};

/// A system put together.
struct Aggregation {
    std::vector<std::unique_ptr<Subsystem>> subsystems;  ///< groups first, then the others
    PortLinks links;                                     ///< between those
    std::vector<ode::HostedOde*> groups;
    std::vector<Member> members;  ///< one for each subsystem as it was listed
    std::vector<PlacedTable> tables;
    /// Models, as listed, of which the first feeds the second but which Clusters::all keeps in two
    /// equations: sampled values go from one to the other.
    std::vector<std::pair<int, int>> apart;
};

/// Makes differential equations of the hosted models, with everything between them and the tables
/// that feed them. `subsystems` and `parts` are in the order of the file; `links` and `events`
/// count the ports and subsystems as they are now.
Aggregation aggregate(std::vector<std::unique_ptr<Subsystem>> subsystems,
                      const std::vector<LoadedSubsystem>& parts, PortLinks links,
                      const AggregateOptions& options);

}  // namespace tandem::assemble
