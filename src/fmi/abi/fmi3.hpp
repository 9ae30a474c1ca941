#pragma once

#include <cstddef>
#include <cstdint>

/// The C ABI of FMI 3.0. Function types bear the name of the standard without its prefix:
/// `fmi3DoStep` is DoStep.
namespace tandem::fmi::abi3 {

using Instance = void*;
using InstanceEnvironment = void*;
using FmuState = void*;
using ValueReference = std::uint32_t;
using Float32 = float;
using Float64 = double;
using Int8 = std::int8_t;
using UInt8 = std::uint8_t;
using Int16 = std::int16_t;
using UInt16 = std::uint16_t;
using Int32 = std::int32_t;
using UInt32 = std::uint32_t;
using Int64 = std::int64_t;
using UInt64 = std::uint64_t;
using Boolean = bool;
using Char = char;
using String = const Char*;
using Byte = std::uint8_t;
using Binary = const Byte*;
using Clock = bool;

enum class Status : int { ok, warning, discard, error, fatal };
enum class DependencyKind : int { independent, constant, fixed, tunable, discrete, dependent };
enum class IntervalQualifier : int { not_yet_known, unchanged, changed };

extern "C" {
using LogMessage = void (*)(InstanceEnvironment, Status, String category, String message);
using ClockUpdate = void (*)(InstanceEnvironment);
using IntermediateUpdate = void (*)(InstanceEnvironment, Float64 time, Boolean set_requested,
                                    Boolean get_allowed, Boolean step_finished,
                                    Boolean can_return_early, Boolean* early_return_requested,
                                    Float64* early_return_time);
using LockPreemption = void (*)();
using UnlockPreemption = void (*)();

// Common
using GetVersion = const char*();
using SetDebugLogging = Status(Instance, Boolean logging_on, std::size_t, const String* categories);
using InstantiateModelExchange = Instance(String instance_name, String instantiation_token,
                                          String resource_path, Boolean visible, Boolean logging_on,
                                          InstanceEnvironment, LogMessage);
using InstantiateCoSimulation = Instance(String instance_name, String instantiation_token,
                                         String resource_path, Boolean visible, Boolean logging_on,
                                         Boolean event_mode_used, Boolean early_return_allowed,
                                         const ValueReference* intermediate_variables, std::size_t,
                                         InstanceEnvironment, LogMessage, IntermediateUpdate);
using InstantiateScheduledExecution = Instance(String instance_name, String instantiation_token,
                                               String resource_path, Boolean visible,
                                               Boolean logging_on, InstanceEnvironment, LogMessage,
                                               ClockUpdate, LockPreemption, UnlockPreemption);
using FreeInstance = void(Instance);
using EnterInitializationMode = Status(Instance, Boolean tolerance_defined, Float64 tolerance,
                                       Float64 start, Boolean stop_defined, Float64 stop);
using ExitInitializationMode = Status(Instance);
using EnterEventMode = Status(Instance);
using Terminate = Status(Instance);
using Reset = Status(Instance);
using EnterConfigurationMode = Status(Instance);
using ExitConfigurationMode = Status(Instance);
}

// Values: references, their number, values, the number of values
template <class T>
using Get = Status(Instance, const ValueReference*, std::size_t, T*, std::size_t);
template <class T>
using Set = Status(Instance, const ValueReference*, std::size_t, const T*, std::size_t);
using GetFloat32 = Get<Float32>;
using GetFloat64 = Get<Float64>;
using GetInt8 = Get<Int8>;
using GetUInt8 = Get<UInt8>;
using GetInt16 = Get<Int16>;
using GetUInt16 = Get<UInt16>;
using GetInt32 = Get<Int32>;
using GetUInt32 = Get<UInt32>;
using GetInt64 = Get<Int64>;
using GetUInt64 = Get<UInt64>;
using GetBoolean = Get<Boolean>;
using GetString = Get<String>;
using GetBinary = Status(Instance, const ValueReference*, std::size_t, std::size_t* sizes, Binary*,
                         std::size_t);
using GetClock = Status(Instance, const ValueReference*, std::size_t, Clock*);
using SetFloat32 = Set<Float32>;
using SetFloat64 = Set<Float64>;
using SetInt8 = Set<Int8>;
using SetUInt8 = Set<UInt8>;
using SetInt16 = Set<Int16>;
using SetUInt16 = Set<UInt16>;
using SetInt32 = Set<Int32>;
using SetUInt32 = Set<UInt32>;
using SetInt64 = Set<Int64>;
using SetUInt64 = Set<UInt64>;
using SetBoolean = Set<Boolean>;
using SetString = Set<String>;
using SetBinary = Status(Instance, const ValueReference*, std::size_t, const std::size_t* sizes,
                         const Binary*, std::size_t);
using SetClock = Status(Instance, const ValueReference*, std::size_t, const Clock*);

extern "C" {
// Dependencies, state, derivatives
using GetNumberOfVariableDependencies = Status(Instance, ValueReference, std::size_t*);
using GetVariableDependencies = Status(Instance, ValueReference dependent,
                                       std::size_t* elements_of_dependent,
                                       ValueReference* independents,
                                       std::size_t* elements_of_independents, DependencyKind*,
                                       std::size_t);
using GetFmuState = Status(Instance, FmuState*);
using SetFmuState = Status(Instance, FmuState);
using FreeFmuState = Status(Instance, FmuState*);
using SerializedFmuStateSize = Status(Instance, FmuState, std::size_t*);
using SerializeFmuState = Status(Instance, FmuState, Byte*, std::size_t);
using DeserializeFmuState = Status(Instance, const Byte*, std::size_t, FmuState*);
using GetDirectionalDerivative = Status(Instance, const ValueReference* unknowns, std::size_t,
                                        const ValueReference* knowns, std::size_t,
                                        const Float64* seed, std::size_t, Float64* sensitivity,
                                        std::size_t);
using GetAdjointDerivative = Status(Instance, const ValueReference* unknowns, std::size_t,
                                    const ValueReference* knowns, std::size_t, const Float64* seed,
                                    std::size_t, Float64* sensitivity, std::size_t);

// Clocks and discrete states
using GetIntervalDecimal = Status(Instance, const ValueReference*, std::size_t, Float64*,
                                  IntervalQualifier*);
using GetIntervalFraction = Status(Instance, const ValueReference*, std::size_t, UInt64* counters,
                                   UInt64* resolutions, IntervalQualifier*);
using GetShiftDecimal = Status(Instance, const ValueReference*, std::size_t, Float64*);
using GetShiftFraction = Status(Instance, const ValueReference*, std::size_t, UInt64* counters,
                                UInt64* resolutions);
using SetIntervalDecimal = Status(Instance, const ValueReference*, std::size_t, const Float64*);
using SetIntervalFraction = Status(Instance, const ValueReference*, std::size_t,
                                   const UInt64* counters, const UInt64* resolutions);
using SetShiftDecimal = Status(Instance, const ValueReference*, std::size_t, const Float64*);
using SetShiftFraction = Status(Instance, const ValueReference*, std::size_t,
                                const UInt64* counters, const UInt64* resolutions);
using EvaluateDiscreteStates = Status(Instance);
using UpdateDiscreteStates = Status(Instance, Boolean* need_update, Boolean* terminate,
                                    Boolean* nominals_changed, Boolean* values_changed,
                                    Boolean* next_event_time_defined, Float64* next_event_time);

// Model Exchange
using EnterContinuousTimeMode = Status(Instance);
using CompletedIntegratorStep = Status(Instance, Boolean no_set_state_prior,
                                       Boolean* enter_event_mode, Boolean* terminate);
using SetTime = Status(Instance, Float64);
using SetContinuousStates = Status(Instance, const Float64*, std::size_t);
using GetContinuousStateDerivatives = Status(Instance, Float64*, std::size_t);
using GetEventIndicators = Status(Instance, Float64*, std::size_t);
using GetContinuousStates = Status(Instance, Float64*, std::size_t);
using GetNominalsOfContinuousStates = Status(Instance, Float64*, std::size_t);
using GetNumberOfEventIndicators = Status(Instance, std::size_t*);
using GetNumberOfContinuousStates = Status(Instance, std::size_t*);

// Co-Simulation
using EnterStepMode = Status(Instance);
using GetOutputDerivatives = Status(Instance, const ValueReference*, std::size_t,
                                    const Int32* orders, Float64*, std::size_t);
using DoStep = Status(Instance, Float64 current_point, Float64 step_size,
                      Boolean no_set_state_prior, Boolean* event_handling_needed,
                      Boolean* terminate, Boolean* early_return, Float64* last_successful_time);

// Scheduled Execution
using ActivateModelPartition = Status(Instance, ValueReference clock, Float64 activation_time);
}

}  // namespace tandem::fmi::abi3
