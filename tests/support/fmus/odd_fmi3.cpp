/// A Co-Simulation FMU of FMI 3.0 with event mode whose events misbehave in the way its instance
/// name says. It refuses steps in event mode and steps without length.
#include <string>

#include "fmi/abi/fmi3.hpp"

namespace {

using namespace tandem::fmi::abi3;

struct Odd {
    std::string behaviour;
    bool event_mode = false;
    int updates = 0;
};

Odd& odd(Instance instance) { return *static_cast<Odd*>(instance); }

}  // namespace

extern "C" {

Instance fmi3InstantiateCoSimulation(String name, String, String, Boolean, Boolean, Boolean,
                                     Boolean, const ValueReference*, std::size_t,
                                     InstanceEnvironment, LogMessage, IntermediateUpdate) {
    return new Odd{name};
}
void fmi3FreeInstance(Instance instance) { delete &odd(instance); }
Status fmi3EnterInitializationMode(Instance, Boolean, Float64, Float64, Boolean, Float64) {
    return Status::ok;
}
Status fmi3EnterEventMode(Instance instance) {
    odd(instance).event_mode = true;
    return Status::ok;
}
Status fmi3ExitInitializationMode(Instance instance) { return fmi3EnterEventMode(instance); }
Status fmi3EnterStepMode(Instance instance) {
    odd(instance).event_mode = false;
    return Status::ok;
}
Status fmi3Terminate(Instance) { return Status::ok; }
Status fmi3SetInt32(Instance instance, const ValueReference*, std::size_t, const Int32*,
                    std::size_t) {
    return odd(instance).event_mode ? Status::ok : Status::error;
}

Status fmi3UpdateDiscreteStates(Instance instance, Boolean* again, Boolean* terminate,
                                Boolean* nominals_changed, Boolean* values_changed,
                                Boolean* has_next_event, Float64* next_event) {
    Odd& self = odd(instance);
    ++self.updates;
    *again = *nominals_changed = *values_changed = false;
    *terminate = self.behaviour == "ends at the start" ||
                 (self.behaviour == "ends after a write" && self.updates > 1);
    // The next one is due at once: at 0, and then a rounding error after 0.1.
    *has_next_event = self.behaviour == "event now" && self.updates < 3;
    *next_event = self.updates == 1 ? 0.0 : 0.1 + 1e-17;
    return Status::ok;
}

Status fmi3DoStep(Instance instance, Float64 begin, Float64 length, Boolean, Boolean* event_needed,
                  Boolean* terminate, Boolean* early_return, Float64* reached) {
    if (odd(instance).event_mode || length < 1e-12) return Status::error;
    const bool stuck = odd(instance).behaviour == "stuck";
    *event_needed = *early_return = stuck;
    *terminate = false;
    *reached = stuck ? begin : begin + length;
    return Status::ok;
}
}
