/// An FMU of FMI 2.0 that misbehaves in the way its instance name says. It lacks fmi2Reset, the
/// state functions and directional derivatives.
#include <pthread.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "fmi/abi/fmi2.hpp"

namespace {

using namespace tandem::fmi::abi2;

struct Odd {
    std::string name;
    const CallbackFunctions* callbacks = nullptr;
    std::thread background;
    double reached = 0.0;
    int polls = 0;

    bool is(std::string_view behaviour) const { return name == behaviour; }
};

Odd& odd(Component component) { return *static_cast<Odd*>(component); }

Status step(Odd& self, double end) {
    if (self.is("discard") || self.is("terminated")) return Status::discard;
    if (self.is("fatal")) {
        // Nobody may touch the instance any more, and nobody else will free it.
        delete &self;
        return Status::fatal;
    }
    if (self.is("ends_its_thread")) pthread_exit(nullptr);
    if (self.is("throws")) throw std::runtime_error("boom");
    if (self.is("throws a number")) throw 42;
    if (self.is("odd formats")) {
        for (const char* format : {"%n", "%hn", "%lln", "%5n", "%%%d%n"})
            self.callbacks->logger(self.callbacks->environment, "", Status::ok, "", format, 1);
        return Status::ok;
    }
    if (self.is("steers")) {
        self.callbacks->logger(self.callbacks->environment, self.name.c_str(), Status::warning, "",
                               "%s",
                               "\x1b[2J\x1b]0;title\x07 \xc2\x9b 31m \xe2\x80\xae"
                               "\nerror: all is lost");
        return Status::ok;
    }
    if (self.is("chatters")) {
        for (int i = 0; i < 100'000; ++i)
            self.callbacks->logger(self.callbacks->environment, self.name.c_str(),
                                   i % 2 == 0 ? Status::warning : Status::ok, "", "step %d of %g",
                                   i, end);
        return Status::ok;
    }
    if (self.is("complains")) {
        self.callbacks->logger(self.callbacks->environment, self.name.c_str(), Status::error, "",
                               "no convergence at %g", end);
        return Status::ok;
    }
    if (self.is("nan time")) return Status::discard;
    if (self.is("unknown status")) return static_cast<Status>(77);
    if (self.is("error")) {
        self.callbacks->logger(self.callbacks->environment, self.name.c_str(), Status::error,
                               "logStatusError", "the spring of #r1# broke at %g", end);
        return Status::error;
    }
    if (self.is("wrong environment"))
        self.callbacks->logger(&self, nullptr, Status::warning, nullptr, "%d of #r1# and ##", 42);
    if (self.is("null strings"))
        self.callbacks->logger(nullptr, nullptr, Status::warning, nullptr, nullptr);
    if (self.is("pending, calls back")) {
        if (self.background.joinable()) self.background.join();
        self.background = std::thread(
            [&self] { self.callbacks->step_finished(self.callbacks->environment, Status::ok); });
        return Status::pending;
    }
    self.polls = 0;
    if (self.is("pending, is asked") || self.is("pending, then error")) return Status::pending;
    return Status::ok;
}

}  // namespace

extern "C" {

Component fmi2Instantiate(String name, Type, String, String, const CallbackFunctions* callbacks,
                          Boolean, Boolean) {
    if (std::string_view(name) == "refuses") return nullptr;
    return new Odd{name, callbacks, {}, 0.0, 0};
}
void fmi2FreeInstance(Component component) {
    if (odd(component).background.joinable()) odd(component).background.join();
    delete &odd(component);
}
Status fmi2SetupExperiment(Component, Boolean, Real, Real, Boolean, Real) { return Status::ok; }
Status fmi2EnterInitializationMode(Component) { return Status::ok; }
Status fmi2ExitInitializationMode(Component) { return Status::ok; }
Status fmi2Terminate(Component) { return Status::ok; }
Status fmi2SetReal(Component, const ValueReference*, std::size_t count, const Real*) {
    return count == 0 ? Status::error : Status::ok;
}
Status fmi2GetReal(Component component, const ValueReference*, std::size_t count, Real* values) {
    for (std::size_t i = 0; i < count; ++i)
        values[i] = odd(component).is("nan") ? std::numeric_limits<double>::quiet_NaN()
                                             : odd(component).reached;
    return count == 0 ? Status::error : Status::ok;
}

Status fmi2DoStep(Component component, Real begin, Real length, Boolean) {
    odd(component).reached = begin + length;
    return step(odd(component), begin + length);
}
Status fmi2CancelStep(Component) { return Status::ok; }
Status fmi2GetStatus(Component component, StatusKind, Status* status) {
    Odd& self = odd(component);
    const bool done = !self.is("pending, calls back") && ++self.polls > 3;
    *status = done ? Status::ok : Status::pending;
    return self.is("pending, then error") ? Status::error : Status::ok;
}
Status fmi2GetRealStatus(Component component, StatusKind, Real* value) {
    *value = odd(component).is("nan time") ? std::nan("") : odd(component).reached / 2.0;
    return Status::ok;
}
Status fmi2GetBooleanStatus(Component component, StatusKind, Boolean* value) {
    *value = odd(component).is("terminated");
    return Status::ok;
}

Status fmi2SetTime(Component, Real) { return Status::ok; }
Status fmi2EnterContinuousTimeMode(Component) { return Status::ok; }
Status fmi2NewDiscreteStates(Component, EventInfo*) { return Status::ok; }
Status fmi2SetContinuousStates(Component, const Real*, std::size_t) { return Status::ok; }
Status fmi2GetDerivatives(Component component, Real* derivatives, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) derivatives[i] = 1.0;
    return odd(component).is("discard") ? Status::discard : Status::ok;
}
Status fmi2GetNominalsOfContinuousStates(Component component, Real* nominals, std::size_t) {
    if (odd(component).is("zero nominal")) nominals[0] = 0.0;
    if (odd(component).is("nan nominal")) nominals[0] = std::nan("");
    if (odd(component).is("good nominal")) nominals[0] = 25.0;
    return Status::ok;
}
}
