/// dx/dt = a x + u, y = c x as a Model Exchange FMU of FMI 2.0 that evaluates lazily, as those of
/// some tools do: what is asked first after something was set decides what is evaluated. After
/// derivatives the output is still that of the point before. It says that it gives directional
/// derivatives; unless its instance is called "derives" it answers these with an error.
///
/// As a Co-Simulation FMU (TwoKinds.fmu offers both) it holds its input over a step, solves the
/// equation exactly, and cannot go back. Instances called "steps_only" and "never_exchanges" fail
/// as Model Exchange: when they are initialised, and when they are instantiated.
#include <cmath>
#include <string>

#include "fmi/abi/fmi2.hpp"

namespace {

using namespace tandem::fmi::abi2;

enum Reference : ValueReference { u, y, a, c, x, der_x, count };

struct Lazy {
    std::string name;
    bool exchanges = true;  ///< it is of the kind Model Exchange
    double values[count] = {0.0, 0.0, -1.0, 1.0, 1.0, 0.0};
    bool is_old = true;

    void evaluate(bool all) {
        if (!is_old) return;
        values[der_x] = values[a] * values[x] + values[u];
        if (all) values[y] = values[c] * values[x];
        is_old = false;
    }
};

Lazy& self(Component component) { return *static_cast<Lazy*>(component); }

}  // namespace

extern "C" {

Component fmi2Instantiate(String name, Type type, String, String, const CallbackFunctions*, Boolean,
                          Boolean) {
    const bool exchanges = type == Type::model_exchange;
    if (exchanges && std::string(name) == "never_exchanges") return nullptr;
    return new Lazy{.name = name, .exchanges = exchanges};
}
void fmi2FreeInstance(Component component) { delete &self(component); }
Status fmi2SetupExperiment(Component, Boolean, Real, Real, Boolean, Real) { return Status::ok; }
Status fmi2EnterInitializationMode(Component component) {
    const Lazy& lazy = self(component);
    return lazy.exchanges && lazy.name == "steps_only" ? Status::error : Status::ok;
}
Status fmi2ExitInitializationMode(Component) { return Status::ok; }
Status fmi2Terminate(Component) { return Status::ok; }

Status fmi2SetReal(Component component, const ValueReference* references, std::size_t size,
                   const Real* values) {
    for (std::size_t i = 0; i < size; ++i) self(component).values[references[i]] = values[i];
    self(component).is_old = true;
    return Status::ok;
}
Status fmi2GetReal(Component component, const ValueReference* references, std::size_t size,
                   Real* values) {
    self(component).evaluate(true);
    for (std::size_t i = 0; i < size; ++i) values[i] = self(component).values[references[i]];
    return Status::ok;
}

Status fmi2DoStep(Component component, Real, Real length, Boolean) {
    Lazy& lazy = self(component);
    const double growth = std::expm1(lazy.values[a] * length);
    lazy.values[x] += growth * (lazy.values[x] + lazy.values[u] / lazy.values[a]);
    lazy.is_old = true;
    return Status::ok;
}

Status fmi2SetTime(Component, Real) { return Status::ok; }
Status fmi2SetContinuousStates(Component component, const Real* states, std::size_t) {
    self(component).values[x] = states[0];
    self(component).is_old = true;
    return Status::ok;
}
Status fmi2GetDerivatives(Component component, Real* derivatives, std::size_t) {
    self(component).evaluate(false);
    derivatives[0] = self(component).values[der_x];
    return Status::ok;
}
Status fmi2GetEventIndicators(Component, Real*, std::size_t) { return Status::ok; }
Status fmi2GetContinuousStates(Component component, Real* states, std::size_t) {
    states[0] = self(component).values[x];
    return Status::ok;
}
Status fmi2GetNominalsOfContinuousStates(Component, Real* nominals, std::size_t) {
    nominals[0] = 1.0;
    return Status::ok;
}
Status fmi2EnterEventMode(Component) { return Status::ok; }
Status fmi2NewDiscreteStates(Component, EventInfo* info) {
    *info = {};
    return Status::ok;
}
Status fmi2EnterContinuousTimeMode(Component) { return Status::ok; }
Status fmi2CompletedIntegratorStep(Component, Boolean, Boolean* enter_event_mode,
                                   Boolean* terminate) {
    *enter_event_mode = *terminate = 0;
    return Status::ok;
}

Status fmi2GetDirectionalDerivative(Component component, const ValueReference* unknowns,
                                    std::size_t unknown_count, const ValueReference* knowns,
                                    std::size_t known_count, const Real* seed, Real* sensitivity) {
    const Lazy& lazy = self(component);
    if (lazy.name != "derives") return Status::error;
    double d_x = 0.0, d_u = 0.0;
    for (std::size_t i = 0; i < known_count; ++i) (knowns[i] == x ? d_x : d_u) += seed[i];
    for (std::size_t i = 0; i < unknown_count; ++i)
        sensitivity[i] = unknowns[i] == y ? lazy.values[c] * d_x : lazy.values[a] * d_x + d_u;
    return Status::ok;
}
}
