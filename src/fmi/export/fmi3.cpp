#include "fmi/abi/fmi3.hpp"

#include "fmi/export/shell.hpp"

/// FMI 3.0: life cycle, events, Model Exchange and Co-Simulation. Values and clocks are in
/// fmi3_values.cpp.
namespace tandem::fmi::exporting {
namespace {

using namespace abi3;
using fmi::Status;

abi3::Status to_abi(Status status) { return static_cast<abi3::Status>(status); }

template <class Body>
abi3::Status run(abi3::Instance c, const char* function, Modes allowed, Body&& body) noexcept {
    return to_abi(call(c, function, allowed, std::forward<Body>(body)));
}

InstanceOptions options_of(InstanceEnvironment environment, LogMessage logger, bool logging_on) {
    InstanceOptions options;
    options.fmu_logging = logging_on;
    if (logger == nullptr) return options;
    options.on_message = [logger, environment](Status status, const std::string& category,
                                               const std::string& text) {
        logger(environment, to_abi(status), category.c_str(), text.c_str());
    };
    return options;
}

std::function<bool(const IntermediatePoint&)> intermediate_of(InstanceEnvironment environment,
                                                              IntermediateUpdate update) {
    if (update == nullptr) return {};
    return [environment, update](const IntermediatePoint& point) {
        bool early_return = false;
        double early_return_time = point.time;
        update(environment, point.time, point.inputs_may_be_set, point.outputs_may_be_read,
               point.step_finished, point.can_return_early, &early_return, &early_return_time);
        return early_return && point.can_return_early;
    };
}

std::string folder(String path) {
    std::string text = path == nullptr ? "" : path;
    while (text.size() > 1 && text.back() == '/') text.pop_back();
    return text;
}

}  // namespace
}  // namespace tandem::fmi::exporting

using namespace tandem::fmi::abi3;  // NOLINT: the C functions live outside namespaces
namespace ex = tandem::fmi::exporting;
using ex::Mode;
using ex::Shell;
using FmuKind = tandem::fmi::Kind;
using FmuVersion = tandem::fmi::Version;
using Outcome = tandem::fmi::DoStepOutcome;

TANDEM_EXPORT const char* fmi3GetVersion() { return "3.0"; }

TANDEM_EXPORT Status fmi3SetDebugLogging(Instance c, Boolean on, std::size_t, const String*) {
    return ex::run(c, "fmi3SetDebugLogging", ex::alive,
                   [&](Shell& shell) { shell.options.fmu_logging = on; });
}

TANDEM_EXPORT Instance fmi3InstantiateModelExchange(String name, String token, String resources,
                                                    Boolean, Boolean logging_on,
                                                    InstanceEnvironment environment,
                                                    LogMessage logger) {
    return ex::instantiate({FmuVersion::v3, FmuKind::model_exchange, name, token,
                            ex::folder(resources),
                            ex::options_of(environment, logger, logging_on)});
}

TANDEM_EXPORT Instance fmi3InstantiateCoSimulation(
    String name, String token, String resources, Boolean, Boolean logging_on,
    Boolean event_mode_used, Boolean early_return_allowed,
    const ValueReference* intermediate_variables, std::size_t intermediate_count,
    InstanceEnvironment environment, LogMessage logger, IntermediateUpdate update) {
    auto options = ex::options_of(environment, logger, logging_on);
    options.event_mode = event_mode_used;
    options.early_return = early_return_allowed;
    options.on_intermediate = ex::intermediate_of(environment, update);
    if (intermediate_variables != nullptr)
        options.intermediate_variables.assign(intermediate_variables,
                                              intermediate_variables + intermediate_count);
    return ex::instantiate({FmuVersion::v3, FmuKind::co_simulation, name, token,
                            ex::folder(resources), std::move(options)});
}

TANDEM_EXPORT Instance fmi3InstantiateScheduledExecution(String, String, String, Boolean, Boolean,
                                                         InstanceEnvironment environment,
                                                         LogMessage logger, ClockUpdate,
                                                         LockPreemption, UnlockPreemption) {
    if (logger != nullptr)
        logger(environment, Status::error, "error",
               "fmi3InstantiateScheduledExecution: this FMU has no Scheduled Execution");
    return nullptr;
}

TANDEM_EXPORT void fmi3FreeInstance(Instance c) { delete static_cast<Shell*>(c); }

TANDEM_EXPORT Status fmi3EnterConfigurationMode(Instance c) {
    return ex::run(c, "fmi3EnterConfigurationMode", Mode::instantiated,
                   [](Shell& shell) { shell.mode = Mode::configuration; });
}
TANDEM_EXPORT Status fmi3ExitConfigurationMode(Instance c) {
    return ex::run(c, "fmi3ExitConfigurationMode", Mode::configuration, [](Shell& shell) {
        shell.instance->exit_configuration();
        shell.mode = Mode::instantiated;
    });
}

TANDEM_EXPORT Status fmi3EnterInitializationMode(Instance c, Boolean tolerance_defined,
                                                 Float64 tolerance, Float64 start,
                                                 Boolean stop_defined, Float64 stop) {
    return ex::run(c, "fmi3EnterInitializationMode", Mode::instantiated, [&](Shell& shell) {
        shell.experiment.start = start;
        if (tolerance_defined) shell.experiment.tolerance = tolerance;
        if (stop_defined) shell.experiment.stop = stop;
        shell.instance->enter_initialization(shell.experiment);
        shell.mode = Mode::initialization;
    });
}
TANDEM_EXPORT Status fmi3ExitInitializationMode(Instance c) {
    return ex::run(c, "fmi3ExitInitializationMode", Mode::initialization,
                   [](Shell& shell) { ex::leave_initialization(shell); });
}
TANDEM_EXPORT Status fmi3Terminate(Instance c) {
    return ex::run(c, "fmi3Terminate", ex::running, [](Shell& shell) {
        shell.mode = Mode::terminated;
        shell.instance->terminate();
    });
}
TANDEM_EXPORT Status fmi3Reset(Instance c) {
    return ex::run(c, "fmi3Reset", ex::alive, [](Shell& shell) {
        shell.instance->reset();
        shell.experiment = {};
        shell.mode = Mode::instantiated;
    });
}

// Events
TANDEM_EXPORT Status fmi3EnterEventMode(Instance c) {
    return ex::run(c, "fmi3EnterEventMode", ex::running, [](Shell& shell) {
        if (shell.mode == Mode::step && !shell.options.event_mode)
            throw ex::Misuse("event mode was not asked for at instantiation");
        shell.instance->enter_event_mode();
        shell.mode = Mode::event;
    });
}
TANDEM_EXPORT Status fmi3EvaluateDiscreteStates(Instance c) {
    return ex::run(c, "fmi3EvaluateDiscreteStates", Mode::initialization | Mode::event,
                   [](Shell&) {});
}
TANDEM_EXPORT Status fmi3UpdateDiscreteStates(Instance c, Boolean* again, Boolean* terminate,
                                              Boolean* nominals_changed, Boolean* values_changed,
                                              Boolean* next_event_time_defined,
                                              Float64* next_event_time) {
    return ex::run(c, "fmi3UpdateDiscreteStates", Mode::event, [&](Shell& shell) {
        const auto update = shell.instance->update_discrete_states();
        ex::required(again) = update.again;
        ex::required(terminate) = update.terminate;
        ex::required(nominals_changed) = update.nominals_changed;
        ex::required(values_changed) = update.states_changed;
        ex::required(next_event_time_defined) = update.next_event_time.has_value();
        ex::required(next_event_time) = update.next_event_time.value_or(0.0);
    });
}

// Model Exchange
TANDEM_EXPORT Status fmi3EnterContinuousTimeMode(Instance c) {
    return ex::run(c, "fmi3EnterContinuousTimeMode", Mode::event, [](Shell& shell) {
        shell.instance->enter_continuous_time_mode();
        shell.mode = Mode::continuous;
    });
}
TANDEM_EXPORT Status fmi3CompletedIntegratorStep(Instance c, Boolean, Boolean* enter_event_mode,
                                                 Boolean* terminate) {
    return ex::run(c, "fmi3CompletedIntegratorStep", Mode::continuous, [&](Shell& shell) {
        const auto step = shell.instance->completed_integrator_step();
        ex::required(enter_event_mode) = step.enter_event_mode;
        ex::required(terminate) = step.terminate;
    });
}
TANDEM_EXPORT Status fmi3SetTime(Instance c, Float64 time) {
    return ex::to_abi(ex::set_time(c, time, Mode::event | Mode::continuous));
}
TANDEM_EXPORT Status fmi3SetContinuousStates(Instance c, const Float64* x, std::size_t n) {
    return ex::to_abi(ex::set_states(c, x, n));
}
TANDEM_EXPORT Status fmi3GetContinuousStateDerivatives(Instance c, Float64* dx, std::size_t n) {
    return ex::to_abi(ex::get_derivatives(c, dx, n));
}
TANDEM_EXPORT Status fmi3GetEventIndicators(Instance c, Float64* z, std::size_t n) {
    return ex::to_abi(ex::get_indicators(c, z, n));
}
TANDEM_EXPORT Status fmi3GetContinuousStates(Instance c, Float64* x, std::size_t n) {
    return ex::to_abi(ex::get_states(c, x, n));
}
TANDEM_EXPORT Status fmi3GetNominalsOfContinuousStates(Instance c, Float64* nominals,
                                                       std::size_t n) {
    return ex::to_abi(ex::get_nominals(c, nominals, n));
}
TANDEM_EXPORT Status fmi3GetNumberOfEventIndicators(Instance c, std::size_t* n) {
    return ex::run(c, "fmi3GetNumberOfEventIndicators", ex::alive,
                   [&](Shell& shell) { ex::required(n) = shell.instance->indicator_count(); });
}
TANDEM_EXPORT Status fmi3GetNumberOfContinuousStates(Instance c, std::size_t* n) {
    return ex::run(c, "fmi3GetNumberOfContinuousStates", ex::alive,
                   [&](Shell& shell) { ex::required(n) = shell.instance->state_count(); });
}

// Co-Simulation
TANDEM_EXPORT Status fmi3EnterStepMode(Instance c) {
    return ex::run(c, "fmi3EnterStepMode", Mode::event, [](Shell& shell) {
        shell.instance->enter_step_mode();
        shell.mode = Mode::step;
    });
}
TANDEM_EXPORT Status fmi3GetOutputDerivatives(Instance c, const ValueReference* r, std::size_t n,
                                              const Int32* orders, Float64* values,
                                              std::size_t n_values) {
    return ex::run(c, "fmi3GetOutputDerivatives", ex::running, [&](Shell& shell) {
        const auto references = ex::list(r, n);
        if (n_values != shell.instance->value_count(references))
            throw ex::Misuse("wrong number of values");
        shell.instance->get_output_derivatives(references, ex::list(orders, n),
                                               ex::list(values, n_values));
    });
}
TANDEM_EXPORT Status fmi3DoStep(Instance c, Float64 current_point, Float64 step_size, Boolean,
                                Boolean* event_handling_needed, Boolean* terminate,
                                Boolean* early_return, Float64* last_successful_time) {
    return ex::run(c, "fmi3DoStep", Mode::step, [&](Shell& shell) {
        if (!(step_size > 0.0)) throw ex::Misuse("the step size must be positive");
        ex::required(last_successful_time) = current_point;
        const auto step = shell.instance->do_step(current_point, current_point + step_size);
        ex::required(event_handling_needed) = step.event_needed;
        ex::required(terminate) = step.outcome == Outcome::terminated;
        ex::required(early_return) = step.outcome == Outcome::early;
        *last_successful_time = step.reached;
        return step.outcome == Outcome::discarded ? tandem::fmi::Status::discard
                                                  : tandem::fmi::Status::ok;
    });
}

TANDEM_EXPORT Status fmi3ActivateModelPartition(Instance c, ValueReference, Float64) {
    return ex::run(c, "fmi3ActivateModelPartition", ex::alive,
                   [](Shell&) { throw ex::Misuse("this FMU has no Scheduled Execution"); });
}

#define TANDEM_CHECK(name) static_assert(std::is_same_v<decltype(fmi3##name), name>)
TANDEM_CHECK(GetVersion);
TANDEM_CHECK(SetDebugLogging);
TANDEM_CHECK(InstantiateModelExchange);
TANDEM_CHECK(InstantiateCoSimulation);
TANDEM_CHECK(InstantiateScheduledExecution);
TANDEM_CHECK(FreeInstance);
TANDEM_CHECK(EnterConfigurationMode);
TANDEM_CHECK(ExitConfigurationMode);
TANDEM_CHECK(EnterInitializationMode);
TANDEM_CHECK(ExitInitializationMode);
TANDEM_CHECK(Terminate);
TANDEM_CHECK(Reset);
TANDEM_CHECK(EnterEventMode);
TANDEM_CHECK(EvaluateDiscreteStates);
TANDEM_CHECK(UpdateDiscreteStates);
TANDEM_CHECK(EnterContinuousTimeMode);
TANDEM_CHECK(CompletedIntegratorStep);
TANDEM_CHECK(SetTime);
TANDEM_CHECK(SetContinuousStates);
TANDEM_CHECK(GetContinuousStateDerivatives);
TANDEM_CHECK(GetEventIndicators);
TANDEM_CHECK(GetContinuousStates);
TANDEM_CHECK(GetNominalsOfContinuousStates);
TANDEM_CHECK(GetNumberOfEventIndicators);
TANDEM_CHECK(GetNumberOfContinuousStates);
TANDEM_CHECK(EnterStepMode);
TANDEM_CHECK(GetOutputDerivatives);
TANDEM_CHECK(DoStep);
TANDEM_CHECK(ActivateModelPartition);
