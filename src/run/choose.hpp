#pragma once

#include <string>
#include <vector>

#include "base/options.hpp"
#include "base/run_record.hpp"
#include "core/graph.hpp"
#include "coupling/catalog.hpp"
#include "run/load_subsystem.hpp"
#include "ssp/flatten.hpp"
#include "stepsize/catalog.hpp"

namespace tandem::run {

/// An algorithm chosen on the command line; it and its options beat those of the file.
struct GivenMethod {
    std::string method = {};  ///< empty: as the file says
    std::vector<GivenOption> options = {};
};

/// What a model says about its own solver, which counts only where it has one.
std::vector<const ssp::Setting*> own_solver(const ssp::FlatSubsystem& subsystem);

/// How the subsystems are coupled, and why.
struct ChosenCoupling {
    coupling::Choice choice;
    CouplingRecord record;
    /// How subsystems are stepped was not said but decided, or a default.
    bool is_decided_here = false;
};

/// `flows` are the connections of real ports between the subsystems as listed. The method "auto",
/// and none, is decided here: by what the subsystems are and can do, and by what goes round.
ChosenCoupling choose_coupling(const ssp::FlatSystem& flat,
                               const std::vector<LoadedSubsystem>& parts, const Graph& flows,
                               const GivenMethod& given);

/// Of all couplings, as files and the command line name them; "auto" aside.
std::vector<std::string> coupling_names();

stepsize::ControlChoice choose_step_control(const ssp::FlatSystem& flat, const GivenMethod& given);

}  // namespace tandem::run
