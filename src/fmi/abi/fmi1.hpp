#pragma once

#include <cstddef>

/// The C ABI of FMI 1.0, Model Exchange and Co-Simulation. Function types bear the name of the
/// standard without its prefix: `fmiDoStep` is DoStep. The symbols in a library are
/// `<modelIdentifier>_fmi...`.
namespace tandem::fmi::abi1 {

using Component = void*;
using ValueReference = unsigned int;
using Real = double;
using Integer = int;
using Boolean = char;
using String = const char*;

inline constexpr ValueReference undefined_reference = static_cast<ValueReference>(-1);

/// `pending` is known to Co-Simulation only.
enum class Status : int { ok, warning, discard, error, fatal, pending };
enum class StatusKind : int { do_step_status, pending_status, last_successful_time };

extern "C" {
using Logger = void (*)(Component, String instance_name, Status, String category, String message,
                        ...);
using AllocateMemory = void* (*)(std::size_t count, std::size_t size);
using FreeMemory = void (*)(void*);
using StepFinished = void (*)(Component, Status);
}

/// Passed by value.
struct CallbackFunctionsMe {
    Logger logger;
    AllocateMemory allocate_memory;
    FreeMemory free_memory;
};
struct CallbackFunctionsCs {
    Logger logger;
    AllocateMemory allocate_memory;
    FreeMemory free_memory;
    StepFinished step_finished;
};

struct EventInfo {
    Boolean iteration_converged;
    Boolean state_value_references_changed;
    Boolean state_values_changed;
    Boolean terminate_simulation;
    Boolean upcoming_time_event;
    Real next_event_time;
};

extern "C" {
// Common
using GetVersion = const char*();
using SetDebugLogging = Status(Component, Boolean logging_on);
using GetReal = Status(Component, const ValueReference*, std::size_t, Real*);
using GetInteger = Status(Component, const ValueReference*, std::size_t, Integer*);
using GetBoolean = Status(Component, const ValueReference*, std::size_t, Boolean*);
using GetString = Status(Component, const ValueReference*, std::size_t, String*);
using SetReal = Status(Component, const ValueReference*, std::size_t, const Real*);
using SetInteger = Status(Component, const ValueReference*, std::size_t, const Integer*);
using SetBoolean = Status(Component, const ValueReference*, std::size_t, const Boolean*);
using SetString = Status(Component, const ValueReference*, std::size_t, const String*);

// Model Exchange
using GetModelTypesPlatform = const char*();
using InstantiateModel = Component(String instance_name, String guid, CallbackFunctionsMe,
                                   Boolean logging_on);
using FreeModelInstance = void(Component);
using SetTime = Status(Component, Real);
using SetContinuousStates = Status(Component, const Real*, std::size_t);
using CompletedIntegratorStep = Status(Component, Boolean* call_event_update);
using Initialize = Status(Component, Boolean tolerance_controlled, Real relative_tolerance,
                          EventInfo*);
using GetDerivatives = Status(Component, Real*, std::size_t);
using GetEventIndicators = Status(Component, Real*, std::size_t);
using EventUpdate = Status(Component, Boolean intermediate_results, EventInfo*);
using GetContinuousStates = Status(Component, Real*, std::size_t);
using GetNominalContinuousStates = Status(Component, Real*, std::size_t);
using GetStateValueReferences = Status(Component, ValueReference*, std::size_t);
using Terminate = Status(Component);

// Co-Simulation
using GetTypesPlatform = const char*();
using InstantiateSlave = Component(String instance_name, String guid, String fmu_location,
                                   String mime_type, Real timeout, Boolean visible,
                                   Boolean interactive, CallbackFunctionsCs, Boolean logging_on);
using InitializeSlave = Status(Component, Real start, Boolean stop_defined, Real stop);
using TerminateSlave = Status(Component);
using ResetSlave = Status(Component);
using FreeSlaveInstance = void(Component);
using SetRealInputDerivatives = Status(Component, const ValueReference*, std::size_t,
                                       const Integer* orders, const Real*);
using GetRealOutputDerivatives = Status(Component, const ValueReference*, std::size_t,
                                        const Integer* orders, Real*);
using DoStep = Status(Component, Real current_point, Real step_size, Boolean new_step);
using CancelStep = Status(Component);
using GetStatus = Status(Component, StatusKind, Status*);
using GetRealStatus = Status(Component, StatusKind, Real*);
using GetIntegerStatus = Status(Component, StatusKind, Integer*);
using GetBooleanStatus = Status(Component, StatusKind, Boolean*);
using GetStringStatus = Status(Component, StatusKind, String*);
}

}  // namespace tandem::fmi::abi1
