#pragma once

#include <string>
#include <vector>

#include "assemble/rank_couplings.hpp"
#include "coupling/catalog/catalog.hpp"
#include "description/flatten.hpp"
#include "record/run_record.hpp"
#include "stepsize/catalog.hpp"
#include "tandem/extend/options.hpp"

namespace tandem::assemble {

/// An algorithm chosen on the command line; it and its options beat those of the file.
struct GivenMethod {
    std::string method = {};  ///< empty: as the file says
    std::vector<GivenOption> options = {};
};

/// What a model says about its own solver, which counts only where it has one.
std::vector<const description::Setting*> own_solver(const description::FlatSubsystem& subsystem);

/// How the subsystems are coupled, and why.
struct ChosenCoupling {
    coupling::Choice choice;
    CouplingRecord record;
    /// How subsystems are stepped was not said but decided, or a default.
    bool is_decided_here = false;
};

/// The method "auto", and none, is decided here: see rank_couplings().
ChosenCoupling choose_coupling(const CouplingEvidence& evidence, const GivenMethod& given);

/// Whether "auto" decides, and nothing that is asked for speaks against one equation of all models.
bool may_aggregate(const description::FlatSystem& flat, const GivenMethod& given);

/// Of all couplings, as files and the command line name them; "auto" aside.
std::vector<std::string> coupling_names();

stepsize::ControlChoice choose_step_control(const description::FlatSystem& flat,
                                            const GivenMethod& given);

}  // namespace tandem::assemble
