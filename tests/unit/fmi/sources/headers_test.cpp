#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <type_traits>

#include "fmi/abi/fmi1.hpp"
#include "fmi/abi/fmi2.hpp"
#include "fmi/abi/fmi3.hpp"
#include "fmi/sources/headers/fmi2Functions.h"
#include "fmi/sources/headers/fmi3Functions.h"

// The two headers of FMI 1.0 exclude each other.
namespace me {
#define MODEL_IDENTIFIER Me
#include "fmi/sources/headers/fmiModelFunctions.h"
}  // namespace me
namespace cs {
#undef MODEL_IDENTIFIER
#define MODEL_IDENTIFIER Cs
#include "fmi/sources/headers/fmiFunctions.h"
}  // namespace cs

namespace tandem::fmi {
namespace {

/// A type as the caller of a C function sees it: enumerations are int, structures are their size.
template <std::size_t Size>
struct Bytes;

template <class T>
struct Plain {
    using type = std::conditional_t<std::is_enum_v<T>, int, T>;
};
template <class T>
requires std::is_class_v<T>
struct Plain<T> {
    using type = Bytes<sizeof(T)>;
};
template <class T>
struct Plain<const T> {
    using type = const typename Plain<T>::type;
};
template <class T>
struct Plain<T*> {
    using type = typename Plain<T>::type*;
};
template <class R, class... Args>
struct Plain<R(Args...)> {
    using type = typename Plain<R>::type(typename Plain<Args>::type*...);
};
template <class R, class... Args>
struct Plain<R(Args..., ...)> {
    using type = typename Plain<R>::type(typename Plain<Args>::type*..., ...);
};

template <class A, class B>
constexpr bool same = std::is_same_v<typename Plain<A>::type, typename Plain<B>::type>;

#define SAME_ME(name) static_assert(same<decltype(me::Me_fmi##name), abi1::name>, #name)
#define SAME_CS(name) static_assert(same<decltype(cs::Cs_fmi##name), abi1::name>, #name)
#define SAME_2(name, ours) static_assert(same<fmi2##name##TYPE, abi2::ours>, #name)
#define SAME_3(name, ours) static_assert(same<fmi3##name##TYPE, abi3::ours>, #name)

SAME_ME(GetModelTypesPlatform);
SAME_ME(GetVersion);
SAME_ME(InstantiateModel);
SAME_ME(FreeModelInstance);
SAME_ME(SetDebugLogging);
SAME_ME(GetReal);
SAME_ME(GetInteger);
SAME_ME(GetBoolean);
SAME_ME(GetString);
SAME_ME(SetReal);
SAME_ME(SetInteger);
SAME_ME(SetBoolean);
SAME_ME(SetString);
SAME_ME(SetTime);
SAME_ME(SetContinuousStates);
SAME_ME(CompletedIntegratorStep);
SAME_ME(Initialize);
SAME_ME(GetDerivatives);
SAME_ME(GetEventIndicators);
SAME_ME(GetContinuousStates);
SAME_ME(GetNominalContinuousStates);
SAME_ME(EventUpdate);
SAME_ME(GetStateValueReferences);
SAME_ME(Terminate);

SAME_CS(GetTypesPlatform);
SAME_CS(GetVersion);
SAME_CS(InstantiateSlave);
SAME_CS(InitializeSlave);
SAME_CS(TerminateSlave);
SAME_CS(ResetSlave);
SAME_CS(FreeSlaveInstance);
SAME_CS(SetDebugLogging);
SAME_CS(GetReal);
SAME_CS(GetInteger);
SAME_CS(GetBoolean);
SAME_CS(GetString);
SAME_CS(SetReal);
SAME_CS(SetInteger);
SAME_CS(SetBoolean);
SAME_CS(SetString);
SAME_CS(SetRealInputDerivatives);
SAME_CS(GetRealOutputDerivatives);
SAME_CS(DoStep);
SAME_CS(CancelStep);
SAME_CS(GetStatus);
SAME_CS(GetRealStatus);
SAME_CS(GetIntegerStatus);
SAME_CS(GetBooleanStatus);
SAME_CS(GetStringStatus);

SAME_2(GetTypesPlatform, GetTypesPlatform);
SAME_2(GetVersion, GetVersion);
SAME_2(SetDebugLogging, SetDebugLogging);
SAME_2(Instantiate, Instantiate);
SAME_2(FreeInstance, FreeInstance);
SAME_2(SetupExperiment, SetupExperiment);
SAME_2(EnterInitializationMode, EnterInitializationMode);
SAME_2(ExitInitializationMode, ExitInitializationMode);
SAME_2(Terminate, Terminate);
SAME_2(Reset, Reset);
SAME_2(GetReal, GetReal);
SAME_2(GetInteger, GetInteger);
SAME_2(GetBoolean, GetBoolean);
SAME_2(GetString, GetString);
SAME_2(SetReal, SetReal);
SAME_2(SetInteger, SetInteger);
SAME_2(SetBoolean, SetBoolean);
SAME_2(SetString, SetString);
SAME_2(GetFMUstate, GetFmuState);
SAME_2(SetFMUstate, SetFmuState);
SAME_2(FreeFMUstate, FreeFmuState);
SAME_2(SerializedFMUstateSize, SerializedFmuStateSize);
SAME_2(SerializeFMUstate, SerializeFmuState);
SAME_2(DeSerializeFMUstate, DeSerializeFmuState);
SAME_2(GetDirectionalDerivative, GetDirectionalDerivative);
SAME_2(EnterEventMode, EnterEventMode);
SAME_2(NewDiscreteStates, NewDiscreteStates);
SAME_2(EnterContinuousTimeMode, EnterContinuousTimeMode);
SAME_2(CompletedIntegratorStep, CompletedIntegratorStep);
SAME_2(SetTime, SetTime);
SAME_2(SetContinuousStates, SetContinuousStates);
SAME_2(GetDerivatives, GetDerivatives);
SAME_2(GetEventIndicators, GetEventIndicators);
SAME_2(GetContinuousStates, GetContinuousStates);
SAME_2(GetNominalsOfContinuousStates, GetNominalsOfContinuousStates);
SAME_2(SetRealInputDerivatives, SetRealInputDerivatives);
SAME_2(GetRealOutputDerivatives, GetRealOutputDerivatives);
SAME_2(DoStep, DoStep);
SAME_2(CancelStep, CancelStep);
SAME_2(GetStatus, GetStatus);
SAME_2(GetRealStatus, GetRealStatus);
SAME_2(GetIntegerStatus, GetIntegerStatus);
SAME_2(GetBooleanStatus, GetBooleanStatus);
SAME_2(GetStringStatus, GetStringStatus);

SAME_3(GetVersion, GetVersion);
SAME_3(SetDebugLogging, SetDebugLogging);
SAME_3(InstantiateModelExchange, InstantiateModelExchange);
SAME_3(InstantiateCoSimulation, InstantiateCoSimulation);
SAME_3(InstantiateScheduledExecution, InstantiateScheduledExecution);
SAME_3(FreeInstance, FreeInstance);
SAME_3(EnterInitializationMode, EnterInitializationMode);
SAME_3(ExitInitializationMode, ExitInitializationMode);
SAME_3(EnterEventMode, EnterEventMode);
SAME_3(Terminate, Terminate);
SAME_3(Reset, Reset);
SAME_3(GetFloat32, GetFloat32);
SAME_3(GetFloat64, GetFloat64);
SAME_3(GetInt8, GetInt8);
SAME_3(GetUInt8, GetUInt8);
SAME_3(GetInt16, GetInt16);
SAME_3(GetUInt16, GetUInt16);
SAME_3(GetInt32, GetInt32);
SAME_3(GetUInt32, GetUInt32);
SAME_3(GetInt64, GetInt64);
SAME_3(GetUInt64, GetUInt64);
SAME_3(GetBoolean, GetBoolean);
SAME_3(GetString, GetString);
SAME_3(GetBinary, GetBinary);
SAME_3(GetClock, GetClock);
SAME_3(SetFloat32, SetFloat32);
SAME_3(SetFloat64, SetFloat64);
SAME_3(SetInt8, SetInt8);
SAME_3(SetUInt8, SetUInt8);
SAME_3(SetInt16, SetInt16);
SAME_3(SetUInt16, SetUInt16);
SAME_3(SetInt32, SetInt32);
SAME_3(SetUInt32, SetUInt32);
SAME_3(SetInt64, SetInt64);
SAME_3(SetUInt64, SetUInt64);
SAME_3(SetBoolean, SetBoolean);
SAME_3(SetString, SetString);
SAME_3(SetBinary, SetBinary);
SAME_3(SetClock, SetClock);
SAME_3(GetNumberOfVariableDependencies, GetNumberOfVariableDependencies);
SAME_3(GetVariableDependencies, GetVariableDependencies);
SAME_3(GetFMUState, GetFmuState);
SAME_3(SetFMUState, SetFmuState);
SAME_3(FreeFMUState, FreeFmuState);
SAME_3(SerializedFMUStateSize, SerializedFmuStateSize);
SAME_3(SerializeFMUState, SerializeFmuState);
SAME_3(DeserializeFMUState, DeserializeFmuState);
SAME_3(GetDirectionalDerivative, GetDirectionalDerivative);
SAME_3(GetAdjointDerivative, GetAdjointDerivative);
SAME_3(EnterConfigurationMode, EnterConfigurationMode);
SAME_3(ExitConfigurationMode, ExitConfigurationMode);
SAME_3(GetIntervalDecimal, GetIntervalDecimal);
SAME_3(GetIntervalFraction, GetIntervalFraction);
SAME_3(GetShiftDecimal, GetShiftDecimal);
SAME_3(GetShiftFraction, GetShiftFraction);
SAME_3(SetIntervalDecimal, SetIntervalDecimal);
SAME_3(SetIntervalFraction, SetIntervalFraction);
SAME_3(SetShiftDecimal, SetShiftDecimal);
SAME_3(SetShiftFraction, SetShiftFraction);
SAME_3(EvaluateDiscreteStates, EvaluateDiscreteStates);
SAME_3(UpdateDiscreteStates, UpdateDiscreteStates);
SAME_3(EnterContinuousTimeMode, EnterContinuousTimeMode);
SAME_3(CompletedIntegratorStep, CompletedIntegratorStep);
SAME_3(SetTime, SetTime);
SAME_3(SetContinuousStates, SetContinuousStates);
SAME_3(GetContinuousStateDerivatives, GetContinuousStateDerivatives);
SAME_3(GetEventIndicators, GetEventIndicators);
SAME_3(GetContinuousStates, GetContinuousStates);
SAME_3(GetNominalsOfContinuousStates, GetNominalsOfContinuousStates);
SAME_3(GetNumberOfEventIndicators, GetNumberOfEventIndicators);
SAME_3(GetNumberOfContinuousStates, GetNumberOfContinuousStates);
SAME_3(EnterStepMode, EnterStepMode);
SAME_3(GetOutputDerivatives, GetOutputDerivatives);
SAME_3(DoStep, DoStep);
SAME_3(ActivateModelPartition, ActivateModelPartition);

TEST(InterfaceHeaders, agree_with_the_interface_of_the_importer) {
    EXPECT_EQ(offsetof(fmi2EventInfo, nextEventTime), offsetof(abi2::EventInfo, next_event_time));
    EXPECT_EQ(offsetof(me::fmiEventInfo, nextEventTime),
              offsetof(abi1::EventInfo, next_event_time));
    EXPECT_EQ(static_cast<int>(fmi2Pending), static_cast<int>(abi2::Status::pending));
    EXPECT_EQ(static_cast<int>(fmi2Terminated), static_cast<int>(abi2::StatusKind::terminated));
    EXPECT_EQ(static_cast<int>(fmi3Fatal), static_cast<int>(abi3::Status::fatal));
    EXPECT_EQ(static_cast<int>(fmi3Dependent), static_cast<int>(abi3::DependencyKind::dependent));
    EXPECT_EQ(static_cast<int>(fmi3IntervalChanged),
              static_cast<int>(abi3::IntervalQualifier::changed));
    EXPECT_EQ(static_cast<int>(cs::fmiPending), static_cast<int>(abi1::Status::pending));
    EXPECT_EQ(static_cast<int>(cs::fmiLastSuccessfulTime),
              static_cast<int>(abi1::StatusKind::last_successful_time));
}

}  // namespace
}  // namespace tandem::fmi
