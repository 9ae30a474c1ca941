#pragma once

#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "assemble/choose.hpp"
#include "assemble/connect/aggregate.hpp"
#include "assemble/connect/connect.hpp"
#include "assemble/connect/lines.hpp"
#include "assemble/load/load_subsystem.hpp"
#include "assemble/load/select_ports.hpp"
#include "assemble/system_graph.hpp"
#include "base/refused_value.hpp"
#include "core/switches.hpp"
#include "core/typed_links.hpp"
#include "record/run_record.hpp"
#include "tandem/extend/coupling.hpp"
#include "tandem/extend/options.hpp"
#include "tandem/extend/system.hpp"

namespace tandem::assemble {

struct AssembleOptions {
    LoadOptions load;
    EventListener on_event = {};
    GivenMethod coupling, step_control;
    std::vector<std::string> set;  ///< "subsystem.variable=value", beat the parameters of the file
    KeptPorts ports = KeptPorts::connected;
    std::vector<std::size_t> as_model_exchange = {};  ///< by KindChoice; the file does not say
    bool missing_sources_are_known = false;           ///< they are a finding already
    bool keeps_apart = false;  ///< to look at it: what would be aggregated stays as listed
};

/// A system that is loaded and linked, ready to be initialised.
struct Assembly {
    std::vector<LoadedSubsystem> parts;  ///< without the subsystems: those are in the system
    std::vector<Member> members;         ///< where each part is in the system
    /// Parts with outputs that feed nothing and follow a connected input by direct feedthrough.
    std::vector<std::size_t> followers;
    std::vector<PlacedTable> tables;
    std::vector<ode::HostedOde*> groups;  ///< made of several parts
    std::unique_ptr<Switches> switches;   ///< of the functions of the system
    std::unique_ptr<System> system;
    std::unique_ptr<TypedLinks> typed_links;
    std::unique_ptr<coupling::Coupling> coupling;
    coupling::Choice coupling_choice;            ///< what `coupling` was made from
    std::vector<std::size_t> as_model_exchange;  ///< parts that offer both kinds, by KindChoice
    bool coupling_is_decided = false;            ///< it was not said but decided, or a default
    CouplingRecord coupling_record;
    stepsize::Control control;
    CouplingRecord control_record;
    std::vector<stepsize::PowerBond> bonds;  ///< between subsystems of the system
    Lines lines;
    std::vector<int> ratios;                    ///< steps of each subsystem in one macro step
    SystemGraph graph;                          ///< of the parts
    std::vector<ConnectionRecord> connections;  ///< for the record of the run
    std::vector<FunctionRecord> functions;      ///< likewise
    std::set<FedElement> fed;                   ///< inputs that something is connected to
    Diagnostics findings;                       ///< warnings
};

/// Loads every subsystem, sets its parameters, and compiles the connections. Everything wrong is
/// among the findings; with errors there is no system.
Assembly assemble(const description::FlatSystem& flat, const AssembleOptions& options);

/// A start value that was refused, at the place that gives it.
InputError refused_value(const RefusedValue& error, const Assembly& assembly);

/// Before the initialisation: lines have room for macro steps of this length. If that is too long
/// for a delay it is an error.
void expect_line_steps(Assembly& assembly, double step, Diagnostics& findings);

}  // namespace tandem::assemble
