/// y grows by h i in each step with b, as a Co-Simulation FMU of FMI 2.0 that does not let its
/// integer and boolean inputs i and b be read; i_out = i and b_out = b can be.
#include "fmi/abi/fmi2.hpp"

namespace {

using namespace tandem::fmi::abi2;

enum Reference : ValueReference { i, b, y, i_out, b_out };

struct HidesTyped {
    Integer i = 1;
    Boolean b = 1;
    Real y = 0.0;
};

HidesTyped& self(Component component) { return *static_cast<HidesTyped*>(component); }

/// One of an input is an error.
template <class Value>
Status get(const ValueReference* references, std::size_t size, ValueReference readable, Value value,
           Value* values) {
    for (std::size_t k = 0; k < size; ++k) {
        if (references[k] != readable) return Status::error;
        values[k] = value;
    }
    return Status::ok;
}

}  // namespace

extern "C" {

Component fmi2Instantiate(String, Type, String, String, const CallbackFunctions*, Boolean,
                          Boolean) {
    return new HidesTyped;
}
void fmi2FreeInstance(Component component) { delete &self(component); }
Status fmi2SetupExperiment(Component, Boolean, Real, Real, Boolean, Real) { return Status::ok; }
Status fmi2EnterInitializationMode(Component) { return Status::ok; }
Status fmi2ExitInitializationMode(Component) { return Status::ok; }
Status fmi2Terminate(Component) { return Status::ok; }

Status fmi2SetInteger(Component component, const ValueReference*, std::size_t size,
                      const Integer* values) {
    if (size > 0) self(component).i = values[0];
    return Status::ok;
}
Status fmi2SetBoolean(Component component, const ValueReference*, std::size_t size,
                      const Boolean* values) {
    if (size > 0) self(component).b = values[0];
    return Status::ok;
}
Status fmi2GetReal(Component component, const ValueReference* references, std::size_t size,
                   Real* values) {
    return get(references, size, y, self(component).y, values);
}
Status fmi2GetInteger(Component component, const ValueReference* references, std::size_t size,
                      Integer* values) {
    return get(references, size, i_out, self(component).i, values);
}
Status fmi2GetBoolean(Component component, const ValueReference* references, std::size_t size,
                      Boolean* values) {
    return get(references, size, b_out, self(component).b, values);
}

Status fmi2DoStep(Component component, Real, Real length, Boolean) {
    HidesTyped& own = self(component);
    if (own.b != 0) own.y += length * own.i;
    return Status::ok;
}
}
