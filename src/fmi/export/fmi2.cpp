#include "fmi/abi/fmi2.hpp"

#include "fmi/export/shell.hpp"

namespace tandem::fmi::exporting {
namespace {

using namespace abi2;
using fmi::Status;

abi2::Status to_abi(Status status) { return static_cast<abi2::Status>(status); }

template <class Body>
abi2::Status run(Component c, const char* function, Modes allowed, Body&& body) noexcept {
    return to_abi(call(c, function, allowed, std::forward<Body>(body)));
}

InstanceOptions options_of(String name, const CallbackFunctions* callbacks, Boolean logging_on) {
    InstanceOptions options;
    options.fmu_logging = logging_on != 0;
    if (callbacks == nullptr || callbacks->logger == nullptr) return options;
    options.on_message = [logger = callbacks->logger, environment = callbacks->environment,
                          instance = std::string(name == nullptr ? "" : name)](
                             Status status, const std::string& category, const std::string& text) {
        logger(environment, instance.c_str(), to_abi(status), category.c_str(), "%s", text.c_str());
    };
    return options;
}

template <class T>
abi2::Status answer(Component c, const char* function, StatusKind kind, StatusKind known, T* value,
                    T (*read)(const Shell&)) noexcept {
    return run(c, function, alive, [&](Shell& shell) {
        if (kind != known) return Status::discard;
        required(value) = read(shell);
        return Status::ok;
    });
}

}  // namespace
}  // namespace tandem::fmi::exporting

using namespace tandem::fmi::abi2;  // NOLINT: the C functions live outside namespaces
namespace ex = tandem::fmi::exporting;
using ex::Mode;
using ex::Shell;
using FmuStatus = tandem::fmi::Status;

TANDEM_EXPORT const char* fmi2GetTypesPlatform() { return "default"; }
TANDEM_EXPORT const char* fmi2GetVersion() { return "2.0"; }

TANDEM_EXPORT Status fmi2SetDebugLogging(Component c, Boolean on, std::size_t, const String*) {
    return ex::run(c, "fmi2SetDebugLogging", ex::alive,
                   [&](Shell& shell) { shell.options.fmu_logging = on != 0; });
}

TANDEM_EXPORT Component fmi2Instantiate(String name, Type type, String guid, String resources,
                                        const CallbackFunctions* callbacks, Boolean,
                                        Boolean logging_on) {
    const auto kind = type == Type::model_exchange ? tandem::fmi::Kind::model_exchange
                                                   : tandem::fmi::Kind::co_simulation;
    return ex::instantiate({tandem::fmi::Version::v2, kind, name, guid, ex::path_of_uri(resources),
                            ex::options_of(name, callbacks, logging_on)});
}

TANDEM_EXPORT void fmi2FreeInstance(Component c) { delete static_cast<Shell*>(c); }

TANDEM_EXPORT Status fmi2SetupExperiment(Component c, Boolean tolerance_defined, Real tolerance,
                                         Real start, Boolean stop_defined, Real stop) {
    return ex::run(c, "fmi2SetupExperiment", Mode::instantiated, [&](Shell& shell) {
        shell.experiment.start = start;
        if (tolerance_defined != 0) shell.experiment.tolerance = tolerance;
        if (stop_defined != 0) shell.experiment.stop = stop;
    });
}

TANDEM_EXPORT Status fmi2EnterInitializationMode(Component c) {
    return ex::run(c, "fmi2EnterInitializationMode", Mode::instantiated, [](Shell& shell) {
        shell.instance->enter_initialization(shell.experiment);
        shell.mode = Mode::initialization;
    });
}

TANDEM_EXPORT Status fmi2ExitInitializationMode(Component c) {
    return ex::run(c, "fmi2ExitInitializationMode", Mode::initialization,
                   [](Shell& shell) { ex::leave_initialization(shell); });
}

TANDEM_EXPORT Status fmi2Terminate(Component c) {
    return ex::run(c, "fmi2Terminate", ex::running, [](Shell& shell) {
        shell.mode = Mode::terminated;
        shell.instance->terminate();
    });
}

TANDEM_EXPORT Status fmi2Reset(Component c) {
    return ex::run(c, "fmi2Reset", ex::alive, [](Shell& shell) {
        shell.instance->reset();
        shell.experiment = {};
        shell.mode = Mode::instantiated;
    });
}

TANDEM_EXPORT Status fmi2GetReal(Component c, const ValueReference* r, std::size_t n, Real* v) {
    return ex::to_abi(ex::get_reals(c, r, n, v));
}
TANDEM_EXPORT Status fmi2GetInteger(Component c, const ValueReference* r, std::size_t n,
                                    Integer* v) {
    return ex::to_abi(ex::get_integers(c, r, n, v));
}
TANDEM_EXPORT Status fmi2GetBoolean(Component c, const ValueReference* r, std::size_t n,
                                    Boolean* v) {
    return ex::to_abi(ex::get_booleans(c, r, n, v));
}
TANDEM_EXPORT Status fmi2GetString(Component c, const ValueReference* r, std::size_t n, String* v) {
    return ex::to_abi(ex::get_strings(c, r, n, v));
}
TANDEM_EXPORT Status fmi2SetReal(Component c, const ValueReference* r, std::size_t n,
                                 const Real* v) {
    return ex::to_abi(ex::set_reals(c, r, n, v));
}
TANDEM_EXPORT Status fmi2SetInteger(Component c, const ValueReference* r, std::size_t n,
                                    const Integer* v) {
    return ex::to_abi(ex::set_integers(c, r, n, v));
}
TANDEM_EXPORT Status fmi2SetBoolean(Component c, const ValueReference* r, std::size_t n,
                                    const Boolean* v) {
    return ex::to_abi(ex::set_booleans(c, r, n, v));
}
TANDEM_EXPORT Status fmi2SetString(Component c, const ValueReference* r, std::size_t n,
                                   const String* v) {
    return ex::to_abi(ex::set_strings(c, r, n, v));
}

TANDEM_EXPORT Status fmi2GetFMUstate(Component c, FmuState* state) {
    return ex::to_abi(ex::get_state(c, state));
}
TANDEM_EXPORT Status fmi2SetFMUstate(Component c, FmuState state) {
    return ex::to_abi(ex::set_state(c, state));
}
TANDEM_EXPORT Status fmi2FreeFMUstate(Component c, FmuState* state) {
    return ex::to_abi(ex::free_state(c, state));
}
TANDEM_EXPORT Status fmi2SerializedFMUstateSize(Component c, FmuState state, std::size_t* size) {
    return ex::to_abi(ex::state_size(c, state, size));
}
TANDEM_EXPORT Status fmi2SerializeFMUstate(Component c, FmuState state, Byte* bytes,
                                           std::size_t size) {
    return ex::to_abi(ex::serialize_state(c, state, bytes, size));
}
TANDEM_EXPORT Status fmi2DeSerializeFMUstate(Component c, const Byte* bytes, std::size_t size,
                                             FmuState* state) {
    return ex::to_abi(ex::deserialize_state(c, bytes, size, state));
}

TANDEM_EXPORT Status fmi2GetDirectionalDerivative(Component c, const ValueReference* unknowns,
                                                  std::size_t n_unknowns,
                                                  const ValueReference* knowns,
                                                  std::size_t n_knowns, const Real* seed,
                                                  Real* sensitivity) {
    constexpr ex::Modes allowed = Mode::initialization | ex::running;
    return ex::run(c, "fmi2GetDirectionalDerivative", allowed, [&](Shell& shell) {
        shell.instance->directional_derivative(ex::list(unknowns, n_unknowns),
                                               ex::list(knowns, n_knowns), ex::list(seed, n_knowns),
                                               ex::list(sensitivity, n_unknowns));
    });
}

TANDEM_EXPORT Status fmi2EnterEventMode(Component c) {
    return ex::run(c, "fmi2EnterEventMode", Mode::event | Mode::continuous, [](Shell& shell) {
        shell.instance->enter_event_mode();
        shell.mode = Mode::event;
    });
}

TANDEM_EXPORT Status fmi2NewDiscreteStates(Component c, EventInfo* info) {
    return ex::run(c, "fmi2NewDiscreteStates", Mode::event, [&](Shell& shell) {
        EventInfo& result = ex::required(info);
        const auto update = shell.instance->update_discrete_states();
        result.new_discrete_states_needed = update.again;
        result.terminate_simulation = update.terminate;
        result.nominals_changed = update.nominals_changed;
        result.values_changed = update.states_changed;
        result.next_event_time_defined = update.next_event_time.has_value();
        result.next_event_time = update.next_event_time.value_or(0.0);
    });
}

TANDEM_EXPORT Status fmi2EnterContinuousTimeMode(Component c) {
    return ex::run(c, "fmi2EnterContinuousTimeMode", Mode::event, [](Shell& shell) {
        shell.instance->enter_continuous_time_mode();
        shell.mode = Mode::continuous;
    });
}

TANDEM_EXPORT Status fmi2CompletedIntegratorStep(Component c, Boolean, Boolean* enter_event_mode,
                                                 Boolean* terminate) {
    return ex::run(c, "fmi2CompletedIntegratorStep", Mode::continuous, [&](Shell& shell) {
        const auto step = shell.instance->completed_integrator_step();
        ex::required(enter_event_mode) = step.enter_event_mode;
        ex::required(terminate) = step.terminate;
    });
}

TANDEM_EXPORT Status fmi2SetTime(Component c, Real time) {
    return ex::to_abi(ex::set_time(c, time, Mode::event | Mode::continuous));
}
TANDEM_EXPORT Status fmi2SetContinuousStates(Component c, const Real* x, std::size_t n) {
    return ex::to_abi(ex::set_states(c, x, n));
}
TANDEM_EXPORT Status fmi2GetDerivatives(Component c, Real* dx, std::size_t n) {
    return ex::to_abi(ex::get_derivatives(c, dx, n));
}
TANDEM_EXPORT Status fmi2GetEventIndicators(Component c, Real* z, std::size_t n) {
    return ex::to_abi(ex::get_indicators(c, z, n));
}
TANDEM_EXPORT Status fmi2GetContinuousStates(Component c, Real* x, std::size_t n) {
    return ex::to_abi(ex::get_states(c, x, n));
}
TANDEM_EXPORT Status fmi2GetNominalsOfContinuousStates(Component c, Real* nominals, std::size_t n) {
    return ex::to_abi(ex::get_nominals(c, nominals, n));
}

TANDEM_EXPORT Status fmi2SetRealInputDerivatives(Component c, const ValueReference* r,
                                                 std::size_t n, const Integer* orders,
                                                 const Real* values) {
    return ex::to_abi(ex::set_input_derivatives(c, r, n, orders, values));
}
TANDEM_EXPORT Status fmi2GetRealOutputDerivatives(Component c, const ValueReference* r,
                                                  std::size_t n, const Integer* orders,
                                                  Real* values) {
    return ex::to_abi(ex::get_output_derivatives(c, r, n, orders, values));
}
TANDEM_EXPORT Status fmi2DoStep(Component c, Real current_point, Real step_size, Boolean) {
    return ex::to_abi(ex::do_step(c, current_point, step_size));
}
TANDEM_EXPORT Status fmi2CancelStep(Component c) {
    return ex::run(c, "fmi2CancelStep", ex::alive, [](Shell&) {
        throw ex::Misuse("no step is under way: steps are not asynchronous");
    });
}

TANDEM_EXPORT Status fmi2GetStatus(Component c, StatusKind kind, Status* value) {
    return ex::answer<Status>(c, "fmi2GetStatus", kind, StatusKind::do_step_status, value,
                              [](const Shell& shell) { return ex::to_abi(shell.last_status); });
}
TANDEM_EXPORT Status fmi2GetRealStatus(Component c, StatusKind kind, Real* value) {
    return ex::answer<Real>(c, "fmi2GetRealStatus", kind, StatusKind::last_successful_time, value,
                            [](const Shell& shell) { return shell.last_step.reached; });
}
TANDEM_EXPORT Status fmi2GetIntegerStatus(Component c, StatusKind, Integer*) {
    return ex::run(c, "fmi2GetIntegerStatus", ex::alive, [](Shell&) { return FmuStatus::discard; });
}
TANDEM_EXPORT Status fmi2GetBooleanStatus(Component c, StatusKind kind, Boolean* value) {
    return ex::answer<Boolean>(
        c, "fmi2GetBooleanStatus", kind, StatusKind::terminated, value, [](const Shell& shell) {
            return Boolean{shell.last_step.outcome == tandem::fmi::DoStepOutcome::terminated};
        });
}
TANDEM_EXPORT Status fmi2GetStringStatus(Component c, StatusKind, String*) {
    return ex::run(c, "fmi2GetStringStatus", ex::alive, [](Shell&) { return FmuStatus::discard; });
}

#define TANDEM_CHECK(function, type) static_assert(std::is_same_v<decltype(function), type>)
TANDEM_CHECK(fmi2GetTypesPlatform, GetTypesPlatform);
TANDEM_CHECK(fmi2GetVersion, GetVersion);
TANDEM_CHECK(fmi2SetDebugLogging, SetDebugLogging);
TANDEM_CHECK(fmi2Instantiate, Instantiate);
TANDEM_CHECK(fmi2FreeInstance, FreeInstance);
TANDEM_CHECK(fmi2SetupExperiment, SetupExperiment);
TANDEM_CHECK(fmi2EnterInitializationMode, EnterInitializationMode);
TANDEM_CHECK(fmi2ExitInitializationMode, ExitInitializationMode);
TANDEM_CHECK(fmi2Terminate, Terminate);
TANDEM_CHECK(fmi2Reset, Reset);
TANDEM_CHECK(fmi2GetReal, GetReal);
TANDEM_CHECK(fmi2GetInteger, GetInteger);
TANDEM_CHECK(fmi2GetBoolean, GetBoolean);
TANDEM_CHECK(fmi2GetString, GetString);
TANDEM_CHECK(fmi2SetReal, SetReal);
TANDEM_CHECK(fmi2SetInteger, SetInteger);
TANDEM_CHECK(fmi2SetBoolean, SetBoolean);
TANDEM_CHECK(fmi2SetString, SetString);
TANDEM_CHECK(fmi2GetFMUstate, GetFmuState);
TANDEM_CHECK(fmi2SetFMUstate, SetFmuState);
TANDEM_CHECK(fmi2FreeFMUstate, FreeFmuState);
TANDEM_CHECK(fmi2SerializedFMUstateSize, SerializedFmuStateSize);
TANDEM_CHECK(fmi2SerializeFMUstate, SerializeFmuState);
TANDEM_CHECK(fmi2DeSerializeFMUstate, DeSerializeFmuState);
TANDEM_CHECK(fmi2GetDirectionalDerivative, GetDirectionalDerivative);
TANDEM_CHECK(fmi2EnterEventMode, EnterEventMode);
TANDEM_CHECK(fmi2NewDiscreteStates, NewDiscreteStates);
TANDEM_CHECK(fmi2EnterContinuousTimeMode, EnterContinuousTimeMode);
TANDEM_CHECK(fmi2CompletedIntegratorStep, CompletedIntegratorStep);
TANDEM_CHECK(fmi2SetTime, SetTime);
TANDEM_CHECK(fmi2SetContinuousStates, SetContinuousStates);
TANDEM_CHECK(fmi2GetDerivatives, GetDerivatives);
TANDEM_CHECK(fmi2GetEventIndicators, GetEventIndicators);
TANDEM_CHECK(fmi2GetContinuousStates, GetContinuousStates);
TANDEM_CHECK(fmi2GetNominalsOfContinuousStates, GetNominalsOfContinuousStates);
TANDEM_CHECK(fmi2SetRealInputDerivatives, SetRealInputDerivatives);
TANDEM_CHECK(fmi2GetRealOutputDerivatives, GetRealOutputDerivatives);
TANDEM_CHECK(fmi2DoStep, DoStep);
TANDEM_CHECK(fmi2CancelStep, CancelStep);
TANDEM_CHECK(fmi2GetStatus, GetStatus);
TANDEM_CHECK(fmi2GetRealStatus, GetRealStatus);
TANDEM_CHECK(fmi2GetIntegerStatus, GetIntegerStatus);
TANDEM_CHECK(fmi2GetBooleanStatus, GetBooleanStatus);
TANDEM_CHECK(fmi2GetStringStatus, GetStringStatus);
