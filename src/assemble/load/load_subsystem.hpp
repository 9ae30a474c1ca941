#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "assemble/load/table_source.hpp"
#include "description/flatten.hpp"
#include "fmi/import/fmu.hpp"
#include "kit/native_library.hpp"
#include "ode/host/hosted_ode.hpp"
#include "record/run_record.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem::assemble {

inline constexpr double default_tolerance = 1e-6;  ///< of solvers that nobody tells one

/// What all subsystems of a run share.
struct LoadOptions {
    std::optional<double> tolerance;      ///< of hosted solvers that do not say their own
    bool prefers_model_exchange = false;  ///< of FMUs that offer both and do not say their kind
    bool fmu_logging = false;
    bool input_laws = true;  ///< false: FMUs that take laws are as if they did not
    std::set<std::string> without_rollback = {};  ///< subsystems that are as if they had none
    /// Of subsystems whose source is a C++ class, by their names. They outlive the subsystems.
    std::map<std::string, const kit::ModelClass*> models = {};
    /// Gets a line for each FMI call: the instance and the call.
    std::function<void(const std::string& instance, const std::string& call)> on_call;
    /// One side of an event inside a step; variables of that subsystem can be read.
    std::function<void(double t, bool after)> on_event;
};

/// A subsystem and what it is made of. The library it needs outlives it.
struct LoadedSubsystem {
    std::shared_ptr<fmi::Fmu> fmu;                ///< null if it is not an FMU
    std::unique_ptr<kit::NativeLibrary> library;  ///< null if it is not native
    std::unique_ptr<Subsystem> subsystem;
    ode::HostedOde* hosted = nullptr;           ///< the subsystem, if it is one
    TableSource* table = nullptr;               ///< likewise
    std::string kind;                           ///< as in the record of a run
    std::string solver;                         ///< empty: its own
    Settings parameters;                        ///< set so far, in the variables' own units
    std::map<std::string, std::string> places;  ///< of the last value of each variable
    Settings settings;                          ///< of the solver, nominals: as the file says them

    /// Whether a parameter may be changed while the model runs.
    bool is_tunable(const std::string& parameter) const;
    /// What the subsystem's own files say about a unit.
    std::optional<UnitInBase> unit(const std::string& name) const;
};

/// Throws InputError for what cannot be loaded.
LoadedSubsystem load_subsystem(const description::FlatSubsystem& description,
                               const LoadOptions& options);

}  // namespace tandem::assemble
