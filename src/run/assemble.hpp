#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/options.hpp"
#include "base/run_record.hpp"
#include "core/system.hpp"
#include "core/typed_links.hpp"
#include "coupling/coupling.hpp"
#include "run/load_subsystem.hpp"
#include "run/select_ports.hpp"

namespace tandem::run {

struct AssembleOptions {
    LoadOptions load;
    /// One side of an event inside a step; variables of that subsystem can be read.
    std::function<void(std::size_t subsystem, double t, bool after)> on_event = {};
    std::string method;                         ///< of coupling, instead of the file's; empty: that
    std::vector<GivenOption> coupling_options;  ///< beat those of the file
    std::vector<std::string> set;  ///< "subsystem.variable=value", beat the parameters of the file
    FreeInputs free_inputs = FreeInputs::drop;
    bool missing_sources_are_known = false;  ///< they are a finding already
};

/// A system that is loaded and linked, ready to be initialised.
struct Assembly {
    std::vector<LoadedSubsystem> parts;  ///< without the subsystems: those are in the system
    std::vector<std::size_t> tables;     ///< those of them that are tables
    std::unique_ptr<System> system;
    std::unique_ptr<TypedLinks> typed_links;
    std::unique_ptr<coupling::Coupling> coupling;
    CouplingRecord coupling_record;
    std::vector<ConnectionRecord> connections;  ///< for the record of the run
    Diagnostics findings;                       ///< warnings
};

bool has_errors(const Diagnostics& findings);

/// Loads every subsystem, sets its parameters, and compiles the connections. Everything wrong is
/// among the findings; with errors there is no system.
Assembly assemble(const ssp::FlatSystem& flat, const AssembleOptions& options);

}  // namespace tandem::run
