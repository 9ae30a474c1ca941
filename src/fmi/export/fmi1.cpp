#include "fmi/abi/fmi1.hpp"

#include "fmi/export/shell.hpp"

/// The names an importer sees, `<ModelIdentifier>_fmi...`, are given by the linker: see
/// cmake/TandemAddFmu.cmake.
namespace tandem::fmi::exporting {
namespace {

using namespace abi1;
using fmi::Status;

abi1::Status to_abi(Status status) { return static_cast<abi1::Status>(status); }

template <class Body>
abi1::Status run(Component c, const char* function, Modes allowed, Body&& body) noexcept {
    return to_abi(call(c, function, allowed, std::forward<Body>(body)));
}

Component make(Instantiation arguments, Logger logger, Boolean logging_on) {
    arguments.version = Version::v1;
    arguments.options.fmu_logging = logging_on != 0;
    // The logger wants the handle, which is only known when the instance is made.
    auto self = std::make_shared<Component>(nullptr);
    if (logger != nullptr)
        arguments.options.on_message =
            [logger, self, name = std::string(arguments.name == nullptr ? "" : arguments.name)](
                Status status, const std::string& category, const std::string& text) {
                logger(*self, name.c_str(), to_abi(status), category.c_str(), "%s", text.c_str());
            };
    *self = instantiate(std::move(arguments));
    return *self;
}

/// FMI 1.0 iterates inside the FMU.
void iterate_events(Shell& shell, abi1::EventInfo& info) {
    fmi::EventInfo update;
    bool states_changed = false;
    for (int i = 0; i == 0 || update.again; ++i) {
        if (i > 100) throw Misuse("the event iteration does not end");
        update = shell.instance->update_discrete_states();
        states_changed = states_changed || update.states_changed;
        if (update.terminate) break;
    }
    info.iteration_converged = 1;
    info.state_value_references_changed = 0;
    info.state_values_changed = states_changed;
    info.terminate_simulation = update.terminate;
    info.upcoming_time_event = update.next_event_time.has_value();
    info.next_event_time = update.next_event_time.value_or(0.0);
}

template <class T>
abi1::Status answer(Component c, StatusKind kind, StatusKind known, T* value,
                    T (*read)(const Shell&)) noexcept {
    return run(c, "fmiGetStatus", alive, [&](Shell& shell) {
        if (kind != known) return Status::discard;
        required(value) = read(shell);
        return Status::ok;
    });
}

}  // namespace
}  // namespace tandem::fmi::exporting

using namespace tandem::fmi::abi1;  // NOLINT: the C functions live outside namespaces
namespace ex = tandem::fmi::exporting;
using ex::Mode;
using ex::Shell;
using FmuKind = tandem::fmi::Kind;
using FmuStatus = tandem::fmi::Status;

TANDEM_EXPORT const char* tandem_fmi1_GetVersion() { return "1.0"; }
TANDEM_EXPORT const char* tandem_fmi1_GetModelTypesPlatform() { return "standard32"; }
TANDEM_EXPORT const char* tandem_fmi1_GetTypesPlatform() { return "standard32"; }

TANDEM_EXPORT Status tandem_fmi1_SetDebugLogging(Component c, Boolean on) {
    return ex::run(c, "fmiSetDebugLogging", ex::alive,
                   [&](Shell& shell) { shell.options.fmu_logging = on != 0; });
}
TANDEM_EXPORT Status tandem_fmi1_GetReal(Component c, const ValueReference* r, std::size_t n,
                                         Real* v) {
    return ex::to_abi(ex::get_reals(c, r, n, v));
}
TANDEM_EXPORT Status tandem_fmi1_GetInteger(Component c, const ValueReference* r, std::size_t n,
                                            Integer* v) {
    return ex::to_abi(ex::get_integers(c, r, n, v));
}
TANDEM_EXPORT Status tandem_fmi1_GetBoolean(Component c, const ValueReference* r, std::size_t n,
                                            Boolean* v) {
    return ex::to_abi(ex::get_booleans(c, r, n, v));
}
TANDEM_EXPORT Status tandem_fmi1_GetString(Component c, const ValueReference* r, std::size_t n,
                                           String* v) {
    return ex::to_abi(ex::get_strings(c, r, n, v));
}
TANDEM_EXPORT Status tandem_fmi1_SetReal(Component c, const ValueReference* r, std::size_t n,
                                         const Real* v) {
    return ex::to_abi(ex::set_reals(c, r, n, v));
}
TANDEM_EXPORT Status tandem_fmi1_SetInteger(Component c, const ValueReference* r, std::size_t n,
                                            const Integer* v) {
    return ex::to_abi(ex::set_integers(c, r, n, v));
}
TANDEM_EXPORT Status tandem_fmi1_SetBoolean(Component c, const ValueReference* r, std::size_t n,
                                            const Boolean* v) {
    return ex::to_abi(ex::set_booleans(c, r, n, v));
}
TANDEM_EXPORT Status tandem_fmi1_SetString(Component c, const ValueReference* r, std::size_t n,
                                           const String* v) {
    return ex::to_abi(ex::set_strings(c, r, n, v));
}

// Model Exchange
TANDEM_EXPORT Component tandem_fmi1_InstantiateModel(String name, String guid,
                                                     CallbackFunctionsMe callbacks,
                                                     Boolean logging_on) {
    ex::Instantiation arguments;
    arguments.kind = FmuKind::model_exchange;
    arguments.name = name;
    arguments.token = guid;
    return ex::make(std::move(arguments), callbacks.logger, logging_on);
}
TANDEM_EXPORT void tandem_fmi1_FreeModelInstance(Component c) { delete static_cast<Shell*>(c); }

TANDEM_EXPORT Status tandem_fmi1_SetTime(Component c, Real time) {
    return ex::to_abi(ex::set_time(c, time, Mode::instantiated | Mode::continuous));
}
TANDEM_EXPORT Status tandem_fmi1_SetContinuousStates(Component c, const Real* x, std::size_t n) {
    return ex::to_abi(ex::set_states(c, x, n));
}
TANDEM_EXPORT Status tandem_fmi1_CompletedIntegratorStep(Component c, Boolean* call_event_update) {
    return ex::run(c, "fmiCompletedIntegratorStep", Mode::continuous, [&](Shell& shell) {
        const auto step = shell.instance->completed_integrator_step();
        ex::required(call_event_update) = step.enter_event_mode || step.terminate;
    });
}
TANDEM_EXPORT Status tandem_fmi1_Initialize(Component c, Boolean tolerance_controlled,
                                            Real tolerance, EventInfo* info) {
    return ex::run(c, "fmiInitialize", Mode::instantiated, [&](Shell& shell) {
        shell.experiment.start = shell.time;
        if (tolerance_controlled != 0) shell.experiment.tolerance = tolerance;
        shell.instance->enter_initialization(shell.experiment);
        shell.instance->exit_initialization();
        ex::iterate_events(shell, ex::required(info));
        shell.mode = Mode::continuous;
    });
}
TANDEM_EXPORT Status tandem_fmi1_GetDerivatives(Component c, Real* dx, std::size_t n) {
    return ex::to_abi(ex::get_derivatives(c, dx, n));
}
TANDEM_EXPORT Status tandem_fmi1_GetEventIndicators(Component c, Real* z, std::size_t n) {
    return ex::to_abi(ex::get_indicators(c, z, n));
}
TANDEM_EXPORT Status tandem_fmi1_EventUpdate(Component c, Boolean, EventInfo* info) {
    return ex::run(c, "fmiEventUpdate", Mode::continuous,
                   [&](Shell& shell) { ex::iterate_events(shell, ex::required(info)); });
}
TANDEM_EXPORT Status tandem_fmi1_GetContinuousStates(Component c, Real* x, std::size_t n) {
    return ex::to_abi(ex::get_states(c, x, n));
}
TANDEM_EXPORT Status tandem_fmi1_GetNominalContinuousStates(Component c, Real* nominals,
                                                            std::size_t n) {
    return ex::to_abi(ex::get_nominals(c, nominals, n));
}
TANDEM_EXPORT Status tandem_fmi1_GetStateValueReferences(Component c, ValueReference* references,
                                                         std::size_t n) {
    return ex::run(c, "fmiGetStateValueReferences", ex::alive, [&](Shell&) {
        const auto& model = tandem::fmi::exported_description(tandem::fmi::Version::v1);
        const auto& derivatives = model.structure.derivatives;
        if (n != derivatives.size()) throw ex::Misuse("wrong number of states");
        const auto out = ex::list(references, n);
        for (std::size_t i = 0; i < n; ++i) {
            const auto& derivative = model.variables[derivatives[i].variable];
            out[i] = model.variables[*derivative.derivative_of].reference;
        }
    });
}
TANDEM_EXPORT Status tandem_fmi1_Terminate(Component c) {
    return ex::run(c, "fmiTerminate", ex::running, [](Shell& shell) {
        shell.mode = Mode::terminated;
        shell.instance->terminate();
    });
}

// Co-Simulation
TANDEM_EXPORT Component tandem_fmi1_InstantiateSlave(String name, String guid, String location,
                                                     String, Real, Boolean, Boolean,
                                                     CallbackFunctionsCs callbacks,
                                                     Boolean logging_on) {
    ex::Instantiation arguments;
    arguments.kind = FmuKind::co_simulation;
    arguments.name = name;
    arguments.token = guid;
    arguments.resources = ex::path_of_uri(location);
    if (!arguments.resources.empty()) arguments.resources += "/resources";
    return ex::make(std::move(arguments), callbacks.logger, logging_on);
}
TANDEM_EXPORT Status tandem_fmi1_InitializeSlave(Component c, Real start, Boolean stop_defined,
                                                 Real stop) {
    return ex::run(c, "fmiInitializeSlave", Mode::instantiated, [&](Shell& shell) {
        shell.experiment.start = start;
        if (stop_defined != 0) shell.experiment.stop = stop;
        shell.instance->enter_initialization(shell.experiment);
        ex::leave_initialization(shell);
    });
}
TANDEM_EXPORT Status tandem_fmi1_TerminateSlave(Component c) { return tandem_fmi1_Terminate(c); }
TANDEM_EXPORT Status tandem_fmi1_ResetSlave(Component c) {
    return ex::run(c, "fmiResetSlave", ex::alive, [](Shell& shell) {
        shell.instance->reset();
        shell.experiment = {};
        shell.mode = Mode::instantiated;
    });
}
TANDEM_EXPORT void tandem_fmi1_FreeSlaveInstance(Component c) { delete static_cast<Shell*>(c); }
TANDEM_EXPORT Status tandem_fmi1_SetRealInputDerivatives(Component c, const ValueReference* r,
                                                         std::size_t n, const Integer* orders,
                                                         const Real* values) {
    return ex::to_abi(ex::set_input_derivatives(c, r, n, orders, values));
}
TANDEM_EXPORT Status tandem_fmi1_GetRealOutputDerivatives(Component c, const ValueReference* r,
                                                          std::size_t n, const Integer* orders,
                                                          Real* values) {
    return ex::to_abi(ex::get_output_derivatives(c, r, n, orders, values));
}
TANDEM_EXPORT Status tandem_fmi1_DoStep(Component c, Real current_point, Real step_size,
                                        Boolean new_step) {
    if (new_step == 0)
        return ex::run(c, "fmiDoStep", Mode::step, [](Shell& shell) {
            ex::say(shell, FmuStatus::discard, "fmiDoStep: a step cannot be repeated");
            return FmuStatus::discard;
        });
    return ex::to_abi(ex::do_step(c, current_point, step_size));
}
TANDEM_EXPORT Status tandem_fmi1_CancelStep(Component c) {
    return ex::run(c, "fmiCancelStep", ex::alive, [](Shell&) {
        throw ex::Misuse("no step is under way: steps are not asynchronous");
    });
}
TANDEM_EXPORT Status tandem_fmi1_GetStatus(Component c, StatusKind kind, Status* value) {
    return ex::answer<Status>(c, kind, StatusKind::do_step_status, value,
                              [](const Shell& shell) { return ex::to_abi(shell.last_status); });
}
TANDEM_EXPORT Status tandem_fmi1_GetRealStatus(Component c, StatusKind kind, Real* value) {
    return ex::answer<Real>(c, kind, StatusKind::last_successful_time, value,
                            [](const Shell& shell) { return shell.last_step.reached; });
}
TANDEM_EXPORT Status tandem_fmi1_GetIntegerStatus(Component c, StatusKind, Integer*) {
    return ex::run(c, "fmiGetIntegerStatus", ex::alive, [](Shell&) { return FmuStatus::discard; });
}
TANDEM_EXPORT Status tandem_fmi1_GetBooleanStatus(Component c, StatusKind, Boolean*) {
    return ex::run(c, "fmiGetBooleanStatus", ex::alive, [](Shell&) { return FmuStatus::discard; });
}
TANDEM_EXPORT Status tandem_fmi1_GetStringStatus(Component c, StatusKind, String*) {
    return ex::run(c, "fmiGetStringStatus", ex::alive, [](Shell&) { return FmuStatus::discard; });
}

#define TANDEM_CHECK(name) static_assert(std::is_same_v<decltype(tandem_fmi1_##name), name>)
TANDEM_CHECK(GetVersion);
TANDEM_CHECK(GetModelTypesPlatform);
TANDEM_CHECK(GetTypesPlatform);
TANDEM_CHECK(SetDebugLogging);
TANDEM_CHECK(GetReal);
TANDEM_CHECK(GetInteger);
TANDEM_CHECK(GetBoolean);
TANDEM_CHECK(GetString);
TANDEM_CHECK(SetReal);
TANDEM_CHECK(SetInteger);
TANDEM_CHECK(SetBoolean);
TANDEM_CHECK(SetString);
TANDEM_CHECK(InstantiateModel);
TANDEM_CHECK(FreeModelInstance);
TANDEM_CHECK(SetTime);
TANDEM_CHECK(SetContinuousStates);
TANDEM_CHECK(CompletedIntegratorStep);
TANDEM_CHECK(Initialize);
TANDEM_CHECK(GetDerivatives);
TANDEM_CHECK(GetEventIndicators);
TANDEM_CHECK(EventUpdate);
TANDEM_CHECK(GetContinuousStates);
TANDEM_CHECK(GetNominalContinuousStates);
TANDEM_CHECK(GetStateValueReferences);
TANDEM_CHECK(Terminate);
TANDEM_CHECK(InstantiateSlave);
TANDEM_CHECK(InitializeSlave);
TANDEM_CHECK(TerminateSlave);
TANDEM_CHECK(ResetSlave);
TANDEM_CHECK(FreeSlaveInstance);
TANDEM_CHECK(SetRealInputDerivatives);
TANDEM_CHECK(GetRealOutputDerivatives);
TANDEM_CHECK(DoStep);
TANDEM_CHECK(CancelStep);
TANDEM_CHECK(GetStatus);
TANDEM_CHECK(GetRealStatus);
TANDEM_CHECK(GetIntegerStatus);
TANDEM_CHECK(GetBooleanStatus);
TANDEM_CHECK(GetStringStatus);
