#include <stdlib.h>

#include "fmiModelFunctions.h"

double rate(double x, double k);

typedef struct {
    fmiReal values[3]; /* x, k, der(x) */
} Decay;

const char* fmiGetModelTypesPlatform(void) { return fmiModelTypesPlatform; }
const char* fmiGetVersion(void) { return fmiVersion; }

fmiComponent fmiInstantiateModel(fmiString name, fmiString guid, fmiCallbackFunctions functions,
                                 fmiBoolean logging) {
    Decay* decay = calloc(1, sizeof(Decay));
    decay->values[0] = decay->values[1] = 1.0;
    return decay;
}

void fmiFreeModelInstance(fmiComponent c) { free(c); }
fmiStatus fmiSetDebugLogging(fmiComponent c, fmiBoolean on) { return fmiOK; }
fmiStatus fmiTerminate(fmiComponent c) { return fmiOK; }
fmiStatus fmiSetTime(fmiComponent c, fmiReal t) { return fmiOK; }

static fmiStatus no_event(fmiEventInfo* info) {
    info->iterationConverged = fmiTrue;
    info->stateValueReferencesChanged = info->stateValuesChanged = fmiFalse;
    info->terminateSimulation = info->upcomingTimeEvent = fmiFalse;
    return fmiOK;
}

fmiStatus fmiInitialize(fmiComponent c, fmiBoolean controlled, fmiReal tolerance,
                        fmiEventInfo* info) {
    return no_event(info);
}
fmiStatus fmiEventUpdate(fmiComponent c, fmiBoolean intermediate, fmiEventInfo* info) {
    return no_event(info);
}
fmiStatus fmiCompletedIntegratorStep(fmiComponent c, fmiBoolean* event) {
    *event = fmiFalse;
    return fmiOK;
}

fmiStatus fmiGetReal(fmiComponent c, const fmiValueReference references[], size_t count,
                     fmiReal values[]) {
    Decay* decay = c;
    size_t i;
    decay->values[2] = rate(decay->values[0], decay->values[1]);
    for (i = 0; i < count; ++i) values[i] = decay->values[references[i]];
    return fmiOK;
}

fmiStatus fmiSetReal(fmiComponent c, const fmiValueReference references[], size_t count,
                     const fmiReal values[]) {
    size_t i;
    for (i = 0; i < count; ++i) ((Decay*)c)->values[references[i]] = values[i];
    return fmiOK;
}

fmiStatus fmiGetContinuousStates(fmiComponent c, fmiReal states[], size_t count) {
    states[0] = ((Decay*)c)->values[0];
    return fmiOK;
}
fmiStatus fmiSetContinuousStates(fmiComponent c, const fmiReal states[], size_t count) {
    ((Decay*)c)->values[0] = states[0];
    return fmiOK;
}
fmiStatus fmiGetDerivatives(fmiComponent c, fmiReal derivatives[], size_t count) {
    Decay* decay = c;
    derivatives[0] = rate(decay->values[0], decay->values[1]);
    return fmiOK;
}
fmiStatus fmiGetEventIndicators(fmiComponent c, fmiReal indicators[], size_t count) {
    return fmiOK;
}
fmiStatus fmiGetNominalContinuousStates(fmiComponent c, fmiReal nominals[], size_t count) {
    nominals[0] = 1.0;
    return fmiOK;
}
fmiStatus fmiGetStateValueReferences(fmiComponent c, fmiValueReference references[], size_t count) {
    references[0] = 0;
    return fmiOK;
}
