/// The FMU of FMI 2.0 of boaster.hpp, of both kinds. Events are those of Model Exchange only.
#include "boaster.hpp"
#include "fmi/abi/fmi2.hpp"

namespace {

using namespace tandem::fmi::abi2;

Boaster& self(Component component) { return *static_cast<Boaster*>(component); }

}  // namespace

extern "C" {

Component fmi2Instantiate(String name, Type, String, String, const CallbackFunctions*, Boolean,
                          Boolean) {
    return new Boaster{.name = name};
}
void fmi2FreeInstance(Component component) { delete &self(component); }
Status fmi2SetupExperiment(Component component, Boolean, Real, Real start, Boolean, Real) {
    self(component).t = start;
    return Status::ok;
}
Status fmi2EnterInitializationMode(Component) { return Status::ok; }
Status fmi2ExitInitializationMode(Component) { return Status::ok; }
Status fmi2Terminate(Component) { return Status::ok; }
Status fmi2SetReal(Component component, const ValueReference* references, std::size_t size,
                   const Real* values) {
    for (std::size_t i = 0; i < size; ++i) self(component).values[references[i]] = values[i];
    return Status::ok;
}
Status fmi2GetReal(Component component, const ValueReference* references, std::size_t size,
                   Real* values) {
    for (std::size_t i = 0; i < size; ++i) values[i] = self(component).get(references[i]);
    return Status::ok;
}
Status fmi2GetDirectionalDerivative(Component component, const ValueReference* unknowns,
                                    std::size_t size, const ValueReference* knowns,
                                    std::size_t known_count, const Real* seed, Real* sensitivity) {
    return self(component).derive<Status>(unknowns, size, knowns, known_count, seed, sensitivity);
}
Status fmi2GetFMUstate(Component component, FmuState* state) {
    return self(component).get_state<Status>(state);
}
Status fmi2SetFMUstate(Component component, FmuState state) {
    return self(component).set_state<Status>(state);
}
Status fmi2FreeFMUstate(Component component, FmuState* state) {
    return self(component).free_state<Status>(state);
}

Status fmi2DoStep(Component component, Real begin, Real length, Boolean) {
    self(component).step(begin, length);
    return Status::ok;
}
Status fmi2SetRealInputDerivatives(Component component, const ValueReference*, std::size_t,
                                   const Integer*, const Real* slopes) {
    return self(component).input_slopes<Status>(slopes);
}
Status fmi2GetRealOutputDerivatives(Component component, const ValueReference*, std::size_t size,
                                    const Integer*, Real* slopes) {
    return self(component).output_slopes<Status>(size, slopes);
}

Status fmi2SetTime(Component component, Real t) {
    self(component).t = t;
    return Status::ok;
}
Status fmi2SetContinuousStates(Component component, const Real* states, std::size_t) {
    self(component).values[Boaster::x] = states[0];
    return Status::ok;
}
Status fmi2GetContinuousStates(Component component, Real* states, std::size_t) {
    states[0] = self(component).values[Boaster::x];
    return Status::ok;
}
Status fmi2GetDerivatives(Component component, Real* derivatives, std::size_t) {
    derivatives[0] = self(component).get(Boaster::der_x);
    return Status::ok;
}
Status fmi2GetNominalsOfContinuousStates(Component, Real* nominals, std::size_t) {
    nominals[0] = 1.0;
    return Status::ok;
}
Status fmi2EnterEventMode(Component) { return Status::ok; }
Status fmi2EnterContinuousTimeMode(Component) { return Status::ok; }
Status fmi2NewDiscreteStates(Component component, EventInfo* info) {
    *info = {};
    info->values_changed = self(component).event_is_due() ? 1 : 0;
    self(component).pass_event();
    info->next_event_time_defined = 1;
    info->next_event_time = self(component).next_event;
    return Status::ok;
}
Status fmi2CompletedIntegratorStep(Component, Boolean, Boolean* enter_event_mode,
                                   Boolean* terminate) {
    *enter_event_mode = *terminate = 0;
    return Status::ok;
}
}
