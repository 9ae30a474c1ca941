/// The FMU of FMI 3.0 of boaster.hpp, of both kinds, with event mode.
#include "boaster.hpp"
#include "fmi/abi/fmi3.hpp"

namespace {

using namespace tandem::fmi::abi3;

Boaster& self(Instance instance) { return *static_cast<Boaster*>(instance); }

}  // namespace

extern "C" {

Instance fmi3InstantiateCoSimulation(String name, String, String, Boolean, Boolean, Boolean,
                                     Boolean, const ValueReference*, std::size_t,
                                     InstanceEnvironment, LogMessage, IntermediateUpdate) {
    return new Boaster{.name = name};
}
Instance fmi3InstantiateModelExchange(String name, String, String, Boolean, Boolean,
                                      InstanceEnvironment, LogMessage) {
    return new Boaster{.name = name};
}
void fmi3FreeInstance(Instance instance) { delete &self(instance); }
Status fmi3EnterInitializationMode(Instance instance, Boolean, Float64, Float64 start, Boolean,
                                   Float64) {
    self(instance).t = start;
    return Status::ok;
}
Status fmi3ExitInitializationMode(Instance) { return Status::ok; }
Status fmi3Terminate(Instance) { return Status::ok; }
Status fmi3SetFloat64(Instance instance, const ValueReference* references, std::size_t size,
                      const Float64* values, std::size_t) {
    for (std::size_t i = 0; i < size; ++i) self(instance).values[references[i]] = values[i];
    return Status::ok;
}
Status fmi3GetFloat64(Instance instance, const ValueReference* references, std::size_t size,
                      Float64* values, std::size_t) {
    for (std::size_t i = 0; i < size; ++i)
        values[i] = references[i] == 99 ? self(instance).t : self(instance).get(references[i]);
    return Status::ok;
}
Status fmi3GetDirectionalDerivative(Instance instance, const ValueReference* unknowns,
                                    std::size_t size, const ValueReference* knowns,
                                    std::size_t known_count, const Float64* seed, std::size_t,
                                    Float64* sensitivity, std::size_t) {
    return self(instance).derive<Status>(unknowns, size, knowns, known_count, seed, sensitivity);
}
Status fmi3GetFMUState(Instance instance, FmuState* state) {
    return self(instance).get_state<Status>(state);
}
Status fmi3SetFMUState(Instance instance, FmuState state) {
    return self(instance).set_state<Status>(state);
}
Status fmi3FreeFMUState(Instance instance, FmuState* state) {
    return self(instance).free_state<Status>(state);
}

Status fmi3EnterEventMode(Instance) { return Status::ok; }
Status fmi3UpdateDiscreteStates(Instance instance, Boolean* again, Boolean* terminate,
                                Boolean* nominals_changed, Boolean* values_changed,
                                Boolean* has_next_event, Float64* next_event) {
    *again = *terminate = *nominals_changed = false;
    *values_changed = self(instance).event_is_due();
    self(instance).pass_event();
    *has_next_event = true;
    *next_event = self(instance).next_event;
    return Status::ok;
}

Status fmi3EnterStepMode(Instance) { return Status::ok; }
Status fmi3DoStep(Instance instance, Float64 begin, Float64 length, Boolean, Boolean* event_needed,
                  Boolean* terminate, Boolean* early_return, Float64* reached) {
    self(instance).step(begin, length);
    *event_needed = self(instance).event_is_due();
    *terminate = *early_return = false;
    *reached = self(instance).t;
    return Status::ok;
}
Status fmi3GetOutputDerivatives(Instance instance, const ValueReference*, std::size_t size,
                                const Int32*, Float64* slopes, std::size_t) {
    return self(instance).output_slopes<Status>(size, slopes);
}

Status fmi3EnterContinuousTimeMode(Instance) { return Status::ok; }
Status fmi3SetTime(Instance instance, Float64 t) {
    self(instance).t = t;
    return Status::ok;
}
Status fmi3SetContinuousStates(Instance instance, const Float64* states, std::size_t) {
    self(instance).values[Boaster::x] = states[0];
    return Status::ok;
}
Status fmi3GetContinuousStates(Instance instance, Float64* states, std::size_t) {
    states[0] = self(instance).values[Boaster::x];
    return Status::ok;
}
Status fmi3GetContinuousStateDerivatives(Instance instance, Float64* derivatives, std::size_t) {
    derivatives[0] = self(instance).get(Boaster::der_x);
    return Status::ok;
}
Status fmi3GetNominalsOfContinuousStates(Instance, Float64* nominals, std::size_t) {
    nominals[0] = 1.0;
    return Status::ok;
}
Status fmi3CompletedIntegratorStep(Instance, Boolean, Boolean* enter_event_mode,
                                   Boolean* terminate) {
    *enter_event_mode = *terminate = false;
    return Status::ok;
}
}
