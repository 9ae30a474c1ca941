/// An integrator, dx/dt = k u, y = x and z = x + g u, as a Co-Simulation FMU of FMI 2.0 with the
/// habits of tools that other people use. The name of the instance says which.
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "fmi/abi/fmi2.hpp"

namespace {

using namespace tandem::fmi::abi2;

enum Reference : ValueReference { u, y, k, x, g, z, rate, count };

struct Saved {
    double x = 0.0, last = 0.0;
};

struct Foreign {
    std::string name;
    const CallbackFunctions* callbacks = nullptr;
    double values[count] = {1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0};
    double slope = 0.0;  // of the input
    Saved saved = {};    // by "null_state", in itself
    double last = 0.0;   // time that the last step came to
    bool is_initialised = false;
    bool has_stepped = false;
    bool is_restarted = false;  // its solver starts afresh, and errs

    bool is(std::string_view habit) const { return name == habit; }
    void warn(const char* message) const {
        callbacks->logger(callbacks->environment, name.c_str(), Status::warning, "logStatusWarning",
                          message);
    }
    Status integrate(double begin, double length) {
        values[x] += values[k] * (values[u] + 0.5 * slope * length) * length;
        if (std::exchange(is_restarted, false)) values[x] += 1e-6;
        values[y] = values[x];
        values[u] += slope * length;
        values[z] = values[x] + values[g] * values[u];
        last = begin + length;
        has_stepped = true;
        return Status::ok;
    }
};

Foreign& self(Component component) { return *static_cast<Foreign*>(component); }

#ifdef CALLS_NOBODY
extern "C" void function_of_nobody();
#else
void function_of_nobody() {}
#endif

}  // namespace

extern "C" {

Component fmi2Instantiate(String name, Type, String, String, const CallbackFunctions* callbacks,
                          Boolean, Boolean) {
    auto* foreign = new Foreign{.name = name, .callbacks = callbacks};
    if (foreign->is("has_no_defaults")) foreign->values[k] = 0.0;
    if (foreign->is("dislikes_callbacks") && callbacks->step_finished != nullptr)
        foreign->warn("stepFinished is not used");
    return foreign;
}
void fmi2FreeInstance(Component component) { delete &self(component); }

Status fmi2SetupExperiment(Component component, Boolean tolerance_defined, Real, Real start,
                           Boolean, Real) {
    Foreign& foreign = self(component);
    if (foreign.is("dislikes_tolerances") && tolerance_defined)
        foreign.warn("the tolerance is not used");
    if (foreign.is("forgets")) foreign.values[k] = 1.0, foreign.values[x] = 0.0;
    foreign.last = start;
    return Status::ok;
}
Status fmi2EnterInitializationMode(Component component) {
    Foreign& foreign = self(component);
    if (foreign.is("limits")) foreign.values[k] = std::min(foreign.values[k], 5.0);
    foreign.values[y] = foreign.values[x];
    return Status::ok;
}
Status fmi2ExitInitializationMode(Component component) {
    self(component).is_initialised = true;
    return Status::ok;
}
Status fmi2Terminate(Component) { return Status::ok; }

Status fmi2SetReal(Component component, const ValueReference* references, std::size_t size,
                   const Real* values) {
    for (std::size_t i = 0; i < size; ++i)
        if (self(component).is("refuses_values") && references[i] == k && values[i] < 0.0)
            return Status::error;
    for (std::size_t i = 0; i < size; ++i) self(component).values[references[i]] = values[i];
    self(component).values[y] = self(component).values[x];
    return Status::ok;
}
Status fmi2GetReal(Component component, const ValueReference* references, std::size_t size,
                   Real* values) {
    Foreign& foreign = self(component);
    foreign.values[rate] = foreign.values[k] * foreign.values[u];
    if (!foreign.is_initialised || !foreign.is("answers_in_steps"))
        foreign.values[z] = foreign.values[x] + foreign.values[g] * foreign.values[u];
    for (std::size_t i = 0; i < size; ++i) {
        if (self(component).is("hides_inputs") && references[i] == u) return Status::error;
        if (self(component).is("hides_state") && references[i] == x) return Status::error;
        if (self(component).is("hides_output") && references[i] == z) return Status::error;
        const bool is_between = foreign.values[x] > 0.35 && foreign.values[x] < 0.65;
        if (foreign.is("hides_at_times") && references[i] == x && is_between) return Status::error;
        values[i] = self(component).values[references[i]];
    }
    return Status::ok;
}

Status fmi2DoStep(Component component, Real begin, Real length, Boolean no_state_before) {
    Foreign& foreign = self(component);
    if (foreign.is("calls_nobody")) function_of_nobody();
    if (foreign.is("complains"))
        foreign.warn(("no convergence at " + std::to_string(begin)).c_str());
    if (foreign.is("stands_still") && !no_state_before) return Status::ok;
    if (foreign.is("counts") && length != 0.1) return Status::discard;
    if (foreign.is("dislikes_length") && length > 0.06) return Status::discard;
    constexpr double wall = 0.25;
    const bool stops = foreign.is("discards") || foreign.is("wants_whole_steps");
    if (stops && begin < wall && begin + length > wall) {
        foreign.integrate(begin, wall - begin);
        return Status::discard;
    }
    if (foreign.is("wants_whole_steps") && begin == wall && length < 0.1) return Status::discard;
    if (foreign.name.starts_with("has_own_step")) {
        constexpr double own = 0.1;
        while (foreign.last < begin + length - 1e-9) foreign.integrate(foreign.last, own);
        return Status::ok;
    }
    return foreign.integrate(begin, length);
}
Status fmi2CancelStep(Component) { return Status::error; }
Status fmi2GetStatus(Component, StatusKind, Status*) { return Status::discard; }
Status fmi2GetRealStatus(Component component, StatusKind, Real* value) {
    *value = self(component).last;
    const bool tells = self(component).is("discards") || self(component).is("wants_whole_steps");
    return tells ? Status::ok : Status::discard;
}
Status fmi2GetBooleanStatus(Component, StatusKind, Boolean*) { return Status::discard; }

Status fmi2SetRealInputDerivatives(Component component, const ValueReference*, std::size_t,
                                   const Integer*, const Real* values) {
    if (self(component).is("refuses_slopes")) return Status::error;
    self(component).slope = values[0];
    return Status::ok;
}
Status fmi2GetRealOutputDerivatives(Component component, const ValueReference*, std::size_t,
                                    const Integer*, Real* values) {
    const Foreign& foreign = self(component);
    if (foreign.is("tells_no_slopes")) return Status::error;
    const bool knows = foreign.has_stepped && !foreign.is("tells_wrong_slopes");
    values[0] =
        knows ? foreign.values[k] * foreign.values[u] : std::numeric_limits<double>::quiet_NaN();
    return Status::ok;
}

Status fmi2GetDirectionalDerivative(Component component, const ValueReference* unknowns,
                                    std::size_t size, const ValueReference*, std::size_t,
                                    const Real* seed, Real* sensitivity) {
    if (self(component).is("gives_no_derivatives")) return Status::error;
    if (self(component).is("moves_states") || self(component).is("moves_for_good"))
        self(component).values[x] += 1e-5;
    if (self(component).is("moves_inputs")) self(component).values[u] += 1e-5;
    const bool is_wrong = self(component).is("gives_wrong_derivatives");
    for (std::size_t i = 0; i < size; ++i)
        sensitivity[i] = is_wrong           ? std::numeric_limits<double>::quiet_NaN()
                         : unknowns[i] == z ? self(component).values[g] * seed[0]
                                            : 0.0;
    return Status::ok;
}

Status fmi2GetFMUstate(Component component, FmuState* state) {
    Foreign& foreign = self(component);
    if (foreign.is("keeps_no_state")) return Status::error;
    foreign.saved = {foreign.values[x], foreign.last};
    if (foreign.is("null_state")) return Status::ok;
    if (*state == nullptr) *state = new Saved;
    *static_cast<Saved*>(*state) = foreign.saved;
    return Status::ok;
}
Status fmi2SetFMUstate(Component component, FmuState state) {
    Foreign& foreign = self(component);
    if (foreign.is("crashes_back")) std::abort();
    if (foreign.is("moves_for_good")) return Status::ok;
    foreign.is_restarted = foreign.is("restarts");
    const Saved saved = state == nullptr ? foreign.saved : *static_cast<Saved*>(state);
    foreign.values[y] = foreign.values[x] = saved.x;
    foreign.last = saved.last;
    return Status::ok;
}
Status fmi2FreeFMUstate(Component, FmuState* state) {
    delete static_cast<Saved*>(*state);
    *state = nullptr;
    return Status::ok;
}
}
