#if !defined HAS_RATE || defined HAS_NO_RATE
#error "not compiled as buildDescription.xml says"
#endif
#include "decay.h"

#include <math.h>
#include <stdlib.h>

#include "fmi3Functions.h"

static double rate(double x, double k) { return RATE; }

const char* fmi3GetVersion(void) { return fmi3Version; }

static fmi3Instance instance(void) {
    Decay* decay = calloc(1, sizeof(Decay));
    decay->values[0] = decay->values[1] = 1.0;
    return decay;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean visible, fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log) {
    return instance();
}
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging,
                                         fmi3Boolean events, fmi3Boolean early_return,
                                         const fmi3ValueReference intermediate[], size_t count,
                                         fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update) {
    return instance();
}
void fmi3FreeInstance(fmi3Instance c) { free(c); }

#define NOTHING_TO_DO(function) \
    fmi3Status function(fmi3Instance c) { return fmi3OK; }
NOTHING_TO_DO(fmi3ExitInitializationMode)
NOTHING_TO_DO(fmi3EnterEventMode)
NOTHING_TO_DO(fmi3EnterContinuousTimeMode)
NOTHING_TO_DO(fmi3Terminate)

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean controlled,
                                       fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean stops,
                                       fmi3Float64 stop) {
    return fmi3OK;
}
fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 t) { return fmi3OK; }

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                          fmi3Float64 values[], size_t value_count) {
    Decay* decay = c;
    decay->values[2] = rate(decay->values[0], decay->values[1]);
    for (size_t i = 0; i < count; ++i) values[i] = decay->values[references[i]];
    return fmi3OK;
}
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                          const fmi3Float64 values[], size_t value_count) {
    for (size_t i = 0; i < count; ++i) ((Decay*)c)->values[references[i]] = values[i];
    return fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_way_back,
                      fmi3Boolean* event, fmi3Boolean* terminate, fmi3Boolean* early,
                      fmi3Float64* last) {
    Decay* decay = c;
    decay->values[0] *= exp(-decay->values[1] * h);
    *event = *terminate = *early = fmi3False;
    *last = t + h;
    return fmi3OK;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* update, fmi3Boolean* terminate,
                                    fmi3Boolean* nominals, fmi3Boolean* values,
                                    fmi3Boolean* time_defined, fmi3Float64* time) {
    *update = *terminate = *nominals = *values = *time_defined = fmi3False;
    return fmi3OK;
}
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_way_back, fmi3Boolean* event,
                                       fmi3Boolean* terminate) {
    *event = *terminate = fmi3False;
    return fmi3OK;
}
fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 states[], size_t count) {
    states[0] = ((Decay*)c)->values[0];
    return fmi3OK;
}
fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 states[], size_t count) {
    ((Decay*)c)->values[0] = states[0];
    return fmi3OK;
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 derivatives[],
                                             size_t count) {
    Decay* decay = c;
    derivatives[0] = rate(decay->values[0], decay->values[1]);
    return fmi3OK;
}
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 nominals[], size_t count) {
    nominals[0] = 1.0;
    return fmi3OK;
}
