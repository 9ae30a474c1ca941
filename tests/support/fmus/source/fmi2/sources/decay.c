#include <math.h>
#include <stdlib.h>

#define FMI2_FUNCTION_PREFIX Decay_
#include "fmi2Functions.h"
#include "rate.h"

typedef struct {
    fmi2Real values[3]; /* x, k, der(x) */
} Decay;

const char* fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char* fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String location,
                              const fmi2CallbackFunctions* functions, fmi2Boolean visible,
                              fmi2Boolean logging) {
    Decay* decay = calloc(1, sizeof(Decay));
    decay->values[0] = decay->values[1] = 1.0;
    return decay;
}

void fmi2FreeInstance(fmi2Component c) { free(c); }

#define NOTHING_TO_DO(function) \
    fmi2Status function(fmi2Component c) { return fmi2OK; }
NOTHING_TO_DO(fmi2EnterInitializationMode)
NOTHING_TO_DO(fmi2ExitInitializationMode)
NOTHING_TO_DO(fmi2EnterEventMode)
NOTHING_TO_DO(fmi2EnterContinuousTimeMode)
NOTHING_TO_DO(fmi2Terminate)

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean controlled, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean stops, fmi2Real stop) {
    return fmi2OK;
}
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t) { return fmi2OK; }

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t count,
                       fmi2Real values[]) {
    Decay* decay = c;
    size_t i;
    decay->values[2] = rate(decay->values[0], decay->values[1]);
    for (i = 0; i < count; ++i) values[i] = decay->values[references[i]];
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference references[], size_t count,
                       const fmi2Real values[]) {
    size_t i;
    for (i = 0; i < count; ++i) ((Decay*)c)->values[references[i]] = values[i];
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_way_back) {
    Decay* decay = c;
    decay->values[0] *= exp(-decay->values[1] * h);
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
    info->newDiscreteStatesNeeded = info->terminateSimulation = fmi2False;
    info->nominalsOfContinuousStatesChanged = info->valuesOfContinuousStatesChanged = fmi2False;
    info->nextEventTimeDefined = fmi2False;
    return fmi2OK;
}
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_way_back, fmi2Boolean* event,
                                       fmi2Boolean* terminate) {
    *event = *terminate = fmi2False;
    return fmi2OK;
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real states[], size_t count) {
    states[0] = ((Decay*)c)->values[0];
    return fmi2OK;
}
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real states[], size_t count) {
    ((Decay*)c)->values[0] = states[0];
    return fmi2OK;
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t count) {
    Decay* decay = c;
    derivatives[0] = rate(decay->values[0], decay->values[1]);
    return fmi2OK;
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominals[], size_t count) {
    nominals[0] = 1.0;
    return fmi2OK;
}
