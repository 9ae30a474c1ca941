/// An FMU of FMI 2.0 whose every function can be the last one that the process runs; y = t.
#include "doom.hpp"
#include "fmi/abi/fmi2.hpp"

namespace {

using namespace tandem::fmi::abi2;

const DoomOfLibrary of_library;

double& reached(Component component) { return *static_cast<double*>(component); }

Status done(const char* function) {
    doom(function);
    return Status::ok;
}

}  // namespace

extern "C" {

const char* fmi2GetTypesPlatform() {
    doom("fmi2GetTypesPlatform");
    return "default";
}
const char* fmi2GetVersion() {
    doom("fmi2GetVersion");
    return "2.0";
}
Component fmi2Instantiate(String, Type, String, String, const CallbackFunctions*, Boolean,
                          Boolean) {
    doom("fmi2Instantiate");
    return new double(0.0);
}
void fmi2FreeInstance(Component component) {
    doom("fmi2FreeInstance");
    delete &reached(component);
}
Status fmi2SetupExperiment(Component, Boolean, Real, Real, Boolean, Real) {
    return done("fmi2SetupExperiment");
}
Status fmi2EnterInitializationMode(Component) { return done("fmi2EnterInitializationMode"); }
Status fmi2ExitInitializationMode(Component) { return done("fmi2ExitInitializationMode"); }
Status fmi2Terminate(Component) { return done("fmi2Terminate"); }
Status fmi2GetReal(Component component, const ValueReference*, std::size_t count, Real* values) {
    for (std::size_t i = 0; i < count; ++i) values[i] = reached(component);
    return done("fmi2GetReal");
}
Status fmi2SetReal(Component, const ValueReference*, std::size_t, const Real*) {
    return done("fmi2SetReal");
}
Status fmi2DoStep(Component component, Real begin, Real length, Boolean) {
    reached(component) = begin + length;
    return done("fmi2DoStep");
}
}
