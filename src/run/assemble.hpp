#pragma once

#include <memory>
#include <vector>

#include "base/options.hpp"
#include "base/run_record.hpp"
#include "core/system.hpp"
#include "core/typed_links.hpp"
#include "coupling/coupling.hpp"
#include "run/load_subsystem.hpp"

namespace tandem::run {

struct AssembleOptions {
    LoadOptions load;
    std::string method;                         ///< of coupling, instead of the file's; empty: that
    std::vector<GivenOption> coupling_options;  ///< beat those of the file
    std::vector<std::string> set;  ///< "subsystem.variable=value", beat the parameters of the file
    bool missing_sources_are_known = false;  ///< they are a finding already
};

/// A system that is loaded and linked, ready to be initialised.
struct Assembly {
    std::vector<LoadedSubsystem> parts;  ///< without the subsystems: those are in the system
    std::unique_ptr<System> system;
    std::unique_ptr<TypedLinks> typed_links;
    std::unique_ptr<coupling::Coupling> coupling;
    CouplingRecord coupling_record;
    std::vector<ConnectionRecord> connections;  ///< for the record of the run
    Diagnostics findings;                       ///< warnings
};

/// Loads every subsystem, sets its parameters, and compiles the connections. Throws InputErrors
/// with everything that is wrong.
Assembly assemble(const ssp::FlatSystem& flat, const AssembleOptions& options);

/// The same without throwing: errors are among the findings, and then there is no system.
Assembly try_assemble(const ssp::FlatSystem& flat, const AssembleOptions& options);

}  // namespace tandem::run
