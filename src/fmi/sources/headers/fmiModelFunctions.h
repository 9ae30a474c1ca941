#ifndef fmiModelFunctions_h
#define fmiModelFunctions_h

#include <stddef.h>

#include "fmiModelTypes.h"

#define fmiVersion "1.0"

#ifndef DllExport
#define DllExport __attribute__((visibility("default")))
#endif

/* The names are <model identifier>_fmi...: #define MODEL_IDENTIFIER Model before this file. */
#define fmiPaste(a, b) a##b
#define fmiPasteB(a, b) fmiPaste(a, b)
#define fmiFullName(name) fmiPasteB(MODEL_IDENTIFIER, name)

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { fmiOK, fmiWarning, fmiDiscard, fmiError, fmiFatal } fmiStatus;

typedef void (*fmiCallbackLogger)(fmiComponent, fmiString, fmiStatus, fmiString, fmiString, ...);
typedef void* (*fmiCallbackAllocateMemory)(size_t, size_t);
typedef void (*fmiCallbackFreeMemory)(void*);

typedef struct {
    fmiCallbackLogger logger;
    fmiCallbackAllocateMemory allocateMemory;
    fmiCallbackFreeMemory freeMemory;
} fmiCallbackFunctions;

typedef struct {
    fmiBoolean iterationConverged;
    fmiBoolean stateValueReferencesChanged;
    fmiBoolean stateValuesChanged;
    fmiBoolean terminateSimulation;
    fmiBoolean upcomingTimeEvent;
    fmiReal nextEventTime;
} fmiEventInfo;

#define fmiGetModelTypesPlatform fmiFullName(_fmiGetModelTypesPlatform)
#define fmiGetVersion fmiFullName(_fmiGetVersion)
#define fmiInstantiateModel fmiFullName(_fmiInstantiateModel)
#define fmiFreeModelInstance fmiFullName(_fmiFreeModelInstance)
#define fmiSetDebugLogging fmiFullName(_fmiSetDebugLogging)
#define fmiGetReal fmiFullName(_fmiGetReal)
#define fmiGetInteger fmiFullName(_fmiGetInteger)
#define fmiGetBoolean fmiFullName(_fmiGetBoolean)
#define fmiGetString fmiFullName(_fmiGetString)
#define fmiSetReal fmiFullName(_fmiSetReal)
#define fmiSetInteger fmiFullName(_fmiSetInteger)
#define fmiSetBoolean fmiFullName(_fmiSetBoolean)
#define fmiSetString fmiFullName(_fmiSetString)
#define fmiSetTime fmiFullName(_fmiSetTime)
#define fmiSetContinuousStates fmiFullName(_fmiSetContinuousStates)
#define fmiCompletedIntegratorStep fmiFullName(_fmiCompletedIntegratorStep)
#define fmiInitialize fmiFullName(_fmiInitialize)
#define fmiGetDerivatives fmiFullName(_fmiGetDerivatives)
#define fmiGetEventIndicators fmiFullName(_fmiGetEventIndicators)
#define fmiGetContinuousStates fmiFullName(_fmiGetContinuousStates)
#define fmiGetNominalContinuousStates fmiFullName(_fmiGetNominalContinuousStates)
#define fmiEventUpdate fmiFullName(_fmiEventUpdate)
#define fmiGetStateValueReferences fmiFullName(_fmiGetStateValueReferences)
#define fmiTerminate fmiFullName(_fmiTerminate)

DllExport const char* fmiGetModelTypesPlatform(void);
DllExport const char* fmiGetVersion(void);
DllExport fmiComponent fmiInstantiateModel(fmiString, fmiString, fmiCallbackFunctions, fmiBoolean);
DllExport void fmiFreeModelInstance(fmiComponent);
DllExport fmiStatus fmiSetDebugLogging(fmiComponent, fmiBoolean);
DllExport fmiStatus fmiGetReal(fmiComponent, const fmiValueReference[], size_t, fmiReal[]);
DllExport fmiStatus fmiGetInteger(fmiComponent, const fmiValueReference[], size_t, fmiInteger[]);
DllExport fmiStatus fmiGetBoolean(fmiComponent, const fmiValueReference[], size_t, fmiBoolean[]);
DllExport fmiStatus fmiGetString(fmiComponent, const fmiValueReference[], size_t, fmiString[]);
DllExport fmiStatus fmiSetReal(fmiComponent, const fmiValueReference[], size_t, const fmiReal[]);
DllExport fmiStatus fmiSetInteger(fmiComponent, const fmiValueReference[], size_t,
                                  const fmiInteger[]);
DllExport fmiStatus fmiSetBoolean(fmiComponent, const fmiValueReference[], size_t,
                                  const fmiBoolean[]);
DllExport fmiStatus fmiSetString(fmiComponent, const fmiValueReference[], size_t,
                                 const fmiString[]);
DllExport fmiStatus fmiSetTime(fmiComponent, fmiReal);
DllExport fmiStatus fmiSetContinuousStates(fmiComponent, const fmiReal[], size_t);
DllExport fmiStatus fmiCompletedIntegratorStep(fmiComponent, fmiBoolean*);
DllExport fmiStatus fmiInitialize(fmiComponent, fmiBoolean, fmiReal, fmiEventInfo*);
DllExport fmiStatus fmiGetDerivatives(fmiComponent, fmiReal[], size_t);
DllExport fmiStatus fmiGetEventIndicators(fmiComponent, fmiReal[], size_t);
DllExport fmiStatus fmiGetContinuousStates(fmiComponent, fmiReal[], size_t);
DllExport fmiStatus fmiGetNominalContinuousStates(fmiComponent, fmiReal[], size_t);
DllExport fmiStatus fmiEventUpdate(fmiComponent, fmiBoolean, fmiEventInfo*);
DllExport fmiStatus fmiGetStateValueReferences(fmiComponent, fmiValueReference[], size_t);
DllExport fmiStatus fmiTerminate(fmiComponent);

#ifdef __cplusplus
}
#endif

#endif
