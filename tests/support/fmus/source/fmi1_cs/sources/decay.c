#if !defined IN_ALL_C || !defined FMI_COSIMULATION
#error "not compiled by all.c, or not as Co-Simulation"
#endif
#include <math.h>
#include <stdlib.h>

#include "fmiFunctions.h"

typedef struct {
    fmiReal values[2]; /* x, k */
} Decay;

const char* fmiGetTypesPlatform(void) { return fmiPlatform; }
const char* fmiGetVersion(void) { return fmiVersion; }

fmiComponent fmiInstantiateSlave(fmiString name, fmiString guid, fmiString location, fmiString mime,
                                 fmiReal timeout, fmiBoolean visible, fmiBoolean interactive,
                                 fmiCallbackFunctions functions, fmiBoolean logging) {
    Decay* decay = calloc(1, sizeof(Decay));
    decay->values[0] = decay->values[1] = 1.0;
    return decay;
}

fmiStatus fmiInitializeSlave(fmiComponent c, fmiReal start, fmiBoolean stops, fmiReal stop) {
    return fmiOK;
}
fmiStatus fmiTerminateSlave(fmiComponent c) { return fmiOK; }
void fmiFreeSlaveInstance(fmiComponent c) { free(c); }
fmiStatus fmiSetDebugLogging(fmiComponent c, fmiBoolean on) { return fmiOK; }

fmiStatus fmiGetReal(fmiComponent c, const fmiValueReference references[], size_t count,
                     fmiReal values[]) {
    size_t i;
    for (i = 0; i < count; ++i) values[i] = ((Decay*)c)->values[references[i]];
    return fmiOK;
}

fmiStatus fmiSetReal(fmiComponent c, const fmiValueReference references[], size_t count,
                     const fmiReal values[]) {
    size_t i;
    for (i = 0; i < count; ++i) ((Decay*)c)->values[references[i]] = values[i];
    return fmiOK;
}

fmiStatus fmiDoStep(fmiComponent c, fmiReal t, fmiReal h, fmiBoolean new_step) {
    Decay* decay = c;
    decay->values[0] *= exp(-decay->values[1] * h);
    return fmiOK;
}
